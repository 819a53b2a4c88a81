"""The machine a run was made on: what it is, what it does to the figures, and what to do about it."""
