"""What an analysis of a run holds; everything in it is computed from the stored samples."""

from dataclasses import dataclass, field

import polars as pl

from polympi.lab.demands import Demand
from polympi.lab.records import Environment, LaunchRecord, Outcome, RunRecord, ToolLaunch
from polympi.lab.statistics.factors import FactorRow
from polympi.lab.statistics.guidelines import Check
from polympi.lab.statistics.limits import LimitRow
from polympi.lab.statistics.scaling import ScalingRow
from polympi.lab.statistics.tools import ToolRow

# Relative residual beyond which a line doesn't describe its sizes: its slope would name a bandwidth that the
# measured times contradict by more than their noise ever does.
LARGEST_RESIDUAL = 0.25


@dataclass(frozen=True)
class Segment:
    """One protocol segment of ``t(m) = latency + m / bandwidth``."""

    # `first_size` and `last_size`: the sizes in bytes the segment was fitted over, both included
    first_size: int
    last_size: int
    latency_ns: float  # the intercept
    per_byte_ns: float  # the slope; 0 for a flat segment
    largest_residual: float  # largest relative residual, `|fitted - measured| / measured`

    @property
    def poor(self) -> bool:
        """Whether the times are not on the line: a residual is beyond :data:`LARGEST_RESIDUAL`."""
        return self.largest_residual > LARGEST_RESIDUAL

    @property
    def bandwidth_mb_per_s(self) -> float | None:
        """The bandwidth the slope stands for; None for a flat line, and where the times are not on a line."""
        if self.per_byte_ns <= 0 or self.poor:
            return None
        return 1000.0 / self.per_byte_ns


@dataclass(frozen=True)
class Fit:
    """The time of one binding over size, in protocol segments, breaks found."""

    stack: str
    binding: str
    benchmark: str
    mode: str
    payload: str
    segments: tuple[Segment, ...]
    sizes: tuple[int, ...]
    measured_ns: tuple[float, ...]
    fitted_ns: tuple[float, ...]


@dataclass(frozen=True)
class Overhead:
    """What a binding adds to C, ``delta(m) = per call + per byte * m``, with 95 % intervals over blocks."""

    stack: str
    binding: str
    benchmark: str
    mode: str
    payload: str
    per_call_ns: float
    per_call_low_ns: float
    per_call_high_ns: float
    per_byte_ns: float
    per_byte_low_ns: float
    per_byte_high_ns: float
    launches: int


@dataclass(frozen=True)
class Analysis:
    """A run, analysed."""

    run: RunRecord
    environment: Environment
    outcome: Outcome | None
    launches: list[LaunchRecord]
    summary: pl.DataFrame  # one row per stack, binding and case; columns as `summary.csv` in `docs/results.md`
    # `stack, block, binding, benchmark, mode, payload, size_bytes, ranks, median_ns`; time of one operation, the median
    # of a launch's batches. What all inference stands on.
    launch_medians: pl.DataFrame
    # `stack, binding, ranks, launches, pss_bytes, pss_mean_bytes, rss_bytes, delta_to_c_bytes` (of PSS), medians over
    # launches.
    memory: pl.DataFrame
    fits: list[Fit]  # of every row family with at least four sizes
    # Of every binding but the reference, where at least six blocks have at least four sizes of both.
    overheads: list[Overhead]
    tools: list[ToolRow] = field(default_factory=list)  # third-party tools compared with C, one row per size
    tool_launches: list[ToolLaunch] = field(default_factory=list)  # their launches that count
    # How applications scale, where the run has several numbers of ranks.
    scaling: list[ScalingRow] = field(default_factory=list)
    # What applications reach of what memory allows, where both were measured.
    limits: list[LimitRow] = field(default_factory=list)
    # What settings, placements and other stacks cost, where the run compares any.
    factors: list[FactorRow] = field(default_factory=list)
    guidelines: list[Check] = field(default_factory=list)  # the performance guidelines that the run can check
    demands: list[Demand] = field(default_factory=list)  # what arms ask of MPI, where it was recorded
    # Numbers of the lines of `launches.jsonl` that cannot be read, from 1.
    damaged_lines: list[int] = field(default_factory=list)
    # Names of other files of the result directory that cannot be read.
    damaged_files: list[str] = field(default_factory=list)
    about: str = ""  # the binding that it was reduced to; empty for all

    @property
    def partial(self) -> bool:
        """Whether the run ended before all it planned was measured."""
        return self.outcome is None or self.outcome.ended != "complete"


SUMMARY_COLUMNS = (
    *("stack", "binding", "benchmark", "payload", "mode", "size_bytes", "ranks", "launches"),
    *("median_ns", "ci_low_ns", "ci_high_ns", "confidence"),
    *("delta_to_c_ns", "delta_low_ns", "delta_high_ns", "ratio_to_c", "ratio_low", "ratio_high"),
    *("p_value", "q_value", "floor_ratio", "mb_per_s"),
    *("p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns", "samples", "outliers", "verdict", "stopped_by"),
)
