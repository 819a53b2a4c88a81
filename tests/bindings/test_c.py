"""The reference program keeps the protocol of docs/protocol.md, on both stacks and in every case it knows."""

from __future__ import annotations

import os
import re
import shlex
import struct
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from polympi.lab.bindings.build import build, program_command
from polympi.lab.bindings.manifest import load_bindings, shipped_folder
from polympi.lab.catalogue import BENCHMARKS, FACE_MODES, FIXED_SIZES, Case, face_bytes
from polympi.lab.launch.command import mpiexec_command
from polympi.lab.launch.process import Ended, run_tree
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.mpi

HERE = Path(__file__).parent
SOURCES = shipped_folder() / "c"
START = shipped_folder() / "common_start"
WINDOW = 3
COUNTS = "2 2 3 4"  # warm-up, batches, iterations, events
BATCHES, EVENTS = 2, 4
TIMEOUT_S = 60.0
_HUGE = Path("/sys/kernel/mm/transparent_hugepage/enabled")
_GIVEN = re.search(r"\[(\w+)\]", _HUGE.read_text()) if _HUGE.is_file() else None
HUGE_PAGES = _GIVEN[1] if _GIVEN else "never"  # to whom the kernel gives them: always, madvise, never
FACES = [face_bytes(edge) for edge in (2, 7, 130)]
HEADER = (
    r"polympi-samples 2",
    r"binding (?P<binding>\S+)",
    r"mpi (?P<library>\S+( \S+)*)",
    r"ranks (?P<ranks>\d+)",
    r"threads (?P<threads>single|funneled|serialized|multiple)",
    r"clock (?P<resolution>\d+) (?P<cost>\d+\.\d+)",
    r"host \S+",
    r"startup (?P<ready>\d+) (?P<load>\d+) (?P<init>\d+)",
    r"memory (?P<pss>\d+) (?P<rss>\d+)",
    r"start (?P<start>\d+) (?P<clock_error>\d+)",
    r"pages (?P<huge>\d+) (?P<buffers>\d+)",
)


COLLECTIVES = {"bcast", "gather", "scatter", "allgather", "alltoall"}  # those that move bytes
# One of the two loops of a collective does nothing. The linker puts this in place of collective_loops.
IDLE_LOOP = """
#define _DEFAULT_SOURCE
#include "exchange.h"

const struct loops *__real_collective_loops(enum benchmark benchmark);
const struct loops *__wrap_collective_loops(enum benchmark benchmark);

static void idle_batch(const struct exchange *x, int iterations) { (void)x, (void)iterations; }

static void idle_singly(const struct exchange *x, int iterations, int64_t *ns) {
    (void)x, (void)iterations, (void)ns;
}

const struct loops *__wrap_collective_loops(enum benchmark benchmark) {
    static struct loops loops;
    loops = *__real_collective_loops(benchmark);
    loops.IDLE = idle_IDLE;
    (void)idle_batch, (void)idle_singly;
    return &loops;
}
"""


# An element inside the cube is written to, as a wrong datatype would. The linker puts this in place of latency_begin,
# which comes between the filling of the cube and the first message.
WRITE_BESIDE = """
#define _DEFAULT_SOURCE
#include "exchange.h"

void __real_latency_begin(const struct plan_case *c, const struct exchange *x, int rank);
void __wrap_latency_begin(const struct plan_case *c, const struct exchange *x, int rank);

void __wrap_latency_begin(const struct plan_case *c, const struct exchange *x, int rank) {
    __real_latency_begin(c, x, rank);
    ((double *)x->outgoing)[x->edge * x->edge + x->edge + 1] = 0;
}
"""
# Rank 1 comes 20 ms too late for every seventh start, later than other processes often make it. The linker puts this in
# place of common_start_wait.
LATE = """
#define _DEFAULT_SOURCE
#include "common_start.h"
#include <mpi.h>
#include <time.h>

int64_t __real_common_start_wait(void);
int64_t __wrap_common_start_wait(void);

int64_t __wrap_common_start_wait(void) {
    static int starts;
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && starts++ % 7 == 3)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return __real_common_start_wait();
}
"""
# Leaves a file behind when the loop of a spinning rank yields. The linker puts this in place of sched_yield.
TELL_OF_YIELDING = """
#define _DEFAULT_SOURCE
#include <sched.h>
#include <stdio.h>

int __real_sched_yield(void);
int __wrap_sched_yield(void);

int __wrap_sched_yield(void) {
    static FILE *told;
    if (!told)
        told = fopen("YIELDED", "w");
    return __real_sched_yield();
}
"""


