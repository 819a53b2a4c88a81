"""The audit: what a program asks of MPI, where its time goes, and who waits for whom."""
