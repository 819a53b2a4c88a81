"""Ranks that this process launches: calls, failures, ends, and that no process is left."""

import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import launched
import psutil
import pytest

import polympi as mpi
from polympi.launching import job

pytestmark = pytest.mark.one_host

END_S = 60.0  # until processes have ended, which takes a second
LAUNCHING = """
import sys
import launched
import polympi as mpi
ranks = mpi.launch(2)
print(*sum(ranks.run(launched.processes), ()), flush=True)
{end}
"""


@pytest.fixture
def ranks(polympi_env: dict[str, str]) -> Iterator[mpi.Ranks]:
    with mpi.launch(2, timeout=60, env=polympi_env) as ranks:
        yield ranks


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(pids: list[int]) -> bool:
    """Whether processes end soon."""
    deadline = time.monotonic() + END_S
    while any(map(runs, pids)):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def test_results_come_by_rank_and_ranks_keep_their_state(ranks) -> None:
    assert ranks.run(launched.place) == [(0, 2), (1, 2)]
    assert ranks.run(launched.place, offset=10) == [(10, 2), (11, 2)]
    assert ranks.run(launched.total, 5) == [11, 11]
    ranks.run(launched.kept, "first")
    assert ranks.run(launched.kept, "second") == [["first", "second"]] * 2
    assert launched.state == []
    assert repr(ranks) == "<2 ranks, running>"
    ranks.restart()
    assert ranks.run(launched.kept, "third") == [["third"]] * 2


def test_what_ranks_write_is_labelled_line_by_line_also_from_c(ranks, capsys) -> None:
    ranks.run(launched.writes)
    out, err = capsys.readouterr()
    assert sorted(out.splitlines()) == [f"[rank {rank}] {word} of {rank}" for rank in (0, 1) for word in ("C", "out")]
    assert sorted(err.splitlines()) == [f"[rank {rank}] no end of line {rank}" for rank in (0, 1)]


def test_what_ranks_write_is_kept_on_request(ranks, capsys) -> None:
    ranks.capture = True
    ranks.run(launched.writes)
    assert [sorted(re.findall("out of|no end|C of", text)) for text in ranks.output] == [
        ["C of", "no end", "out of"]
    ] * 2
    ranks.run(launched.place)
    assert ranks.output == ["", ""]
    assert capsys.readouterr() == ("", "")


def test_ten_megabytes_of_output_and_a_hundred_of_data_pass(ranks) -> None:
    ranks.capture = True
    ranks.run(launched.writes_much, 100_000)
    assert ranks.output == [("x" * 99 + "\n") * 100_000] * 2
    data = b"0123456789" * 10_000_000
    assert ranks.run(launched.same, data) == [data, data]


def test_an_exception_keeps_its_class_and_names_the_rank_and_interrupts_the_others(ranks) -> None:
    with pytest.raises(KeyError, match="halo") as caught:
        ranks.run(launched.raises_on, 1)
    cause = caught.value.__cause__
    assert cause.ranks == [1]
    assert cause.text.startswith("[rank 1] Traceback (most recent call last):\n")
    assert 'raise KeyError("halo")' in cause.text
    assert len(cause.stopped) == 1
    assert re.match(r"\[rank 0\] was interrupted in raises_on at .*launched\.py:\d+", cause.stopped[0])
    assert ranks.run(launched.total, 0) == [1, 1]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="ExceptionGroup came with Python 3.11")
