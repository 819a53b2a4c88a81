"""Runs as jobs of a batch system: the script, and following it."""
