"""The projection of a run in the terminal, as Markdown, CSV and a page."""
