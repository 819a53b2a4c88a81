"""Reports: what a run says, as a page, as text, as tables, as pictures."""
