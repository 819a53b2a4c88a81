"""A history of runs: its page, its Markdown and its JSON."""
