"""Every shipped binding runs every case that its manifest covers, and what arrives is what was sent.

A binding is launched once per stack and number of ranks, and one test looks at all that the launch left.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import pytest
from c_program import read_strictly
from every_case import SMALLEST_FACE, SMALLEST_HALO, all_cases
from selection import STACKS
from sharing import MPICH_SLEEPS

from polympi.lab.bindings.build import build, why_not_ready
from polympi.lab.bindings.given import missing_sources
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import BENCHMARKS, FIXED_SIZES, Benchmark, Case
from polympi.lab.demand.payload import payload_difference
from polympi.lab.demand.record import record_demands, recordable
from polympi.lab.demands import Demand
from polympi.lab.launch.launcher import Arm, Launched, Place, Setting, launch
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.stack import Stack

# By ranks. Each message waits for a turn on busy processors, so there are few where there are many cases. Three ranks
# show that a program makes several batches and times several events.
COUNTS = {
    2: {"warmup": 1, "batches": 1, "iterations": 2, "events": 1},
    3: {"warmup": 1, "batches": 2, "iterations": 2, "events": 3},
}
# Bindings whose sources nobody has given to the tests' home are not tested (polympi source add).
SHIPPED = {name: binding for name, binding in load_bindings().items() if not missing_sources(binding)}
# The thread levels of bindings that choose one by themselves; the others take what their language's library does.
LEVELS = {
    "c": "single",
    "c-again": "single",
    "c-multiple": "multiple",
    "c-spin": "multiple",
    "c-pages": "single",
    "c-pack": "single",
    "c-unacknowledged": "single",
    "mpl": "multiple",
    "mpi4py": "multiple",
    "mpi4py-object": "multiple",
    "mpi4py-pkl5": "multiple",
    "mpi4py-accelerated": "multiple",
    "mpi4py-accelerated-object": "multiple",
    "polympi": "serialized",
    "polympi-object": "serialized",
    **dict.fromkeys(("pypar", "pympi", "mympi", "scientific", "boostmpi-compat"), "serialized"),
}
# Bindings that cannot run what they do not cover. Others could, but it would tell nothing new.
REFUSING = [name for name in SHIPPED if name not in ("c", "c-again", "c-multiple", "c-pages")]


def _ranks(stack: str, name: str) -> tuple[int, ...]:
    """Of the launches of a binding on a library.

    Three ranks, which outnumber processors and take long, show that a program knows of more than two: C's does on both
    libraries, every other on the first that it runs on. The second launch of C differs in its name only.
    """
    possible = [one for one in STACKS if SHIPPED[name].runs_on(one, one)]
    return (2, 3) if name == "c" or (possible[0] == stack and name != "c-again") else (2,)


LAUNCHES = [
    pytest.param(stack, name, ranks, marks=[pytest.mark.slow] if ranks > 2 and name != "c" else [])
    for stack in STACKS
    for name in SHIPPED
    for ranks in _ranks(stack, name)
]
FEW_SIZES = (8, *FIXED_SIZES.values(), SMALLEST_FACE, SMALLEST_HALO)


@dataclass(frozen=True)
class Conformed:
    """A launch of a binding on two ranks with all its cases and some that it must refuse, or on three with fewer."""

    covered: dict[int, PlannedCase]
    refused: dict[int, PlannedCase]
    ranks: int
    launched: Launched
    text: str  # the samples as they were written


Conform = Callable[[Stack, str, int], Conformed]


def _covered(name: str, ranks: int) -> list[Case]:
    covered = [case for case in all_cases() if SHIPPED[name].why_not(case) is None]
    if ranks == 2:
        return covered
    # A third rank only waits while two exchange messages: a few such cases show that. Of others, one size on each side
    # of the switch to rendezvous shows where each rank's part belongs.
    return [
        c
        for c in covered
        if (BENCHMARKS[c.benchmark].kind != "pair" and (c.payload in FIXED_SIZES or c.size_bytes not in (0, 8)))
        or (c.mode, c.size_bytes) == ("standard", 24)
        or (c.benchmark, c.size_bytes) in [("faces", SMALLEST_FACE), ("halo", SMALLEST_HALO)]
    ]


def _refused(name: str, ranks: int) -> list[Case]:
    if ranks != 2 or name not in REFUSING:
        return []
    return [c for c in all_cases() if SHIPPED[name].why_not(c) is not None and c.size_bytes in FEW_SIZES]


def _plan(first: int, cases: list[Case], ranks: int) -> dict[int, PlannedCase]:
    return {
        number: PlannedCase(
            benchmark=c.benchmark, mode=c.mode, payload=c.payload, size_bytes=c.size_bytes, **COUNTS[ranks]
        )
        for number, c in enumerate(cases, first)
    }


def patient(stack: Stack) -> Stack:
    """The stack for oversubscribed ranks: three of Java on two processors take 18 s, and 145 s on MPICH without it."""
    return msgspec.structs.replace(stack, environment=MPICH_SLEEPS | stack.environment)


@pytest.fixture(scope="module")
def conform(tmp_path_factory: pytest.TempPathFactory) -> Conform:
    """The launch of a binding on a number of ranks of a stack; it is made when it is first asked for."""
    made: dict[tuple[str, str, int], Conformed] = {}

    def launched(stack: Stack, name: str, ranks: int) -> Conformed:
        if missing := why_not_ready(SHIPPED[name], stack):
            pytest.skip(missing)
        if (stack.name, name, ranks) not in made:
            covered = _plan(0, _covered(name, ranks), ranks)
            refused = _plan(len(covered), _refused(name, ranks), ranks)
            folder = tmp_path_factory.mktemp("launch")
            processors = len(os.sched_getaffinity(0))
            setting = Setting(ranks, None, processors, folder)
            arm = Arm(SHIPPED[name], build(SHIPPED[name], stack))
            place = patient(stack) if ranks > processors else stack
            done = launch(Place(0, 0), arm, place, covered | refused, setting, timeout_s=300)
            written = folder / "samples.txt"
            text = written.read_text(errors="replace") if written.is_file() else ""
            made[stack.name, name, ranks] = Conformed(covered, refused, ranks, done, text)
        return made[stack.name, name, ranks]

    return launched


def test_no_benchmark_mode_or_payload_is_left_out_here() -> None:
    assert {case.pattern for case in all_cases()} == {
        Case(b.name, mode, payload, 0).pattern
        for b in BENCHMARKS.values()
        if not b.launch_figure
        for mode in b.modes
        for payload in b.payloads
    }


def rows(benchmark: Benchmark, ranks: int) -> int:
    """The samples of a case: times of batches and events, and of an application that exchanges, its communication."""
    communicates = benchmark.application and benchmark.kind != "joint"
    return COUNTS[ranks]["batches"] * (1 + communicates) + COUNTS[ranks]["events"]


def _wrong_cases(done: Conformed) -> dict[int, object]:
    """The cases that were not validated, skipped or timed as they should be, and what was found instead."""
    samples = done.launched.samples
    wrong: dict[int, object] = {}
    for number, case in done.covered.items():
        times = [*samples.batches.get(number, ()), *samples.events.get(number, ())]
        count = len(times) + len(samples.communication.get(number, ()))
        if number not in samples.valid or count != rows(BENCHMARKS[case.benchmark], done.ranks) or min(times) <= 0:
            wrong[number] = case, samples.invalid.get(number) or samples.skipped.get(number), count, times
    for number, case in done.refused.items():
        if not samples.skipped.get(number):
            wrong[number] = case, "not skipped with a reason"
    return wrong


def _header(done: Conformed, name: str, stack: Stack) -> dict[str, bool]:
    """What the record and the header of the samples must report of the launch, each by a name."""
    record, found = done.launched.record, done.launched.samples
    return {
        "binding": found.binding == name,
        "threads": found.threads == record.threads == LEVELS.get(name, found.threads),
        "thread level": found.threads in ("single", "funneled", "serialized", "multiple"),
        "ranks": found.ranks == record.ranks,
        "library": {"mpich": "MPICH Version: ", "openmpi": "Open MPI v"}[stack.family] in found.library,
        "host": bool(found.host),
        "clock": found.clock_resolution_ns >= 1 and 1 < found.clock_cost_ns < 100_000 and found.clock_error_ns == 0,
        "start-up": min(found.ready_ns, found.init_ns) > 0 and 0 < (record.ready_ns or 0) < record.wall_ns,
        "import": (found.import_ns > 0) == (SHIPPED[name].language == "Python"),
        "memory": 0 < found.pss_bytes <= found.rss_bytes and 0 <= found.huge_bytes <= found.buffer_bytes,
        "cost of a start": 0 < found.start_cost_ns < 10_000_000,
    }


@pytest.mark.parametrize(("stack", "name", "ranks"), LAUNCHES, indirect=["stack"])
def test_a_launch_conforms(conform: Conform, stack: Stack, name: str, ranks: int) -> None:
    done = conform(stack, name, ranks)
    record, samples = done.launched.record, done.launched.samples
    assert record.outcome == "ok", f"{record.detail}\n{record.stderr_tail}"
    assert _wrong_cases(done) == {}
    assert (samples.valid, set(samples.skipped)) == (set(done.covered), set(done.refused))
    assert done.launched.frame.height == sum(rows(BENCHMARKS[case.benchmark], ranks) for case in done.covered.values())
    assert [fact for fact, holds in _header(done, name, stack).items() if not holds] == []
    strictly = read_strictly(done.text)
    assert (strictly.ended, strictly.header["binding"], strictly.header["threads"]) == (True, name, samples.threads)
    if ranks == 2 and name in REFUSING:
        few = name in ("c-spin", "c-pack", "c-unacknowledged")
        assert len({case.benchmark for case in done.refused.values()}) >= (8 if few else 1)


Demands = Callable[[Stack, str], dict[Case, Demand]]
# What cannot be recorded, and why: MPICH's library for Fortran's mpi_f08 is static, and its calls go to the inside of
# libmpi. Java is left out, which would take a minute: its runtime is warmed up by more calls than a timeline holds.
UNRECORDED = {("mpich", "fortran-f08"): "it is linked statically"}
RECORDED = [name for name in SHIPPED if name not in ("c", "java")]


@pytest.fixture(scope="module")
def demands(tmp_path_factory: pytest.TempPathFactory) -> Demands:
    """What a binding asks of MPI in all cases that it covers, on two ranks; recorded when it is first asked for."""
    made: dict[tuple[str, str], dict[Case, Demand]] = {}

    def recorded(stack: Stack, name: str) -> dict[Case, Demand]:
        if missing := why_not_ready(SHIPPED[name], stack):
            pytest.skip(missing)
        if (stack.name, name) not in made:
            arm, setting = (
                Arm(SHIPPED[name], build(SHIPPED[name], stack)),
                Setting(2, None, 2, tmp_path_factory.mktemp("d")),
            )
            done = record_demands(Place(0), arm, stack, _covered(name, 2), setting, timeout_s=300)
            assert UNRECORDED.get((stack.name, name), "") in done.problem
            assert (done.problem == "") == ((stack.name, name) not in UNRECORDED)
            made[stack.name, name] = {demand.case: demand for demand in done.demands}
        return made[stack.name, name]

    return recorded


@pytest.mark.parametrize(
    ("stack", "name"), [(stack, name) for stack in STACKS for name in RECORDED], indirect=["stack"]
)
def test_an_arm_moves_the_same_payload_as_c(demands: Demands, stack: Stack, name: str) -> None:
    found, of_c = demands(stack, name), demands(stack, "c")
    assert list(found) == ([] if (stack.name, name) in UNRECORDED else recordable(_covered(name, 2)))
    differences = {str(case): payload_difference(of_c[case], demand) for case, demand in found.items()}
    assert {case: words for case, words in differences.items() if words} == {}


@pytest.mark.parametrize(("name", "start"), [("mpi4py", "import mpi4py.MPI"), ("polympi", "from polympi import world")])
def test_numpy_is_not_in_the_memory_of_the_binding(conform: Conform, mpich: Stack, name: str, start: str) -> None:
    built = build(SHIPPED[name], mpich)
    code = f"{start}; import numpy; print(open('/proc/self/smaps_rollup').read())"
    printed = subprocess.run(
        [mpich.python, "-c", code], cwd=built, env=mpich.variables(), capture_output=True, text=True, check=True
    ).stdout
    with_numpy = next(int(line.split()[1]) * 1024 for line in printed.splitlines() if line.startswith("Rss:"))
    assert conform(mpich, name, 2).launched.samples.rss_bytes < with_numpy
