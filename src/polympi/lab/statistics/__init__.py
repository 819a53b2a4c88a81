"""Statistics of paired launches: pure functions, then the analysis of a run made of them."""
