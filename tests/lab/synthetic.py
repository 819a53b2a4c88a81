"""Result directories made of known effects, to test statistics and reports without an MPI."""

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from polympi.lab.catalogue import BENCHMARKS, WINDOW
from polympi.lab.records import (
    SAMPLE_SCHEMA,
    CodeLines,
    Environment,
    Launching,
    LaunchRecord,
    Level,
    Outcome,
    PlannedCase,
    RunRecord,
    StackRun,
)
from polympi.lab.samples.store import RunDirectory

SIZES = [0, 8, 64, 1024, 8192, 65536, 2**20, 2**22]
# Per call (ns), per byte (ns), factor on C; a plausible shape, not a measurement.
EFFECTS = {
    "c": (0.0, 0.0, 1.0),
    "c-again": (0.0, 0.0, 1.0),
    "mpi4py": (520.0, 0.0, 1.0),
    "mpi4py-object": (1400.0, 0.35, 1.0),
}
LANGUAGES = {"c": "C", "c-again": "C", "mpi4py": "Python", "mpi4py-object": "Python"}
DEFAULT_CASES = [
    *[("latency", "standard", "bytes", s) for s in SIZES],
    *[("latency", m, "bytes", 8) for m in ("synchronous", "buffered", "ready", "standard-nonblocking")],
    *[("bandwidth", "standard", "bytes", s) for s in SIZES[1:]],
    ("barrier", "standard", "none", 0),
    *[("allreduce", "standard", "float64", s) for s in SIZES[1:7]],
]


def c_time_ns(size_bytes: int) -> float:
    """Time of one message in the made-up stack: 800 ns and 12 GB/s, with a rendezvous step from 64 KiB on."""
    return 800.0 + size_bytes / 12.0 + (4000.0 if size_bytes >= 65536 else 0.0)


OF_LAUNCH: dict[str, Any] = {"ranks": 2, "outcome": "ok", "exit_code": 0, "wall_ns": 2 * 10**9, "ready_ns": 3 * 10**8}
OF_LAUNCH |= {"init_ns": 40_000_000, "clock_resolution_ns": 1, "clock_cost_ns": 25.0, "host": "synthetic"}
OF_COMPILED = OF_LAUNCH | {"pss_bytes": 20_000_000, "pss_mean_bytes": 19_000_000, "rss_bytes": 30_000_000}
OF_COMPILED |= {"import_ns": 0, "threads": "single"}
OF_PYTHON = OF_LAUNCH | {"pss_bytes": 30_000_000, "pss_mean_bytes": 29_000_000, "rss_bytes": 40_000_000}
OF_PYTHON |= {"import_ns": 50_000_000, "threads": "multiple"}

_kept: dict[str, Path] = {}  # runs by their options: what is asked for again is copied, which takes far less time


def make_run(path: Path, **options: Any) -> RunDirectory:
    """Write a result directory; the options are those of :func:`_make_run`."""
    key = repr(sorted(options.items()))
    if key not in _kept:
        folder = Path(tempfile.mkdtemp(prefix="polympi-synthetic-"))
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        _make_run(folder / "run", **options)
        _kept[key] = folder / "run"
    shutil.copytree(_kept[key], path)
    return RunDirectory.open(path)


def _make_run(
    path: Path,
    *,
    seed: int = 1,
    stacks: tuple[str, ...] = ("mpich",),
    blocks: int = 9,
    batches: int = 3,
    events: int = 50,
    cases: list[tuple[str, str, str, int]] | None = None,
    effects: dict[str, tuple[float, float, float]] | None = None,
    drift: float = 0.1,
    noise: float = 0.01,
    ended: str = "complete",
    hostfile: str | None = None,
    by_network: bool = False,
    profile: str = "quick",
    languages: dict[str, str] | None = None,
    chosen: list[str] | None = None,
    usual: list[str] | None = None,
    study: str = "",
    lacks: dict[str, list[str]] | None = None,
    lines: dict[str, CodeLines] | None = None,
    left_out: dict[str, str] | None = None,
    levels: dict[str, tuple[float, float, float]] | None = None,
) -> None:
    """Write a result directory in which every block drifts as a whole and every launch has its own noise.

    Some bindings may lack cases with some payloads. At each of the levels, beside the base, all bindings take so much
    longer: a call (ns), a byte (ns), and a factor.
    """
    random = np.random.default_rng(seed)
    cases = DEFAULT_CASES if cases is None else cases
    effects = EFFECTS if effects is None else effects
    planned = [
        PlannedCase(
            benchmark=b, mode=m, payload=p, size_bytes=s, warmup=100, batches=batches, iterations=1000, events=events
        )
        for b, m, p, s in cases
    ]
    at_levels = {"": (0.0, 0.0, 1.0), **(levels or {})}
    run = RunRecord(
        polympi="0.1.0",
        created="2026-01-02T03:04:05+00:00",
        command=["polympi", "run"],
        profile=profile,
        seed=seed,
        ranks=2,
        hostfile=hostfile,
        launching=Launching(by_network=by_network),
        window=WINDOW,
        minimum_blocks=blocks,
        maximum_blocks=blocks,
        stacks=[
            StackRun(
                stack=_name(stack, level),
                installed=stack if level else "",
                level=level,
                library=f"{stack} 1.0",
                bindings=list(effects),
                languages={b: (languages or LANGUAGES).get(b, "C") for b in effects},
                cases=planned,
                lines=lines or {},
                left_out=left_out or {},
            )
            for stack in stacks
            for level in at_levels
        ],
        levels=[Level(factor="setting" if level else "", name=level) for level in at_levels] if levels else [],
        chosen=chosen or [],
        usual=usual or [],
        study=study,
    )
    directory = RunDirectory.create(path, run, Environment(metadata={"cpu": {"model": "Synthetic", "logical": 2}}))
    launch = 0
    for stack in stacks:
        for block in range(blocks):
            weather = np.exp(random.normal(0.0, drift))
            arms = [(level, binding) for level in at_levels for binding in effects]
            for position, (level, binding) in enumerate(arms):
                covered = [case for case in planned if case.payload not in (lacks or {}).get(binding, [])]
                rows = _launch_rows(random, covered, _together(effects[binding], at_levels[level]), weather, noise)
                frame = pl.DataFrame(rows).with_columns(
                    stack=pl.lit(_name(stack, level)),
                    block=pl.lit(block),
                    launch=pl.lit(launch),
                    binding=pl.lit(binding),
                    ranks=pl.lit(2),
                )
                record = LaunchRecord(
                    launch=launch,
                    stack=_name(stack, level),
                    block=block,
                    position=position,
                    binding=binding,
                    library=f"{stack} 1.0",
                    **(OF_COMPILED if binding.startswith("c") else OF_PYTHON),
                )
                directory.append_launch(record, frame.select(list(SAMPLE_SCHEMA)))
                launch += 1
    directory.write_outcome(
        Outcome(
            ended=ended,
            finished="2026-01-02T03:05:05+00:00",
            blocks={_name(stack, level): blocks for stack in stacks for level in at_levels},
        )
    )


