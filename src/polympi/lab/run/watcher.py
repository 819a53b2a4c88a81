"""What a run reports to its watcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from polympi.lab.records import Finding, LaunchRecord


@dataclass
class Progress:
    """Where a run stands.

    Attributes:
        stack: the stack in progress.
        block: block in progress, from 0; None while calibrating.
        blocks: how many blocks there will be, at most.
        binding: the binding in progress.
        benchmarks: how many cases it measures, by benchmark.
        seconds_left: an estimate, at most; None before the first block is done.
        ratios: so far, by stack and binding: for each benchmark the geometric mean over its cases of the ratio to C.
        failures: launches that failed so far, a sentence each.
    """

    stack: str = ""
    block: int | None = None
    blocks: int = 0
    binding: str = ""
    benchmarks: Mapping[str, int] = field(default_factory=dict)
    seconds_left: float | None = None
    ratios: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


class Watcher:
    """Told of every step; this one says nothing."""

    def told(self, text: str) -> None:
        """Something is done before the first launch: a sentence without its stop."""

    def found(self, finding: Finding) -> None:
        """This machine does something to the figures."""

    def launching(self, progress: Progress) -> None:
        """A launch begins."""

    def tick(self, progress: Progress) -> None:
        """About a second has passed in a launch."""

    def launched(self, progress: Progress, record: LaunchRecord) -> None:
        """A launch has ended, well or not."""
