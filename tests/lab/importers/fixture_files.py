"""Shorthands for the tests of the importers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from polympi.lab.importers import Imported, import_file

FIXTURES = Path(__file__).parent / "fixtures"


def read(name: str) -> Imported:
    """A fixture, imported."""
    return import_file(FIXTURES / name)


def row(imported: Imported, **wanted: Any) -> dict[str, Any]:
    """The one row with these values."""
    found = imported.rows.filter(*[pl.col(k) == v for k, v in wanted.items()])
    assert found.height == 1, found
    return found.row(0, named=True)
