"""Analyses made by hand, to say exactly what a sentence must be about."""

from pathlib import Path

import polars as pl
from synthetic import DEFAULT_CASES, SIZES, make_run

from polympi.lab.catalogue import FACE_MODES, face_bytes
from polympi.lab.records import Environment, LaunchRecord, Outcome, RunRecord, StackRun
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.model import SUMMARY_COLUMNS, Analysis

_TEXT = ("stack", "binding", "benchmark", "payload", "mode", "verdict", "stopped_by")
_WHOLE = ("size_bytes", "ranks", "launches", "samples", "outliers", "block")


def _schema(*columns: str) -> dict[str, type[pl.DataType]]:
    return {c: pl.String if c in _TEXT else pl.Int64 if c in _WHOLE else pl.Float64 for c in columns}


_SCHEMA = _schema(*SUMMARY_COLUMNS)
MEMORY_SCHEMA = _schema(
    "stack", "binding", "ranks", "launches", "pss_bytes", "pss_mean_bytes", "rss_bytes", "delta_to_c_bytes"
)
_MEDIANS_SCHEMA = _schema(
    "stack", "block", "binding", "benchmark", "mode", "payload", "size_bytes", "ranks", "median_ns"
)
# Every benchmark that a report treats in a way of its own.
RICH_CASES = [
    *DEFAULT_CASES,
    *[(b, "standard", "bytes", s) for b in ("bibandwidth", "stream") for s in SIZES[1:]],
    *[("faces", mode, "float64", face_bytes(edge)) for mode in FACE_MODES for edge in (34, 130)],
    ("latency", "standard", "int", 8),
    ("latency", "standard", "dict", 24),
    *[("latency", "standard", "array", s) for s in SIZES[1:]],
]


def summary_row(size=8, c_ns=800.0, delta=520.0, verdict="slower", **other):
    """A row of a binding that takes ``delta`` ns more than C; the interval is 1 % wide on both sides."""
    c_arm = other.get("binding") == "c"
    delta = 0.0 if c_arm else delta
    ns = c_ns + delta
    ratio = ns / c_ns
    row = dict.fromkeys(SUMMARY_COLUMNS) | {"stack": "mpich", "binding": "mpi4py", "benchmark": "latency"}
    row |= {"payload": "bytes", "mode": "standard", "size_bytes": size, "ranks": 2, "launches": 9, "samples": 27}
    row |= {"median_ns": ns, "ci_low_ns": ns * 0.99, "ci_high_ns": ns * 1.01, "confidence": 0.9609375, "outliers": 0}
    row |= {"p50_ns": ns, "p90_ns": ns * 1.1, "p99_ns": ns * 1.3, "p999_ns": ns * 2, "max_ns": ns * 9}
    row |= {"mb_per_s": 1000.0 * size / ns if size else None, "stopped_by": "fixed"}
    row["verdict"] = "reference" if c_arm else verdict
    if not c_arm:
        row |= {"delta_to_c_ns": delta, "delta_low_ns": delta - 10, "delta_high_ns": delta + 10, "p_value": 2 / 2**9}
        row |= {"ratio_to_c": ratio, "ratio_low": ratio * 0.99, "ratio_high": ratio * 1.01}
        row |= {"q_value": 0.04, "floor_ratio": 1.01}
    return row | other


def built_analysis(
    rows=(),
    *,
    bindings=("c", "c-again", "mpi4py"),
    profile="standard",
    ended="complete",
    launches=(),
    withdrawn=None,
    left_out=None,
    not_covered=None,
    memory=(),
    environment=None,
    languages=None,
    lines=None,
    sources=None,
):
    run = RunRecord(
        polympi="0.1.0",
        created="2026-01-02T03:04:05+00:00",
        command=["polympi", "run", "-o", "a directory"],
        profile=profile,
        seed=7,
        ranks=2,
        window=64,
        minimum_blocks=9 if profile == "quick" else 10,
        maximum_blocks=9 if profile == "quick" else 30,
        stacks=[
            StackRun(
                stack="mpich",
                library="MPICH Version: 5.0.2",
                bindings=list(bindings),
                left_out=left_out or {},
                not_covered=not_covered or {},
                languages=languages or {},
                lines=lines or {},
                sources=sources or {},
            )
        ],
    )
    outcome = Outcome(ended=ended, finished="", blocks={"mpich": 3}, withdrawn=withdrawn or {}) if ended else None
    return Analysis(
        run=run,
        environment=environment or Environment(),
        outcome=outcome,
        launches=list(launches),
        summary=pl.DataFrame(list(rows), schema=_SCHEMA),
        launch_medians=pl.DataFrame(schema=_MEDIANS_SCHEMA),
        memory=pl.DataFrame(list(memory), schema=MEMORY_SCHEMA, orient="row"),
        fits=[],
        overheads=[],
    )


def launch(number=0, binding="mpi4py", outcome="ok", **other):
    record = {"launch": number, "stack": "mpich", "block": 0, "position": 0, "binding": binding, "ranks": 2}
    return LaunchRecord(**(record | {"outcome": outcome} | other))


def rich_run(path: Path, **options) -> RunDirectory:
    return make_run(path, cases=RICH_CASES, **options)