@dataclass
class Samples:
    """A samples file, read as strictly as the protocol can be."""

    header: dict[str, str] = field(default_factory=dict)
    cases: list[int] = field(default_factory=list)
    valid: dict[int, str] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)
    repeated: dict[int, int] = field(default_factory=dict)
    batches: dict[int, list[int]] = field(default_factory=dict)
    events: dict[int, list[int]] = field(default_factory=dict)
    ended: bool = False


def read_strictly(text: str) -> Samples:
    """Read a samples file; every record must be known, complete and in its place."""
    samples = Samples()
    lines = text.split("\n")
    assert lines.pop() == "", "the last line has no newline"
    for pattern, line in zip(HEADER, lines, strict=False):
        match = re.fullmatch(pattern, line, re.ASCII)
        assert match, f"'{line}' is not '{pattern}'"
        samples.header.update(match.groupdict())
    for line in lines[len(HEADER) :]:
        assert not samples.ended, f"'{line}' comes after the end"
        _read_record(samples, line)
    return samples


def _read_record(samples: Samples, line: str) -> None:
    if line == "end":
        samples.ended = True
        return
    match = re.fullmatch(r"(case|valid|skip|repeated|batch|event) (\d+)( \S+( \S+)*)?", line, re.ASCII)
    assert match, f"'{line}' is no record"
    kind, number, rest = match[1], int(match[2]), (match[3] or "").strip()
    if kind == "case":
        assert not rest
        assert number not in samples.cases
        samples.cases.append(number)
        return
    assert number == samples.cases[-1], f"'{line}' is in another case"
    if kind in ("valid", "skip"):
        words = samples.valid if kind == "valid" else samples.skipped
        assert rest
        assert number not in {*samples.valid, *samples.skipped}, f"'{line}' comes twice"
        words[number] = rest
    elif kind == "repeated":
        assert int(rest) > 0
        samples.repeated[number] = int(rest)
    else:
        times = samples.batches if kind == "batch" else samples.events
        assert samples.valid[number] == "ok"
        assert number not in times, f"'{line}' comes twice"
        times[number] = [int(n) for n in rest.split(" ")]


def plan_of(cases: list[str], window: int = WINDOW, pages: str = "huge") -> str:
    """A plan of cases written as ``benchmark mode payload bytes`` with or without the counts."""
    lines = [f"case {i} {c if c.count(' ') > 3 else f'{c} {COUNTS}'}" for i, c in enumerate(cases)]
    facts = [f"window {window}", f"pages {pages}", "start /not/needed.so"]
    return "\n".join(["polympi-plan 2", *facts, *lines, "end", ""])


def catalogue_cases(sizes: list[int]) -> list[str]:
    """Every benchmark in every mode with every payload it has, at those of the sizes the payload can have."""
    return [
        f"{b.name} {mode} {payload} {size}"
        for b in BENCHMARKS.values()
        if not b.launch_figure
        for mode in b.modes
        for payload in b.payloads
        for size in ([FIXED_SIZES[payload]] if payload in FIXED_SIZES else FACES if b.name == "faces" else sizes)
        if b.allows(payload, size)
    ]


@dataclass
class Run:
    """One launch and what it left."""

    ended: Ended
    text: str | None  # of the samples; None if there is no such file

    @property
    def samples(self) -> Samples:
        """What it measured."""
        assert self.text is not None
        return read_strictly(self.text)


def run(
    stack: Stack, folder: Path, plan: str, binding: str = "c", *, ranks: int = 2, timeout_s: float = TIMEOUT_S
) -> Run:
    """Build a binding of the shipped or the test folder and launch it on a plan."""
    found = load_bindings([HERE])[binding]
    built = build(found, stack)
    path, written = folder / "plan", folder / "samples"
    path.write_text(plan)
    return launch(
        stack, folder, program_command(found, stack, built, path, written), written, ranks=ranks, timeout_s=timeout_s
    )


def launch(
    stack: Stack, folder: Path, program: list[str], written: Path, *, ranks: int = 2, timeout_s: float = TIMEOUT_S
) -> Run:
    """Launch a command of one rank."""
    command = mpiexec_command(stack, ranks, program, processors=len(os.sched_getaffinity(0)))
    ended = run_tree(command, environment=stack.variables(), timeout_s=timeout_s, output=folder / "output")
    return Run(ended, written.read_text(errors="replace") if written.is_file() else None)


