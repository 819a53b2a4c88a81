"""What an audit found, in the terminal, as a page, and in files that other programs read."""
