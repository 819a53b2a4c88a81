"""What the reference program notices: wrong bytes, loops that do nothing, late ranks, a crowd.

The linker puts faults in place of parts of the program.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from c_program import Samples, catalogue_cases, compile_with_reference, launch, plan_of, run

from polympi.lab.catalogue import FACE_MODES, MEASURED
from polympi.lab.stacks.stack import Stack

MOVING = [b for b in MEASURED if b.collective and b.through == "messages" and "bytes" in b.payloads]
COLLECTIVES = {benchmark.name for benchmark in MOVING}
JOINT = {benchmark.name for benchmark in MOVING if benchmark.kind == "joint"}  # also timed in batches
# One of the two loops of a collective does nothing. The linker puts this instead of collective_loops.
IDLE_LOOP = """
#define _DEFAULT_SOURCE
#include "exchange.h"

const struct loops *__real_collective_loops(int32_t benchmark);
const struct loops *__wrap_collective_loops(int32_t benchmark);

static void idle_batch(void *x, int32_t iterations) { (void)x, (void)iterations; }

static void idle_singly(void *x, int32_t iterations, int64_t *ns) {
    (void)x, (void)iterations, (void)ns;
}

const struct loops *__wrap_collective_loops(int32_t benchmark) {
    static struct loops loops;
    const struct loops *real = __real_collective_loops(benchmark);
    if (!real)
        return NULL;
    loops = *real;
    loops.IDLE = idle_IDLE;
    (void)idle_batch, (void)idle_singly;
    return &loops;
}
"""
# The loops of a benchmark of a window, of shared memory or of a file do nothing; rank 1 still waits for accesses of its
# window. The linker puts this instead of the function that returns them.
IDLE_LOOPS = """
#define _DEFAULT_SOURCE
#include "exchange.h"

static void idle_batch(void *x, int32_t iterations) { (void)x, (void)iterations; }

static void idle_singly(void *x, int32_t iterations, int64_t *ns) {
    (void)x, (void)iterations, (void)ns;
}

static const struct loops idle = {idle_batch, idle_singly};
"""
IDLE = {
    "one_sided_loops": IDLE_LOOPS
    + """
const struct loops *__real_one_sided_loops(const struct polympi_case *c, int rank);
const struct loops *__wrap_one_sided_loops(const struct polympi_case *c, int rank);

const struct loops *__wrap_one_sided_loops(const struct polympi_case *c, int rank) {
    return rank == 0 ? &idle : __real_one_sided_loops(c, rank);
}
""",
    "shared_memory_loops": IDLE_LOOPS
    + """
const struct loops *__wrap_shared_memory_loops(void);

const struct loops *__wrap_shared_memory_loops(void) { return &idle; }
""",
    "file_loops": IDLE_LOOPS
    + """
const struct loops *__real_file_loops(int32_t benchmark);
const struct loops *__wrap_file_loops(int32_t benchmark);

const struct loops *__wrap_file_loops(int32_t benchmark) { return __real_file_loops(benchmark) ? &idle : NULL; }
""",
}
# Every destination gets the piece of another. The linker puts this instead of polympi_payload_fill.
MISDIRECTED = """
#define _DEFAULT_SOURCE
#include "polympi_harness.h"

void __real_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);
void __wrap_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot);

void __wrap_polympi_payload_fill(void *message, const struct polympi_case *c, int32_t origin, int32_t slot) {
    __real_polympi_payload_fill(message, c, origin, slot ^ 1);
}
"""
# An element inside the cube is written to, as a wrong datatype would. The linker puts this instead of latency_begin,
# which comes between the filling of the cube and the first message.
WRITE_BESIDE = """
#define _DEFAULT_SOURCE
#include "exchange.h"

void __real_latency_begin(const struct polympi_case *c, const struct exchange *x, int rank);
void __wrap_latency_begin(const struct polympi_case *c, const struct exchange *x, int rank);