@pytest.mark.parametrize(
    ("ranks", "sizes"),
    [
        (2, [0, 1, 8, 1000, 200_000]),  # odd, a whole element, several pages; beyond every eager limit
        (3, [8]),  # not a power of two
        (4, [8]),
    ],
)
def test_every_case_is_valid_and_timed(stack: Stack, tmp_path: Path, ranks: int, sizes: list[int]) -> None:
    cases = catalogue_cases(sizes)
    before = time.monotonic_ns()
    done = run(stack, tmp_path, plan_of(cases), ranks=ranks)
    assert done.ended.exit_code == 0, done.ended.tail
    samples = done.samples
    assert samples.ended
    assert samples.cases == list(range(len(cases)))
    assert {cases[i]: verdict for i, verdict in samples.valid.items() if verdict != "ok"} == {}
    assert not samples.skipped
    for number, case in enumerate(cases):
        assert len(samples.batches[number]) == BATCHES, case
        assert len(samples.events[number]) == EVENTS, case
        assert min(samples.batches[number] + samples.events[number]) > 0, case
    header = samples.header
    assert header["binding"] == "c"
    assert int(header["ranks"]) == ranks
    assert header["load"] == "0"
    assert before < int(header["ready"]) - int(header["init"]) < int(header["ready"]) < time.monotonic_ns()
    assert 0 < int(header["pss"]) <= int(header["rss"])
    assert 0 < int(header["start"]) < 100_000
    assert header["clock_error"] == "0"
    assert 0 <= int(header["huge"]) <= int(header["buffers"])
    assert stack.library.split()[0] in header["library"]


def test_what_the_plan_asks_none_of_is_left_out(stack: Stack, tmp_path: Path) -> None:
    cases = ["latency standard bytes 8 0 1 1 0", "bcast standard bytes 8 0 1 1 0", "alltoall standard int 8 0 0 1 2"]
    samples = run(stack, tmp_path, plan_of(cases)).samples
    assert {number: len(times) for number, times in samples.batches.items()} == {0: 1, 1: 1}
    assert {number: len(times) for number, times in samples.events.items()} == {2: 2}


def test_what_cannot_run_is_skipped(stack: Stack, tmp_path: Path) -> None:
    cases = ["latency standard bytes 8", "allreduce standard float64 64", f"bcast standard bytes {2**31}"]
    samples = run(stack, tmp_path, plan_of([*cases, "reduce standard bytes 8"]), ranks=1).samples
    assert samples.ended
    assert set(samples.skipped) == {0, 2, 3}
    assert "two ranks" in samples.skipped[0]
    assert samples.valid == {1: "ok"}


@pytest.mark.parametrize(
    ("binding", "level"),
    [("c", "single"), ("c-multiple", "multiple"), ("c-spin", "multiple"), ("c-pages", "single"), ("c-pack", "single")],
)
def test_the_thread_level_is_that_of_the_variant(stack: Stack, tmp_path: Path, binding: str, level: str) -> None:
    header = run(stack, tmp_path, plan_of([]), binding).samples.header
    assert (header["binding"], header["threads"]) == (binding, level)


@pytest.mark.parametrize("binding", ["c-spin", "c-pack"])
def test_what_an_arm_does_not_cover_it_skips(stack: Stack, tmp_path: Path, binding: str) -> None:
    why_not = load_bindings()[binding].why_not
    cases = [case for case in catalogue_cases([8]) if why_not(Case(*case.split()[:3], 8)) is not None]
    assert len({case.split()[0] for case in cases}) >= 8
    assert set(run(stack, tmp_path, plan_of(cases), binding).samples.skipped) == set(range(len(cases)))


