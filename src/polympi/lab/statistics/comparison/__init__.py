"""Two runs compared: has a binding become slower? :func:`~polympi.lab.statistics.comparison.compare.compare` begins."""
