"""The key of a row of a run's table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from polympi.lab.records import LaunchRecord


@dataclass(frozen=True, order=True)
class RowKey:
    """What a row is about; the fields are the columns :data:`operations.ROW`."""

    stack: str
    binding: str
    benchmark: str
    mode: str
    payload: str
    size_bytes: int
    ranks: int

    def of(self, binding: str) -> RowKey:
        """The row of another binding for the same case."""
        return replace(self, binding=binding)


def invalid_rows(launches: Iterable[LaunchRecord]) -> set[RowKey]:
    """The rows of which a validation failed in any launch, also if the launch failed later."""
    rows = set()
    for record in launches:
        for refusal in record.invalid:
            benchmark, mode, payload, size = refusal.case.split("/")
            rows.add(RowKey(record.stack, record.binding, benchmark, mode, payload, int(size), record.ranks))
    return rows