def test_different_exceptions_are_a_group_and_equal_ones_are_one(ranks, capsys) -> None:
    with pytest.raises(Exception, match="raises_its_rank failed on ranks 0 and 1") as caught:
        ranks.run(launched.raises_its_rank)
    assert type(caught.value).__name__ == "ExceptionGroup"
    assert [str(error) for error in caught.value.exceptions] == ["of 0", "of 1"]
    with pytest.raises(ZeroDivisionError) as one:
        ranks.run(divmod, 1, 0)
    assert one.value.__cause__.ranks == [0, 1]
    ranks.run(launched.place)
    assert capsys.readouterr().err == ""  # all were in step, so the ranks stay


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (
            launched.raises_what_cannot_be_unpickled,
            "raises_what_cannot_be_unpickled raised .*TwoWordsError: one on ranks",
        ),
        (launched.leaves, "leaves raised SystemExit: 3 on ranks 0 and 1"),
    ],
)
def test_what_cannot_be_raised_here_is_described(ranks, function: Callable[[], None], sentence: str) -> None:
    with pytest.raises(mpi.RemoteError, match=sentence):
        ranks.run(function)
    assert ranks.run(launched.total, 0) == [1, 1]


def test_the_end_of_a_rank_is_named_and_the_next_call_has_new_ranks(ranks, capsys) -> None:
    for how, words in (
        (launched.exits, "rank 1 ended the job with os._exit(3)"),
        (launched.aborts, "rank 1 ended the job with polympi.abort(4)"),
        (launched.is_killed, "rank 1 was killed by SIGKILL"),
        (launched.crashes, "rank 1 was killed by SIGSEGV"),
        (os.abort, "rank 1 was killed by SIGABRT"),
    ):
        before = [pid for pair in ranks.run(launched.processes) for pid in pair]
        capsys.readouterr()
        with pytest.raises(mpi.EndedError) as caught:
            ranks.run(launched.ends, how)
        assert str(caught.value) == f"{words} during ends, and so the job has ended: the next run starts new ranks"
        assert caught.value.rank == 1
        assert gone(before)
        assert ranks.run(launched.total, 0) == [1, 1]
        said = f"polympi: started 2 new ranks without the state of the former ones: {words}\n"
        assert said in capsys.readouterr().err


def test_a_rank_that_is_killed_while_it_answers_is_named(ranks) -> None:
    with pytest.raises(mpi.EndedError, match=r"rank [01] was killed by SIGKILL during is_killed_between"):
        ranks.run(launched.is_killed_between_its_answer_and_the_result)


