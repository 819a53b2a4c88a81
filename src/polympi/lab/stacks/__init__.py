"""Stacks: MPI installations with a launcher, compiler wrappers and their own Python environment."""
