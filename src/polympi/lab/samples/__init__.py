"""Samples: the output of the programs, parsed and kept; and which launches count."""