@pytest.mark.parametrize(("ranks_a_cpu", "yields"), [(1, False), (2, True)])
def test_a_spinning_rank_yields_where_ranks_outnumber_cpus(
    stack: Stack, tmp_path: Path, ranks_a_cpu: int, yields: bool
) -> None:
    source, yielded = tmp_path / "yielding.c", tmp_path / "yielded"
    source.write_text(TELL_OF_YIELDING.replace("YIELDED", str(yielded)))
    parts = sorted(path.name for path in SOURCES.glob("*.c"))
    program = compile_with_sources(stack, tmp_path, source, *parts, options=("-Wl,--wrap=sched_yield",))
    (tmp_path / "plan").write_text(plan_of(["latency standard bytes 200000", "bibandwidth standard bytes 8"]))
    written = tmp_path / "samples"
    ranks = ranks_a_cpu * len(os.sched_getaffinity(0))
    command = [str(program), str(tmp_path / "plan"), str(written), "multiple", "spin"]
    assert launch(stack, tmp_path, command, written, ranks=ranks).samples.valid == {0: "ok", 1: "ok"}
    assert yielded.exists() == yields


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("polympi-plan 3\nend\n", "unknown version '3'"),
        ("", "cut off"),
        (plan_of(["latency standard bytes 8"]).removesuffix("end\n"), "cut off"),
        (plan_of(["latencies standard bytes 8"]), "unknown benchmark 'latencies'"),
        (plan_of(["latency synchronous-persistently bytes 8"]), "unknown mode"),
        (plan_of(["latency sendrecv-persistent bytes 8"]), "unknown mode"),
        (plan_of(["bcast ready bytes 8"]), "unknown mode 'ready'"),
        (plan_of(["latency standard pickle 8"]), "unknown payload 'pickle'"),
        (plan_of(["latency standard float64 9"]), "size '9'"),
        (plan_of(["faces standard float64 800"]), "unknown mode 'standard'"),
        (plan_of(["latency rows bytes 8"]), "unknown mode 'rows'"),
        (plan_of(["faces rows float64 808"]), "size '808'"),
        (plan_of(["latency standard bytes -8"]), "whole number"),
        (plan_of(["latency standard bytes 8 1 1 1"]), "incomplete record 'case'"),
        (plan_of(["latency standard bytes 8"], window=0), "window"),
        (plan_of(["latency standard bytes 8"], pages="large"), "unknown pages 'large'"),
    ],
)
def test_a_plan_that_is_not_understood_ends_with_3(mpich: Stack, tmp_path: Path, plan: str, said: str) -> None:
    done = run(mpich, tmp_path, plan)
    assert done.ended.exit_code == 3
    assert said in done.ended.tail
    assert done.ended.tail.count("The plan ") == 1, "only one rank says it"
    assert done.text is None


def test_files_and_arguments_that_cannot_be_used_end_with_3(stack: Stack, tmp_path: Path) -> None:
    program = str(build(load_bindings()["c"], stack) / "bench")
    (tmp_path / "plan").write_text(plan_of(["latency standard bytes 8"]))
    written = tmp_path / "samples"
    for arguments, said in (
        (f"missing {written}", "Cannot read the plan 'missing'"),
        (f"{tmp_path} {written}", "Cannot read the plan"),
        (f"{tmp_path}/plan {tmp_path}/missing/samples", "Cannot write the samples"),
        (f"{tmp_path}/plan /dev/full", "Cannot write the samples"),
        (f"{tmp_path}/plan", "Usage"),
        (f"{tmp_path}/plan {written} twofold", "'twofold' is neither"),
    ):
        done = launch(stack, tmp_path, [program, *shlex.split(arguments)], written)
        assert done.ended.exit_code == 3, arguments
        assert said in (tmp_path / "output").read_text(errors="replace"), arguments
        assert done.text is None


def test_a_wrong_byte_is_found_in_every_benchmark(stack: Stack, tmp_path: Path) -> None:
    cases = [case for case in catalogue_cases([1, 1000]) if case.split()[2] in ("bytes", "float64")]
    samples = run(stack, tmp_path, plan_of(cases), "c-wrong").samples
    assert samples.ended
    assert {cases[i] for i, verdict in samples.valid.items() if verdict.startswith("failed message")} == set(cases)
    assert not samples.batches


@pytest.mark.parametrize("idle", ["batch", "singly"])
def test_each_loop_that_is_timed_is_checked(mpich: Stack, tmp_path: Path, idle: str) -> None:
    source = tmp_path / "idle.c"
    source.write_text(IDLE_LOOP.replace("IDLE", idle))
    parts = sorted(path.name for path in SOURCES.glob("*.c"))
    program = compile_with_sources(mpich, tmp_path, source, *parts, options=("-Wl,--wrap=collective_loops",))
    cases = [case for case in catalogue_cases([8]) if " bytes " in case and case.split()[0] in COLLECTIVES]
    (tmp_path / "plan").write_text(plan_of(cases))
    written = tmp_path / "samples"
    samples = launch(mpich, tmp_path, [str(program), str(tmp_path / "plan"), str(written)], written).samples
    failed = {cases[i].split()[0] for i, verdict in samples.valid.items() if verdict.startswith("failed message")}
    assert failed == (COLLECTIVES if idle == "singly" else {"allgather", "alltoall"})


