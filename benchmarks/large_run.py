"""A result directory of ten million samples: made-up times in the shape of a run to publish.

python benchmarks/large_run.py make DIR       writes it
python benchmarks/large_run.py analyse DIR    analyses it, and makes sure that all of it was read
"""

import sys
from pathlib import Path

import numpy as np
import polars as pl

from polympi.lab.catalogue import BENCHMARKS, WINDOW
from polympi.lab.records import SAMPLE_SCHEMA, Environment, LaunchRecord, Outcome, PlannedCase, RunRecord, StackRun
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse as analyse_run

SAMPLES = 10_000_000
STACK = "mpich"
BINDINGS = ("c", "c-again", "mpi4py", "mpi4py-object", "mpi4py-pkl5")
BLOCKS = 30
BATCHES = 10
ITERATIONS = 1000
CASES = [
    (name, size)
    for name in ("latency", "bandwidth", "bibandwidth", "stream")
    for size in (0, *(2**k for k in range(23)))
]
# So that the samples of all launches and cases come to SAMPLES or a little more.
EVENTS = -(-SAMPLES // (BLOCKS * len(BINDINGS) * len(CASES))) - BATCHES


def make(path: Path) -> None:
    """Write the directory."""
    directory = RunDirectory.create(path, _run(), Environment(metadata={"cpu": {"model": "made up", "logical": 2}}))
    random = np.random.default_rng(1)
    rows = _true_times()
    for launch in range(BLOCKS * len(BINDINGS)):
        record = _record(launch)
        noise = pl.Series(np.exp(random.normal(0.1 * record.position, 0.05, len(rows))))
        constants = {k: pl.lit(getattr(record, k)) for k in ("stack", "block", "launch", "binding", "ranks")}
        time = (pl.col("true_ns") * pl.col("iterations") * noise).round().cast(pl.Int64)
        directory.append_launch(record, rows.with_columns(time_ns=time, **constants).select(list(SAMPLE_SCHEMA)))
    directory.write_outcome(Outcome(ended="complete", finished="2026-01-01T01:00:00+00:00", blocks={STACK: BLOCKS}))


def analyse(path: Path) -> None:
    """Analyse the directory."""
    summary = analyse_run(RunDirectory.open(path)).summary
    if summary.is_empty() or summary["launches"].min() != BLOCKS:
        sys.exit("The analysis did not see every launch.")


def _run() -> RunRecord:
    counts = {"warmup": 100, "batches": BATCHES, "iterations": ITERATIONS, "events": EVENTS}
    planned = [
        PlannedCase(benchmark=name, mode="standard", payload="bytes", size_bytes=size, **counts) for name, size in CASES
    ]
    return RunRecord(
        polympi="benchmark",
        created="2026-01-01T00:00:00+00:00",
        profile="publish",
        seed=1,
        ranks=2,
        window=WINDOW,
        minimum_blocks=BLOCKS,
        maximum_blocks=BLOCKS,
        stacks=[StackRun(stack=STACK, bindings=list(BINDINGS), cases=planned)],
    )


def _true_times() -> pl.DataFrame:
    """The samples of one launch, but for the noise and what names the launch."""
    cases = pl.DataFrame(
        {
            "benchmark": [name for name, _ in CASES],
            "mode": "standard",
            "payload": "bytes",
            "size_bytes": [size for _, size in CASES],
            "true_ns": [(800 + size / 12) * BENCHMARKS[name].operations("standard") for name, size in CASES],
        }
    )
    kinds = ["batch"] * BATCHES + ["event"] * EVENTS
    samples = pl.DataFrame({"kind": kinds, "iterations": [ITERATIONS if k == "batch" else 1 for k in kinds]})
    return cases.join(samples, how="cross")


def _record(launch: int) -> LaunchRecord:
    block, position = divmod(launch, len(BINDINGS))
    return LaunchRecord(
        launch=launch,
        stack=STACK,
        block=block,
        position=position,
        binding=BINDINGS[position],
        ranks=2,
        outcome="ok",
        exit_code=0,
        ready_ns=300_000_000,
        init_ns=40_000_000,
        pss_bytes=20_000_000,
        rss_bytes=30_000_000,
        clock_cost_ns=25.0,
    )


if __name__ == "__main__":
    {"make": make, "analyse": analyse}[sys.argv[1]](Path(sys.argv[2]))