def _name(stack: str, level: str) -> str:
    return f"{stack}, {level}" if level else stack


def _together(effect: tuple[float, float, float], level: tuple[float, float, float]) -> tuple[float, float, float]:
    return effect[0] + level[0], effect[1] + level[1], effect[2] * level[2]


def _launch_rows(
    random: np.random.Generator,
    planned: list[PlannedCase],
    effect: tuple[float, float, float],
    weather: float,
    noise: float,
) -> dict[str, list[object]]:
    per_call, per_byte, factor = effect
    rows: dict[str, list[object]] = {
        k: [] for k in ("benchmark", "mode", "payload", "size_bytes", "kind", "iterations", "time_ns")
    }
    for case in planned:
        operations = BENCHMARKS[case.benchmark].operations(case.mode)
        true = (c_time_ns(case.size_bytes) * factor + per_call + per_byte * case.size_bytes) * operations
        launch_level = true * weather * np.exp(random.normal(0.0, noise))
        batch = launch_level * case.iterations * np.exp(random.normal(0.0, noise / 3, case.batches))
        event = launch_level * np.exp(np.abs(random.normal(0.0, 0.1, case.events))) + 25.0
        for kind, iterations, times in (("batch", case.iterations, batch), ("event", 1, event)):
            count = len(times)
            same = (case.benchmark, case.mode, case.payload, case.size_bytes, kind, iterations)
            for column, value in zip(rows, same, strict=False):
                rows[column] += [value] * count
            rows["time_ns"] += [round(t) for t in times]
    return rows


# Twenty bindings of nine languages, and the arms of C, in the order in which a run of all takes them.
TWENTY_LANGUAGES = {
    "boost": "C++", "boost-datatype": "C++", "boost-serialized": "C++", "boost-python": "Python", "csharp": "C#",
    "csharp-mono": "C#", "cxx": "C++", "cxx-datatype": "C++", "fortran-f08": "Fortran", "fortran-mpi": "Fortran",
    "go": "Go", "java": "Java", "mpi4py": "Python", "mpi4py-object": "Python", "mpi4py-pkl5": "Python",
    "numba-mpi": "Python", "polympi": "Python", "polympi-object": "Python", "rmpi": "R", "rust": "Rust",
}  # fmt: skip
TWENTY_USUAL = ["mpi4py", "mpi4py-object", "polympi", "polympi-object", "c-multiple", "c-spin", "c-pages"]
_TWENTY_COSTS = {
    "boost": 30.0, "boost-datatype": 60.0, "boost-serialized": 900.0, "boost-python": 6000.0, "csharp": 70.0,
    "csharp-mono": 140.0, "cxx": 0.0, "cxx-datatype": 25.0, "fortran-f08": 0.0, "fortran-mpi": 0.0, "go": 110.0,
    "java": 190.0, "mpi4py": 520.0, "mpi4py-object": 1400.0, "mpi4py-pkl5": 4000.0, "numba-mpi": 15.0,
    "polympi": 160.0, "polympi-object": 280.0, "rmpi": 5200.0, "rust": 0.0,
}  # fmt: skip


def twenty(path: Path, **options: Any) -> RunDirectory:
    """A run of twenty bindings of nine languages; the costs are made up."""
    again, arms_of_c = ("c", "c-again"), ("c-multiple", "c-spin", "c-pages")
    per_byte = {"mpi4py-object": 0.35, "rmpi": 0.5, "boost-serialized": 0.2, "mpi4py-pkl5": 0.05}
    effects = dict.fromkeys(again, (0.0, 0.0, 1.0))
    effects |= {name: (cost, per_byte.get(name, 0.0), 1.0) for name, cost in _TWENTY_COSTS.items()}
    effects |= dict.fromkeys(arms_of_c, (40.0, 0.0, 1.0))
    languages = TWENTY_LANGUAGES | dict.fromkeys((*again, *arms_of_c), "C")
    return make_run(path, effects=effects, languages=languages, usual=TWENTY_USUAL, **options)