def test_what_is_written_beside_a_face_is_found(mpich: Stack, tmp_path: Path) -> None:
    source = tmp_path / "beside.c"
    source.write_text(WRITE_BESIDE)
    parts = sorted(path.name for path in SOURCES.glob("*.c"))
    program = compile_with_sources(mpich, tmp_path, source, *parts, options=("-Wl,--wrap=latency_begin",))
    (tmp_path / "plan").write_text(plan_of([f"faces {mode} float64 392" for mode in FACE_MODES]))
    written = tmp_path / "samples"
    samples = launch(mpich, tmp_path, [str(program), str(tmp_path / "plan"), str(written)], written).samples
    assert [verdict.split(": ")[-1] for verdict in samples.valid.values()] == [
        "an element beside the face was written to"
    ] * 3


def test_a_rank_that_crashes_leaves_what_was_done_before(mpich: Stack, tmp_path: Path) -> None:
    done = run(mpich, tmp_path, plan_of(["latency standard bytes 8"] * 3), "c-crashing")
    assert done.ended.exit_code != 0
    assert not done.ended.timed_out
    assert (done.samples.cases, set(done.samples.batches), done.samples.ended) == ([0, 1], {0}, False)


def test_a_rank_that_hangs_leaves_what_was_done_before(mpich: Stack, tmp_path: Path) -> None:
    done = run(mpich, tmp_path, plan_of(["latency standard bytes 8"] * 3), "c-hanging", timeout_s=2.0)
    assert done.ended.timed_out
    assert (done.samples.cases, set(done.samples.batches), done.samples.ended) == ([0, 1], {0}, False)


def test_pages_are_those_of_the_plan_or_of_the_arm(mpich: Stack, tmp_path: Path) -> None:
    cases = ["latency standard bytes 8388608 1 1 1 1"]
    asked = run(mpich, tmp_path, plan_of(cases)).samples.header
    assert (int(asked["huge"]) > 0) == (HUGE_PAGES != "never")
    for plan, arm in ((plan_of(cases, pages="plain"), "c"), (plan_of(cases), "c-pages")):
        header = run(mpich, tmp_path, plan, arm).samples.header
        assert (int(header["huge"]) > 0) == (HUGE_PAGES == "always")
        assert int(header["buffers"]) == int(asked["buffers"])


def test_a_rank_that_is_late_for_the_start_spoils_no_time(stack: Stack, tmp_path: Path) -> None:
    source = tmp_path / "late.c"
    source.write_text(LATE)
    parts = sorted(path.name for path in SOURCES.glob("*.c"))
    program = compile_with_sources(stack, tmp_path, source, *parts, options=("-Wl,--wrap=common_start_wait",))
    (tmp_path / "plan").write_text(plan_of(["bcast standard bytes 8 1 1 1 100", "barrier standard none 0 1 100 1 100"]))
    written = tmp_path / "samples"
    samples = launch(stack, tmp_path, [str(program), str(tmp_path / "plan"), str(written)], written).samples
    assert samples.valid == {0: "ok", 1: "ok"}
    assert set(samples.repeated) == {0, 1}
    for times in (samples.events[0], samples.batches[1], samples.events[1]):
        assert len(times) == 100
        assert sum(ns > 18_000_000 for ns in times) <= 5  # of what else runs here; rank 1 would make 14


def test_rubbish_is_no_samples_file(mpich: Stack, tmp_path: Path) -> None:
    done = run(mpich, tmp_path, plan_of(["latency standard bytes 8"]), "c-rubbish")
    assert done.ended.exit_code == 0
    with pytest.raises(AssertionError, match="cookies"):
        _ = done.samples


@pytest.mark.parametrize("binding", ["c-delayed", "c-polling"])
def test_planted_arms_keep_the_protocol_too(mpich: Stack, tmp_path: Path, binding: str) -> None:
    cases = catalogue_cases([8])
    samples = run(mpich, tmp_path, plan_of(cases), binding).samples
    assert samples.header["binding"] == binding
    assert samples.valid == dict.fromkeys(range(len(cases)), "ok")


