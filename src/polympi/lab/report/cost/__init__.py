"""What the time of a binding consists of: a table, and its figures for programs."""