void __wrap_latency_begin(const struct polympi_case *c, const struct exchange *x, int rank) {
    __real_latency_begin(c, x, rank);
    ((double *)x->outgoing)[PLACE] = 0;
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
# Leaves a file behind when the loop of a spinning rank yields. The linker puts this instead of sched_yield.
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


def run_changed(
    stack: Stack, folder: Path, source: str, function: str, cases: list[str], *mode: str, ranks: int = 2
) -> Samples:
    """The samples of these cases from the reference in which the linker puts a source instead of a function."""
    (folder / "changed.c").write_text(source)
    program = compile_with_reference(stack, folder, folder / "changed.c", f"-Wl,--wrap={function}")
    (folder / "plan").write_text(plan_of(cases))
    written = folder / "samples"
    return launch(
        stack, folder, [str(program), str(folder / "plan"), str(written), *mode], written, ranks=ranks
    ).samples


def test_a_wrong_byte_is_found_in_every_benchmark(stack: Stack, tmp_path: Path) -> None:
    cases = [case for case in catalogue_cases([1, 1000]) if case.split()[2] in ("bytes", "float64")]
    samples = run(stack, tmp_path, plan_of(cases), "c-wrong").samples
    assert samples.ended
    assert {cases[i] for i, verdict in samples.valid.items() if verdict.startswith("failed message")} == set(cases)
    assert not samples.batches


@pytest.mark.parametrize("idle", ["batch", "singly"])
def test_each_loop_that_is_timed_is_checked(mpich: Stack, tmp_path: Path, idle: str) -> None:
    cases = [case for case in catalogue_cases([8]) if " bytes " in case and case.split()[0] in COLLECTIVES]
    samples = run_changed(mpich, tmp_path, IDLE_LOOP.replace("IDLE", idle), "collective_loops", cases)
    failed = {cases[i].split()[0] for i, verdict in samples.valid.items() if verdict.startswith("failed message")}
    assert failed == (COLLECTIVES if idle == "singly" else JOINT)
    assert {"bcast", "ibcast", "alltoall", "neighbor-alltoall"} < COLLECTIVES


@pytest.mark.parametrize(
    ("function", "mode", "names"),
    [
        ("one_sided_loops", "flush", [b.name for b in MEASURED if b.one_sided]),
        ("shared_memory_loops", "standard", [b.name for b in MEASURED if b.through == "memory"]),
        ("file_loops", "standard", [b.name for b in MEASURED if b.through == "file"]),
    ],
)
def test_what_never_reaches_a_window_a_file_or_shared_memory_is_found(
    mpich: Stack, tmp_path: Path, function: str, mode: str, names: list[str]
) -> None:
    cases = [f"{name} {mode} float64 24" for name in names]
    samples = run_changed(mpich, tmp_path, IDLE[function], function, cases)
    assert names
    assert [names[i] for i, verdict in samples.valid.items() if verdict.startswith("failed message")] == names


def test_a_piece_that_is_meant_for_another_rank_is_found(mpich: Stack, tmp_path: Path) -> None:
    names = [benchmark.name for benchmark in MEASURED if benchmark.apiece]
    cases = [f"{name} standard float64 8" for name in names]
    samples = run_changed(mpich, tmp_path, MISDIRECTED, "polympi_payload_fill", cases)
    assert {"reduce-scatter", "neighbor-alltoall"} < set(names)
    assert [names[i] for i, verdict in samples.valid.items() if verdict.startswith("failed message")] == names


def test_what_is_written_beside_a_face_is_found(mpich: Stack, tmp_path: Path) -> None:
    source = WRITE_BESIDE.replace("PLACE", "x->edge * x->edge + x->edge + 1")
    cases = [f"faces {mode} float64 392" for mode in FACE_MODES]
    samples = run_changed(mpich, tmp_path, source, "latency_begin", cases)
    assert [verdict.split(": ")[-1] for verdict in samples.valid.values()] == [
        "an element next to the face was written to"
    ] * 3


@pytest.mark.parametrize(
    ("place", "element"),
    [("0", "(0, 0, 0)"), ("8", "(0, 0, 8)"), ("2 * 81 + 8", "(2, 0, 8)"), ("4 * 81 + 4 * 9 + 4", "(4, 4, 4)")],
)
@pytest.mark.slow
def test_what_is_written_beside_a_halo_is_found(mpich: Stack, tmp_path: Path, place: str, element: str) -> None:
    """Corners and edges of the ghost layers stay, and so does the cube within."""
    source = WRITE_BESIDE.replace("PLACE", place)
    samples = run_changed(mpich, tmp_path, source, "latency_begin", ["halo standard float64 2352"])
    assert f"rank 0 received: element {element} is 0 instead of" in samples.valid[0]


@pytest.mark.exclusive
@pytest.mark.slow
def test_a_rank_that_is_late_for_the_start_spoils_no_time(stack: Stack, tmp_path: Path) -> None:
    cases = ["bcast standard bytes 8 1 1 1 60", "barrier standard none 0 1 60 1 60"]
    samples = run_changed(stack, tmp_path, LATE, "common_start_wait", cases)
    assert samples.valid == {0: "ok", 1: "ok"}
    assert set(samples.repeated) == {0, 1}
    for times in (samples.events[0], samples.batches[1], samples.events[1]):
        assert len(times) == 60
        assert sum(ns > 18_000_000 for ns in times) <= 3  # of what else runs here; rank 1 would make 8


@pytest.mark.parametrize(("ranks_a_cpu", "yields"), [(1, False), (2, True)])
def test_a_spinning_rank_yields_where_ranks_outnumber_cpus(
    stack: Stack, tmp_path: Path, ranks_a_cpu: int, yields: bool
) -> None:
    yielded = tmp_path / "yielded"
    source, ranks = TELL_OF_YIELDING.replace("YIELDED", str(yielded)), ranks_a_cpu * len(os.sched_getaffinity(0))
    cases = ["latency standard bytes 200000", "bibandwidth standard bytes 8"]
    samples = run_changed(stack, tmp_path, source, "sched_yield", cases, "multiple", "spin", ranks=ranks)
    assert samples.valid == {0: "ok", 1: "ok"}
    assert yielded.exists() == yields
