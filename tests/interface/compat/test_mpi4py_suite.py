"""mpi4py's own tests and demos, and tests of programs that use it: what passes with mpi4py passes accelerated, too.

They are fetched from the package index, and are not part of this repository. `benchmarks/mpi4py_suite.py` runs all of
them on more numbers of ranks.
"""

import subprocess
from pathlib import Path

import pytest
from mpi4py_suite import (
    ARMS,
    BUFFERS,
    INTERNAL,
    MPI4PY,
    MPI4PY_FFT,
    OBJECTS,
    RANK_PROGRAM,
    SCHWIMMBAD,
    Fetched,
    differences,
    fetch,
    install,
    outcomes,
    run_programs,
)
from selection import STACKS
from sharing import MPICH_SLEEPS

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.slow

# Of the modules of buffers those whose methods are replaced; the others run in the benchmark.
# On one rank its pool starts processes, for which Open MPI may hang where mpi4py is as it is, too.
ALONE = tuple(name for name in OBJECTS if name != "test_util_pool")
REPLACED = tuple(name for name in BUFFERS if name in {"test_p2p_buf", "test_p2p_buf_matched", "test_cco_buf"})
# More than two ranks tell the same on either library: three are on one, and five on the other.
LAUNCHES = [
    *((stack, ranks, names) for stack in STACKS for ranks, names in ((1, ALONE), (2, OBJECTS), (2, REPLACED))),
    ("openmpi", 3, OBJECTS),
    ("mpich", 5, OBJECTS),
]
# A minute on one library; a demo of sessions that hangs in 7 of 10 launches with MPICH and mpi4py as it is; and one
# whose rank 0 sets its counter to 0 after others may have counted: it fails with mpi4py in 96 of 100 launches with Open
# MPI, and with a barrier there in none.
LEFT_OUT = {
    "openmpi": {"mpi4py-fft: test_pencil.py", "mpi4py: nxtval/nxtval-mpi3.py"},
    "mpich": {"mpi4py: init-fini/test_mpi40.py"},
}


def fetched_or_skip(*sources) -> Path:
    try:
        return fetch(*sources)
    except OSError as error:
        pytest.skip(f"sources cannot be fetched from the package index: {error}")


@pytest.fixture(scope="module")
def everything(mpich: Stack) -> Fetched:
    try:
        return Fetched(fetched_or_skip(MPI4PY, MPI4PY_FFT, SCHWIMMBAD), install(mpich))
    except subprocess.CalledProcessError as error:
        pytest.skip(f"mpi4py-fft cannot be installed (it needs libfftw3-dev): {error.stderr}")


def test_an_outcome_is_the_worst_of_all_ranks(tmp_path: Path) -> None:
    (tmp_path / "0").write_text("began a\npassed a\nbegan b\nfailed b\npassed b\nbegan c\nskipped c\n")
    (tmp_path / "1").write_text("began a\nfailed a\nbegan c\n")
    assert outcomes(tmp_path) == {"a": "failed", "b": "failed", "c": "stopped"}


def test_what_mpi4py_itself_fails_is_no_difference() -> None:
    plain = {"a": "passed", "b": "failed", "c": "skipped", "d": "passed"}
    assert differences(plain, {"a": "failed", "b": "passed", "c": "skipped"}) == [
        "a: passed, failed",
        "d: passed, not run",
    ]


@pytest.mark.parametrize(("stack", "ranks", "names"), LAUNCHES, indirect=["stack"])
def test_the_same_tests_of_mpi4py_pass(run, stack: Stack, tmp_path: Path, ranks: int, names: tuple[str, ...]) -> None:
    tests = fetched_or_skip(MPI4PY) / MPI4PY.folder / "test"

    def found(arm: str) -> dict[str, str]:
        folder = tmp_path / arm
        folder.mkdir()
        arguments = [arm, str(folder), str(tests), *names]
        run(RANK_PROGRAM, ranks, stack, timeout=600, env=MPICH_SLEEPS, arguments=arguments).succeeded()
        return {test: outcome for test, outcome in outcomes(folder).items() if INTERNAL not in test}

    plain, accelerated = (found(arm) for arm in ARMS)
    assert {test.partition(".")[0] for test in plain} == set(names)
    assert differences(plain, accelerated) == []


def test_the_same_programs_run(stack: Stack, everything: Fetched) -> None:
    left_out = LEFT_OUT[stack.family]
    plain = run_programs(everything, 3, stack, "plain", MPICH_SLEEPS, left_out=left_out)
    fails_anyway = left_out | {name for name, outcome in plain.items() if outcome != "passed"}  # up to a minute each
    accelerated = run_programs(everything, 3, stack, "accelerated", MPICH_SLEEPS, left_out=fails_anyway)
    assert differences(plain, accelerated) == []
