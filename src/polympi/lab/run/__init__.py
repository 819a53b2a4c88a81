"""A run: from what the user asked to a result directory."""
