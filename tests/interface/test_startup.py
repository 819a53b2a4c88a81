import os
import re
import sys

import pytest
from hosts import codes_of_failure

pytestmark = pytest.mark.sanitize

PROCESSORS = len(os.sched_getaffinity(0))
# Rank 0 waits for a message that never comes, so that the job ends only if the other rank ends it.
FAILING = """
import os
import sys
import polympi as mpi
print("before", mpi.world.rank, flush=True)
if mpi.world.rank == 0:
    mpi.world.recv(1)
{end}
"""


def labelled(stderr: str, rank: int) -> list[str]:
    """The lines of a rank, without the label; they must follow one another."""
    lines = stderr.splitlines()
    label = f"[rank {rank}] "
    found = [number for number, line in enumerate(lines) if line.startswith(label)]
    assert found == list(range(found[0], found[0] + len(found))), stderr
    return [lines[number].removeprefix(label) for number in found]


def test_an_uncaught_exception_ends_the_job_with_one_labelled_traceback(run, stack) -> None:
    ended = run(FAILING.format(end="raise KeyError('halo')"), 2, stack)
    assert ended.exit_code == 1, str(ended)
    lines = labelled(ended.stderr, 1)
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "KeyError: 'halo'"
    assert ended.stderr.count("KeyError") == 2, str(ended)  # the source line, and the last one
    assert sorted(ended.stdout.splitlines()) == ["before 0", "before 1"]


def test_notes_and_causes_of_an_exception_are_labelled_too(run, mpich) -> None:
    group = "ExceptionGroup('many', [KeyError('one'), KeyError('two')])"
    raised = group if sys.version_info >= (3, 11) else "KeyError('two')"  # the ranks have the Python of the tests
    end = f"raise {raised} from ValueError('cause')"
    lines = labelled(run(FAILING.format(end=end), 2, mpich).stderr, 1)
    assert lines[0] == "ValueError: cause"
    assert any("KeyError: 'two'" in line for line in lines)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        *(("sys.exit(3)", 3), ("sys.exit('no such mesh')", 1), ("mpi.abort(4)", 4), ("raise KeyboardInterrupt", 130)),
        *((end, 1) for end in ("sys.exit(256)", "sys.exit(-256)", "os._exit(256)", "mpi.abort(0)", "mpi.abort(512)")),
        ("os._exit(3)", 3),
    ],
)
def test_a_rank_that_ends_with_a_code_ends_the_job_with_it(run, stack, end: str, code: int) -> None:
    ended = run(FAILING.format(end=end), 2, stack)
    assert ended.exit_code in codes_of_failure(code, stack.family), str(ended)
    assert sorted(ended.stdout.splitlines()) == ["before 0", "before 1"]
    assert ("no such mesh" in ended.stderr) == ("mesh" in end)


def test_a_program_that_only_imports_starts_nothing(run, stack) -> None:
    ended = run("import polympi, sys; sys.exit(5)", 1, stack)
    assert ended.exit_code == 5
    assert "Traceback" not in ended.stderr


# What a rank is before polympi starts: by what the launchers of Open MPI and MPICH say.
OTHER_VERSION = """
import os
import sys
import polympi as mpi
from polympi.native import core
rank = int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"])
if rank == {rank}:
    core._claim_version(1000)
"""


@pytest.mark.parametrize(("stranger", "size"), [(1, 2), (0, 3)])
def test_a_rank_with_another_version_is_refused_by_all(run, stack, stranger: int, size: int) -> None:
    script = """
try:
    mpi.world
except mpi.LibraryError as error:
    print(error)
try:
    mpi.world
except mpi.StateError:
    pass
else:
    sys.exit("it goes on")
"""
    said = run(OTHER_VERSION.format(rank=stranger) + script, size, stack).succeeded().splitlines()
    assert len(said) == size
    for rank in range(size):
        own, theirs = (r"1000", r"\d{1,3}") if rank == stranger else (r"\d{1,3}", r"1000")
        other = stranger if rank != stranger else int(stranger == 0)
        sentence = rf"do not run the same polympi: rank {rank} writes messages of version {own} \(/.*core_.*\), "
        sentence += rf"rank {other} of version {theirs}, .*; install the same polympi for all ranks$"
        assert sum(bool(re.search(sentence, line)) for line in said) == 1, said


