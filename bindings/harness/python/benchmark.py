"""A row of the catalogue, as the Python harness has it."""

from __future__ import annotations

from typing import NamedTuple


class Benchmark(NamedTuple):
    """What can be measured: a line of ``catalogue.toml``."""

    kind: str  # which ranks participate, and how it is timed
    modes: tuple[str, ...]  # the main one first
    payloads: tuple[str, ...]  # likewise
    sends: tuple[str | int, str | int]  # messages of rank 0 and of another rank
    gets: tuple[str | int, str | int]  # likewise
    origin: str  # who made what arrives
    shape: str  # how a message lies in memory
    call: str  # of a collective or an access in MPI, without MPI_
    dimensions: int  # of the arrays of an application
