"""Launches: one mpiexec each, with a time-out, and nothing left behind."""
