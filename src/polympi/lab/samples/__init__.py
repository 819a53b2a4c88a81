"""Samples: what the programs wrote, parsed, and kept for good."""
