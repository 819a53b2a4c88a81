"""A comparison of two runs as JSON, for programs (``docs/results.md``)."""

from __future__ import annotations

from typing import Final

import msgspec

from polympi.lab.statistics.comparison.model import GroupChange, RowChange

DIFF_FORMAT: Final = 1  # raised when a reader of the old form would misread the new one


class DiffDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What ``polympi diff --json`` writes.

    Attributes:
        format: version of this form.
        before, after: the directories, as given.
        exit_code: of the command: 0 nothing slower, 1 slower, 2 not comparable, 3 unknown.
        answer: the answer in one sentence; of runs that are not comparable, why they are not.
        absolute: times were judged, not ratios to C.
        threshold: the smallest relative change that counts.
        groups: the groups; empty if the runs are not comparable.
        rows: the rows of the groups.
    """

    format: int = DIFF_FORMAT
    before: str
    after: str
    exit_code: int
    answer: str
    absolute: bool
    threshold: float
    groups: list[GroupChange] = []
    rows: list[RowChange] = []


def render_json(document: DiffDocument) -> str:
    """The document as indented JSON, with a line break at its end."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