def test_a_program_that_a_rank_of_another_version_runs_ends(run, stack) -> None:
    ended = run(OTHER_VERSION.format(rank=1) + "mpi.world.send(b'x', 1 - rank)\n", 2, stack)
    assert ended.exit_code == 1, str(ended)
    assert "LibraryError: the ranks of this job do not run the same polympi" in ended.stderr


def test_a_lone_rank_fails_as_any_python_program(run, stack) -> None:
    begin = "import os, sys\nimport polympi as mpi\nmpi.world\n"
    for ranks in (None, 1):
        ended = run(f"{begin}raise KeyError('halo')", ranks, stack)
        assert ended.exit_code == 1
        assert ended.stderr.startswith("Traceback (most recent call last):\n")
    for end in ("sys.exit(256)", "os._exit(256)", "mpi.abort(0)"):
        assert run(begin + end, None, stack).exit_code == 1


def test_an_excepthook_of_the_program_speaks_and_the_job_ends_all_the_same(run, stack) -> None:
    hook = "sys.excepthook = lambda kind, error, trace: print('MINE', error, file=sys.stderr)"
    for script in (
        f"import sys\n{hook}\n" + FAILING.format(end="raise KeyError('halo')"),
        FAILING.format(end=f"{hook}\nraise KeyError('halo')"),
    ):
        ended = run(script, 2, stack)
        assert ended.exit_code == 1, str(ended)
        assert ended.stderr.count("MINE 'halo'") == 1
        assert "Traceback" not in ended.stderr


def test_an_exception_in_a_thread_is_labelled_and_ends_the_thread_alone(run, stack) -> None:
    script = """
        import threading
        import polympi as mpi
        rank = mpi.world.rank
        def work():
            raise KeyError("halo")
        if rank == 1:
            thread = threading.Thread(target=work, name="halo-worker")
            thread.start()
            thread.join()
        mpi.world.barrier()
        print("after", rank)
        """
    ended = run(script, 2, stack)
    assert sorted(ended.succeeded().splitlines()) == ["after 0", "after 1"]
    lines = labelled(ended.stderr, 1)
    assert lines[0] == "Exception in thread halo-worker:"
    assert lines[-1] == "KeyError: 'halo'"


@pytest.mark.parametrize("level", ["serialized", "multiple"])
def test_the_thread_level_is_what_the_program_or_the_user_asks_for(run, stack, level: str) -> None:
    by_call = f"import polympi as mpi; mpi.init('{level}'); print(mpi.thread_level())"
    by_user = "import polympi as mpi; mpi.world; print(mpi.thread_level())"
    assert run(by_call, 2, stack).succeeded().split() == [level] * 2
    assert run(by_user, 2, stack, env={"POLYMPI_THREADS": level}).succeeded().split() == [level] * 2
    assert level == "multiple" or run(by_user, 2, stack).succeeded().split() == [level] * 2  # the default


@pytest.mark.parametrize(
    ("level", "by"),
    [*((level, "polympi") for level in ("single", "funneled", "serialized", "multiple")), ("multiple", "mpi4py")],
)
def test_the_library_keeps_its_thread_level_where_ranks_outnumber_processors(run, stack, level: str, by: str) -> None:
    start = {
        "polympi": f"import polympi; polympi.init({level!r})",
        "mpi4py": f"import mpi4py; mpi4py.rc.thread_level = {level!r}; import polympi.mpi4py; polympi.mpi4py.MPI",
    }
    script = f"{start[by]}\nfrom mpi4py import MPI\nprint(MPI.Query_thread() == MPI.THREAD_{level.upper()})"
    ranks = max(3, PROCESSORS + 1)
    assert run(script, ranks, stack).succeeded().split() == ["True"] * ranks