def test_a_late_interrupt_is_not_for_the_next_call(ranks, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(job, "OTHERS_S", 0.2)
    monkeypatch.setattr(job, "INTERRUPT_S", 60.0)
    monitor = ranks.run(launched.processes)[0][1]
    returned = tmp_path / "returned"

    def go_on() -> None:
        while not returned.exists():
            time.sleep(0.01)
        time.sleep(1)  # without waiting for the monitor, the next call begins now
        os.kill(monitor, signal.SIGCONT)

    os.kill(monitor, signal.SIGSTOP)
    thread = threading.Thread(target=go_on)
    thread.start()
    with pytest.raises(KeyError, match="early"):
        ranks.run(launched.returns_after, 1.0, str(returned))
    assert ranks.run(time.sleep, 2.0) == [None, None]
    assert ranks.run(launched.processes)[0][1] == monitor
    thread.join()


def test_killed_ranks_leave_no_shared_memory_of_the_library(ranks) -> None:
    files = [Path(file) for found in ranks.run(launched.files_in_shared_memory) for file in found]
    assert files
    with pytest.raises(mpi.EndedError):
        ranks.run(launched.ends, launched.is_killed)
    assert [file for file in files if file.exists()] == []


def test_a_time_out_says_where_the_ranks_are(ranks) -> None:
    ranks.run(launched.place)
    ranks.timeout = 2
    with pytest.raises(mpi.Timeout) as caught:
        ranks.run(launched.waits_for, 1)
    said = str(caught.value)
    assert said.startswith("waits_for: ranks 0 and 1 of 2 did not return within 2 s, and the job was ended; ")
    assert re.search(r"rank 0 has waited \d.* for rank 1 in recv\(source=1, .* at .*launched\.py:\d+", said)
    assert re.search(r"rank 1 is at .*launched\.py:\d+", said)
    ranks.timeout = 60
    assert ranks.run(launched.total, 0) == [1, 1]


def test_a_time_out_ends_a_rank_in_which_no_python_runs(ranks) -> None:
    before = [pid for pair in ranks.run(launched.processes) for pid in pair]
    ranks.timeout = 2
    with pytest.raises(mpi.Timeout, match=r"rank 0 is at .*launched\.py:\d+, in stays_in_c"):
        ranks.run(launched.stays_in_c)
    assert gone(before)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan")])
def test_a_time_out_that_is_none_is_refused(timeout: float) -> None:
    with pytest.raises(ValueError, match="must be a positive number of seconds"):
        mpi.launch(2, timeout=timeout)


def test_what_cannot_be_pickled_is_named(ranks) -> None:
    with pytest.raises(pickle.PicklingError, match="argument 0 can't be pickled"):
        ranks.run(launched.same, launched.generator())
    with pytest.raises(pickle.PicklingError, match="the result, of type generator, can't be pickled"):
        ranks.run(launched.generator)
    assert ranks.run(launched.place) == [(0, 2), (1, 2)]


def test_a_closure_is_sent_with_cloudpickle_alone(ranks, monkeypatch) -> None:
    number = 3
    assert ranks.run(lambda: mpi.world.rank + number) == [3, 4]
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(pickle.PicklingError, match=r"only cloudpickle sends it: pip install .*polympi\[notebook\]"):
        ranks.run(lambda: number)
    assert ranks.run(launched.place) == [(0, 2), (1, 2)]


def test_ranks_launch_no_ranks(ranks) -> None:
    with pytest.raises(mpi.LauncherError, match="this process is itself a rank"):
        ranks.run(launched.launches)


def test_a_forked_child_does_not_answer_for_its_rank(ranks) -> None:
    assert ranks.run(launched.forks) == [0, 0]
    assert ranks.run(launched.place) == [(0, 2), (1, 2)]


def test_two_launches_at_once(ranks, polympi_env) -> None:
    with mpi.launch(3, env=polympi_env) as others:
        for _ in range(3):
            assert ranks.run(launched.total, 0) == [1, 1]
            assert others.run(launched.total, 0) == [3, 3, 3]
    assert ranks.run(launched.total, 0) == [1, 1]
    with pytest.raises(mpi.StateError, match="these ranks were closed"):
        others.run(launched.place)


def test_ctrl_c_interrupts_the_ranks(ranks, tmp_path) -> None:
    ready = tmp_path / "ready"

    def interrupt() -> None:
        while not ready.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        ranks.run(launched.waits_after_telling, str(ready))
    thread.join()
    assert ranks.run(launched.total, 0) == [1, 1]


def test_a_with_statement_that_raises_ends_the_ranks(polympi_env) -> None:
    pids: list[int] = []

    def fail_with_ranks() -> None:
        with mpi.launch(2, env=polympi_env) as ranks:
            pids.extend(pid for pair in ranks.run(launched.processes) for pid in pair)
            raise KeyError("halo")

    with pytest.raises(KeyError):
        fail_with_ranks()
    assert len(pids) == 4
    assert gone(pids)


@pytest.mark.parametrize(
    ("end", "kills"),
    [
        ("ranks.run(launched.sleeps_anywhere)", True),
        ("ranks.run(launched.stays_in_c)", True),
        ("sys.exit()", False),
        ("ranks.run(launched.raises_on, 0)", False),
    ],
)
def test_no_process_outlives_the_program(polympi_env, end: str, kills: bool) -> None:
    environment = {**os.environ, **polympi_env, "PYTHONPATH": f"{Path(__file__).parent}:{polympi_env['PYTHONPATH']}"}
    program = [sys.executable, "-c", LAUNCHING.format(end=end)]
    with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        assert parent.stdout
        pids = [int(word) for word in parent.stdout.readline().split()]
        started = [child.pid for child in psutil.Process(parent.pid).children(recursive=True)] if kills else []
        if kills:
            parent.kill()
        parent.wait(END_S)
    assert len(pids) == 4
    assert set(pids) <= {*started, *pids}
    assert gone([*pids, *started])


def test_a_missing_launcher_is_one_sentence(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libmpi.so.12").touch()
    with pytest.raises(
        mpi.LauncherError, match=r"no mpiexec was found, neither with the MPI library .*libmpi.so.12 nor"
    ):
        mpi.launch(2, env={"POLYMPI_LIBMPI": str(tmp_path / "lib" / "libmpi.so.12")})
    with pytest.raises(mpi.LauncherError, match="the launcher 'nowhere' was not found"):
        mpi.launch(2, launcher="nowhere -x")


def test_a_launcher_that_fails_is_quoted(tmp_path) -> None:
    launcher = tmp_path / "launcher"
    launcher.write_text("#!/bin/sh\necho there are not enough slots\nexit 7\n")
    launcher.chmod(0o700)
    with pytest.raises(mpi.LauncherError, match=r"ended with exit code 7 before .*it said: there are not enough slots"):
        mpi.launch(2, launcher=[str(launcher)])


def test_a_process_that_ends_while_it_connects_is_left_to_the_launcher(tmp_path) -> None:
    launcher = tmp_path / "connects"
    launcher.write_text(
        f"#!{sys.executable}\nimport os, sys\nfrom polympi.launching.links import connect\n"
        "connect(os.environ['POLYMPI_LAUNCH']).close()\nprint('out of nodes')\nsys.exit(5)\n"
    )
    launcher.chmod(0o755)
    with pytest.raises(mpi.LauncherError, match=r"connects ended with exit code 5 .* it said: out of nodes"):
        mpi.launch(2, launcher=str(launcher))


def test_a_launcher_that_is_given_is_used_and_ranks_connect_by_tcp(polympi_env, stack) -> None:
    with mpi.launch(2, launcher=stack.starter, env=polympi_env) as ranks:
        assert ranks.run(launched.total, 0) == [1, 1]


def test_a_launcher_of_another_mpi_is_refused(polympi_env, mpich, openmpi, stack) -> None:
    other = openmpi if stack.family == "mpich" else mpich
    with pytest.raises(mpi.LauncherError, match=r"can't run MPI: LauncherError: .* started 2 processes"):
        mpi.launch(2, launcher=other.starter, env=polympi_env)


def test_a_working_directory_that_is_gone_is_refused(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    with pytest.raises(FileNotFoundError, match="the working directory of this process is gone"):
        mpi.launch(2)


def test_a_forked_child_of_the_program_has_no_ranks(ranks) -> None:
    child = os.fork()
    if child == 0:
        try:
            ranks.run(launched.place)
        except mpi.StateError:
            os._exit(5)
        os._exit(6)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    assert ranks.run(launched.place) == [(0, 2), (1, 2)]


@pytest.mark.parametrize(("n", "error"), [(0, ValueError), (-2, ValueError), ("two", TypeError)])
def test_a_number_of_ranks_that_cannot_be(n: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        mpi.launch(n)


def test_in_a_job_of_slurm_srun_starts_the_ranks(polympi_env, stack, tmp_path, monkeypatch) -> None:
    said = tmp_path / "words"
    srun = tmp_path / "srun"
    srun.write_text(f'#!/bin/sh\necho "$1 $2 $3 $4" > {said}\nshift 2\nexec {stack.starter[0]} "$@"\n')
    srun.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    path = f"{tmp_path}{os.pathsep}{polympi_env.get('PATH', os.environ['PATH'])}"
    with mpi.launch(2, env={**polympi_env, "PATH": path}) as ranks:
        assert ranks.run(launched.total, 0) == [1, 1]
    plugin = {"mpich": "pmi2", "openmpi": "pmix"}[stack.family]
    assert said.read_text() == f"--overlap --mpi={plugin} -n 2\n"
