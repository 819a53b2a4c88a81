"""Stacks: MPI installations with a launcher, compiler wrappers and a Python environment of their own."""
