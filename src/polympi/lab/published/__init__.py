"""Figures that earlier reports published, kept as data so that a result measured here can be set beside them."""

from polympi.lab.published.tables import PublishedTable, Source, published, sources

__all__ = ["PublishedTable", "Source", "published", "sources"]
