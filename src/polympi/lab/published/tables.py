"""Loads the published tables and says where each comes from."""

import io
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import msgspec
import polars as pl

from polympi.lab.errors import UsageError


@dataclass(frozen=True)
class Source:
    """Where a published table comes from."""

    name: str
    title: str
    author: str  # who measured it; empty if the report names nobody
    work: str
    year: str  # year of the report; empty if it gives none
    setting: str
    unit: str
    weaknesses: tuple[str, ...]  # what to know before comparing other figures with them

    @property
    def citation(self) -> str:
        """Author, work and year in one line."""
        return ", ".join(part for part in (self.author, self.work, self.year) if part)


@dataclass(frozen=True)
class PublishedTable:
    """A published table with its source."""

    source: Source
    frame: pl.DataFrame


@lru_cache(maxsize=1)
def sources() -> dict[str, Source]:
    """All published tables by name, in the order of ``data/sources.toml``."""
    return {
        name: Source(name=name, weaknesses=tuple(entry.pop("weaknesses")), **entry)
        for name, entry in msgspec.toml.decode((_data() / "sources.toml").read_bytes()).items()
    }


def published(name: str) -> PublishedTable:
    """A published table; UsageError if there is no such table."""
    source = sources().get(name)
    if source is None:
        raise UsageError(f"There is no published table '{name}': choose one of {', '.join(sources())}.")
    return PublishedTable(source, pl.read_csv(io.BytesIO((_data() / f"{name}.csv").read_bytes())))


def _data() -> Any:
    return resources.files("polympi.lab.published") / "data"
