"""What bindings ask of MPI in each case, and what of their time follows from it."""