def compile_with_sources(stack: Stack, folder: Path, source: Path, *parts: str, options: tuple[str, ...] = ()) -> Path:
    """Compile a small program around some of the reference's own files."""
    program = folder / source.stem
    files = [str(SOURCES / part) for part in parts]
    if "cases.c" in parts:
        files.append(str(START / "common_start.c"))
    command = [
        stack.mpicc,
        "-O2",
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wpedantic",
        *options,
        f"-I{SOURCES}",
        f"-I{START}",
    ]
    subprocess.run([*command, str(source), *files, "-o", str(program)], env=stack.variables(), check=True)
    return program


AS_OSU = """
#define _DEFAULT_SOURCE
#include "common_start.h"
#include "ranks.h"
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    struct ranks ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
    int64_t ns[] = {100 + 40 * ranks.rank, 7};
    common_start_agree(); /* of another number of calls on each rank, since it does not wait for the others */
    if (ranks.rank == 0)
        common_start_agree();
    const int64_t first = common_start_wait(), second = common_start_wait();
    largest_over_ranks(ranks, ns, 2);
    if (ranks.rank == 0)
        printf("%d %d %d\\n", (int)ns[0], (int)ns[1], second > first);
    MPI_Finalize();
}
"""


def test_as_osu_averages_over_ranks_behind_a_barrier(mpich: Stack, tmp_path: Path) -> None:
    source = tmp_path / "averages.c"
    source.write_text(AS_OSU)
    wrapped = ("common_start_agree", "common_start_wait", "largest_over_ranks")
    wrapped += ("payload_datatype", "payload_count", "payload_fill", "payload_check_sum")
    wraps = ",".join(f"--wrap={name}" for name in wrapped)
    as_osu = str(HERE / "c-as-osu" / "as_osu.c")
    parts = ("payload.c", "ranks.c", "../common_start/common_start.c")
    program = compile_with_sources(mpich, tmp_path, source, *parts, options=(f"-Wl,{wraps}", as_osu))
    command = mpiexec_command(mpich, 2, [str(program)], processors=2)
    said = subprocess.run(command, env=mpich.variables(), check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert said.stdout == "120 7 1\n"


def test_as_osu_adds_floats_and_checks_them(stack: Stack, tmp_path: Path) -> None:
    cases = [f"{b} standard {p} {s}" for b, p in (("bcast", "bytes"), ("reduce", "float64"), ("allreduce", "float64"))
             for s in (8, 1000, 2**20)]  # fmt: skip
    samples = run(stack, tmp_path, plan_of(cases), "c-as-osu").samples
    assert samples.valid == dict.fromkeys(range(len(cases)), "ok")
    assert all(len(times) == EVENTS for times in samples.events.values())


def test_the_planted_delay_is_200_ns(mpich: Stack, tmp_path: Path) -> None:
    source = HERE / "c-delayed" / "measure.c"
    program = compile_with_sources(mpich, tmp_path, source, "delay.c", "clock.c", options=("-DPLANTED_DELAY_NS=200",))
    mean_ns = float(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    assert 190 < mean_ns < 225  # 200 and the call; waits among other work overlap with it and come out shorter


def test_messages_are_those_of_the_protocol_and_no_wrong_byte_is_missed(mpich: Stack, tmp_path: Path) -> None:
    program = compile_with_sources(mpich, tmp_path, HERE / "c-payload" / "message.c", "payload.c")
    number, origin, slot = 41, 5, 63
    integer = 1_000_000 * number + 1000 * origin + slot
    real = 0.5 * integer
    expected = {
        ("1", "1000"): bytes(
            (131 * i + 17 * (i // 256) + 37 * number + 11 * origin + 5 * slot) % 256 for i in range(1000)
        ),
        ("2", "800"): struct.pack("=100d", *(0.5 * i + number + 11 * origin + 5 * slot for i in range(100))),
        ("3", "8"): struct.pack("=q", integer),
        ("4", "8"): struct.pack("=d", real),
        ("5", "24"): struct.pack("=qd8s", integer, real, b"%08d" % integer),
        ("6", "80"): struct.pack("=10d", *(0.5 * i + number + 11 * origin + 5 * slot for i in range(10))),
    }
    for (payload, size), message in expected.items():
        command = [str(program), str(number), str(origin), str(slot), payload, size]
        assert subprocess.run(command, capture_output=True, check=True).stdout == message
