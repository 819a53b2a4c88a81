"""What a run reports to its watcher."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from polympi.lab.records import Finding, LaunchRecord


@dataclass
class Progress:
    """Where a run stands."""

    stack: str = ""  # the stack in progress
    block: int | None = None  # block in progress, from 0; None while calibrating
    blocks: int = 0  # how many blocks there will be, at most
    binding: str = ""  # the binding in progress
    benchmarks: Mapping[str, int] = field(default_factory=dict)  # how many cases it measures, by benchmark
    seconds_left: float | None = None  # an estimate, at most; None before the first block is done
    # So far, by stack and binding: for each benchmark the geometric mean over its cases of the ratio to C.
    ratios: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)  # launches that failed so far, a sentence each


class Watcher:
    """Gets a report of every step; this one says nothing."""

    def reported(self, text: str) -> None:
        """Something is done before the first launch: a sentence without its stop."""

    def found(self, finding: Finding) -> None:
        """This machine does something to the figures."""

    def launching(self, progress: Progress) -> None:
        """A launch begins."""

    def tick(self, progress: Progress) -> None:
        """About a second has passed in a launch."""

    def launched(self, progress: Progress, record: LaunchRecord) -> None:
        """A launch has ended, well or not."""
