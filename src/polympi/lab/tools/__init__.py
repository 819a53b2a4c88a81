"""Benchmarks of others, launched in the blocks of a run beside our C."""
