"""Shorthands for the tests of the importers."""

import hashlib
from pathlib import Path
from typing import Any

import polars as pl

from polympi.lab.importers import Imported, import_file

FIXTURES = Path(__file__).parent / "fixtures"
OUTPUTS = sorted(p.name for p in FIXTURES.iterdir() if p.suffix in {".txt", ".out"} and "terminal" not in p.name)


def read(name: str) -> Imported:
    return import_file(FIXTURES / name)


def row(imported: Imported, **wanted: Any) -> dict[str, Any]:
    found = imported.rows.filter(*[pl.col(k) == v for k, v in wanted.items()])
    assert found.height == 1, found
    return found.row(0, named=True)


def content_of(name: str) -> str:
    """What tells the content of a fixture from others: the first 16 digits of its SHA-256."""
    return hashlib.sha256((FIXTURES / name).read_bytes()).hexdigest()[:16]
