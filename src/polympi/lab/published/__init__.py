"""Figures that earlier reports published, kept as data for comparison with results measured here."""

from polympi.lab.published.tables import PublishedTable, Source, published, sources

__all__ = ["PublishedTable", "Source", "published", "sources"]
