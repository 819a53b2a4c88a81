"""What a history of runs holds; the JSON of ``polympi history`` is made of it (``docs/results.md``)."""

import msgspec

from polympi.lab.statistics.comparison.model import Change


class Point(msgspec.Struct, frozen=True, kw_only=True):
    """A binding in a benchmark in one run."""

    run: int  # the number of the run in the history, from 1
    launches: int
    ratio: float  # to C, of the typical row: median over launches
    # `low` and `high`: its interval; None with too few launches for one
    low: float | None
    high: float | None


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """A binding in a benchmark over the runs."""

    stack: str  # with the processor, where processors alternate
    binding: str
    benchmark: str
    rows: int  # those that all runs of the series have
    points: list[Point]


class Step(Change, frozen=True, kw_only=True):
    """A change of a series: from all launches since the step before to those until the next one."""

    run: int  # the number of the first run with the change
    previous: int  # that of the run before it in the series
    # `runs_before` and `runs_after`: how many runs are compared
    runs_before: int
    runs_after: int


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Series, and their steps that are larger than the threshold and than noise."""

    threshold: float
    series: list[Series]
    steps: list[Step]  # in order of time
    looks: int  # how many tests of a boundary between runs the p-values are adjusted for
