"""Arms planted next to the reference, to see what the laboratory makes of them: delayed, polling, timed as by OSU."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from c_program import EVENTS, HERE, TIMEOUT_S, catalogue_cases, compile_with_harness, plan_of, run

from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

AS_OSU = """
#define _DEFAULT_SOURCE
#include "polympi_harness.h"
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int64_t ns[] = {100 + 40 * rank, 7};
    common_start_agree(); /* of another number of calls on each rank, since it does not wait for the others */
    if (rank == 0)
        common_start_agree();
    const int64_t first = common_start_wait(), second = common_start_wait();
    polympi_largest_over_ranks(ns, 2);
    if (rank == 0)
        printf("%d %d %d\\n", (int)ns[0], (int)ns[1], second > first);
    MPI_Finalize();
}
"""


@pytest.mark.parametrize("binding", ["c-delayed", "c-polling"])
def test_planted_arms_keep_the_protocol_too(mpich: Stack, tmp_path: Path, binding: str) -> None:
    cases = catalogue_cases([8])
    samples = run(mpich, tmp_path, plan_of(cases), binding).samples
    assert samples.header["binding"] == binding
    assert samples.valid == dict.fromkeys(range(len(cases)), "ok")


def test_as_osu_averages_over_ranks_behind_a_barrier(mpich: Stack, tmp_path: Path) -> None:
    source = tmp_path / "averages.c"
    source.write_text(AS_OSU)
    wrapped = ("common_start_agree", "common_start_wait", "polympi_largest_over_ranks")
    wrapped += ("payload_datatype", *(f"polympi_payload_{name}" for name in ("count", "fill", "check_sum")))
    wraps = ",".join(f"--wrap={name}" for name in wrapped)
    as_osu = str(HERE / "c-as-osu" / "as_osu.c")
    program = compile_with_harness(mpich, tmp_path, source, "datatypes.c", options=(f"-Wl,{wraps}", as_osu))
    command = mpiexec_command(mpich, 2, [str(program)], processors=2)
    said = subprocess.run(command, env=mpich.variables(), check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
    assert said.stdout == "120 7 1\n"


def test_as_osu_adds_floats_and_checks_them(stack: Stack, tmp_path: Path) -> None:
    cases = [f"{b} standard {p} {s}" for b, p in (("bcast", "bytes"), ("reduce", "float64"), ("allreduce", "float64"))
             for s in (8, 1000, 2**20)]  # fmt: skip
    samples = run(stack, tmp_path, plan_of(cases), "c-as-osu").samples
    assert samples.valid == dict.fromkeys(range(len(cases)), "ok")
    assert all(len(times) == EVENTS for times in samples.events.values())


@pytest.mark.exclusive
def test_the_planted_delay_is_200_ns(mpich: Stack, tmp_path: Path) -> None:
    source = HERE / "c-delayed" / "measure.c"
    program = compile_with_harness(mpich, tmp_path, source, "delay.c", options=("-DPLANTED_DELAY_NS=200",))
    mean_ns = float(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    assert 190 < mean_ns < 225  # 200 and the call; waits among other work overlap with it and come out shorter