def test_a_thread_level_that_cannot_be_is_an_error(run, mpich) -> None:
    script = """
        import polympi as mpi
        try:
            mpi.init("several")
        except ValueError as error:
            print(error)
        mpi.world
        try:
            mpi.init("multiple")
        except mpi.StateError as error:
            print(error)
        """
    first, second = run(script, None, mpich).succeeded().splitlines()
    assert first.startswith("threads is 'several', which is not a thread level: give one of single, funneled,")
    assert second.startswith("MPI runs at thread level 'serialized', lower than the 'multiple' that is asked for:")


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        *(
            ("POLYMPI_TIMEOUT", value, "give the seconds that a call may wait")
            for value in ("soon", "-1", "nan", "inf")
        ),
        *(("POLYMPI_POOL_BYTES", value, "it must be a number of bytes") for value in ("12M", "-1", "9" * 20)),
        ("POLYMPI_THREADS", "many", "which is not a thread level"),
    ],
)
def test_a_variable_of_no_possible_value_is_an_error_before_anything_is_sent(
    run, mpich, name: str, value: str, sentence: str
) -> None:
    ended = run("import polympi; polympi.world", None, mpich, env={name: value})
    assert ended.exit_code == 1
    last = ended.stderr.splitlines()[-1]
    assert last.startswith(f"ValueError: {name} is '{value}'")
    assert sentence in last


def test_the_launcher_of_another_mpi_is_refused(run, mpich, openmpi) -> None:
    for stack, launcher, words in (
        (mpich, openmpi, "Open MPI's mpiexec started 2 processes, but the MPI library in this one (MPICH"),
        (
            openmpi,
            mpich,
            "The launcher of MPICH or Intel MPI, or srun with PMI-2, started 2 processes, but the MPI library",
        ),
    ):
        ended = run(
            "import polympi; polympi.world.rank", 2, stack, launched_by=launcher, env={"POLYMPI_LIBMPI": stack.libmpi}
        )
        assert ended.exit_code == 1, str(ended)
        assert f"polympi.errors.LauncherError: {words}" in ended.stderr
        assert f"; {stack.libmpi}) " in ended.stderr
        assert ": start the program with the mpiexec that belongs to this library, or" in ended.stderr


def test_srun_without_its_mpi_plugin_is_refused(run, mpich) -> None:
    ended = run("import polympi; polympi.world", None, mpich, env={"SLURM_STEP_NUM_TASKS": "8"})
    assert "LauncherError: srun started 8 processes" in ended.stderr
    assert "--mpi=pmi2" in ended.stderr


@pytest.mark.parametrize(
    ("first", "step"),
    [("time.sleep(60)", "start MPI"), ("mpi.raw_world; time.sleep(60)", "use polympi.world")],
    ids=["MPI_Init", "world"],
)
def test_a_start_for_which_a_rank_does_not_come_ends_with_the_time_out(run, stack, first: str, step: str) -> None:
    script = f"""
import os, time
import polympi as mpi
if int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"]) == 0:
    {first}
mpi.world
"""
    ended = run(script, 2, stack, timeout=50, env={"POLYMPI_TIMEOUT": "1"})
    assert ended.exit_code == 1, str(ended)
    said = [line for line in ended.stderr.splitlines() if line.startswith("[rank 1]")]
    assert len(said) == 1, str(ended)
    assert f"waited 10 s for all ranks to {step}, at " in said[0]
    assert "program.py:6: " in said[0]


@pytest.mark.parametrize(("level", "clashes"), [("multiple", True), ("funneled", False)])
def test_thread_levels_with_which_the_library_hangs_are_reported(run, stack, level: str, clashes: bool) -> None:
    script = f"""
import os
import polympi as mpi
if int(os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["PMI_RANK"]) == 1:
    mpi.init(threads="{level}")
mpi.world
"""
    ended = run(script, 2, stack, env={"POLYMPI_THREADS": "serialized"})
    ended.succeeded()
    said = [line for line in ended.stderr.splitlines() if "different thread levels" in line]
    assert len(said) == (clashes and stack.family == "mpich"), str(ended)
