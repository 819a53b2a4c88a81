"""`spawn`: programs that a running one starts, and how the two end."""

import pytest
from rank_programs import PRELUDE, Case, cases

pytestmark = pytest.mark.one_host  # the launcher may start ranks on any host, without the variables of these tests

# Open MPI's launcher: more ranks than processors.
ROOM = {"PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
START = """
from pathlib import Path
Path("child.py").write_text(CHILD)
def start(count=2, **options):
    return mpi.spawn("child.py", count, **options)
"""
CHILD = """
import contextlib
import sys
import time
import numpy as np
import polympi as mpi
world, parent = mpi.world, mpi.parent
"""


def program(script: str, child: str) -> str:
    """A program, with what it starts."""
    return PRELUDE + f"CHILD = {CHILD + child!r}\n" + START + script


def test_spawned_ranks_and_those_that_started_them_communicate(run, stack) -> None:
    script = """
assert mpi.parent is None
ANOTHER = "import polympi as mpi; mpi.parent.send(mpi.world.size, 0); mpi.parent.free()"
with start() as inter:
    assert (inter.rank, inter.size, inter.remote_size) == (rank, 2, 2)
    for there in range(2):
        inter.send(np.arange(50_000) * (rank + 1), there, 3)
    assert [inter.recv(there) for there in range(2)] == [(there, rank) for there in range(2)]
    assert inter.allgather(rank) == ["child 0", "child 1"]
    with inter.merge() as both:
        assert both.rank == rank and both.allgather(rank) == [0, 1, "0 of 2", "1 of 2"]
        assert both.translate(range(4), c) == [0, 1, None, None] and both.compare(c) == "unequal"
        assert len(both.bcast(b"x" * 10**6 if rank == 0 else None)) == 10**6
        with both.dup() as twin, both.subset([3, 0]) if rank == 0 else contextlib.nullcontext():
            assert twin.allreduce(1) == 4
        with raises(mpi.MismatchError, "split_by_host(): some ranks belong to another program"):
            both.split_by_host()
with mpi.self_world.dup() as alone:
    for turn in range(2):
        if rank == turn:
            with mpi.spawn([sys.executable, "-c", ANOTHER], 1, comm=alone) as inter:
                assert inter.recv(0) == 1
        c.barrier()
print("done")
"""
    child = """
for there in range(2):
    got = parent.recv(there, 3)
    assert (got == np.arange(50_000) * (there + 1)).all()
    parent.send((world.rank, there), there)
assert parent.allgather(f"child {world.rank}") == [0, 1]
both = parent.merge()
assert both.allgather(f"{world.rank} of {world.size}") == [0, 1, "0 of 2", "1 of 2"]
assert len(both.bcast()) == 10**6
with both.dup() as twin, both.subset([3, 0]) if world.rank == 1 else contextlib.nullcontext():
    assert twin.allreduce(1) == 4
with contextlib.suppress(mpi.MismatchError):
    both.split_by_host()
both.free()
parent.disconnect()
"""
    assert run(program(script, child), 2, stack, env=ROOM).succeeded().split() == ["done"] * 2


@pytest.mark.parametrize("level", ["serialized", "multiple"])
def test_spawned_ranks_spawn_others_and_serve_threads(run, stack, level: str) -> None:
    script = """
from together import together
inter = start(1, comm=mpi.self_world)
def work(number):
    for turn in range(10):
        inter.send(turn, 0, number)
        assert inter.recv(0, number) == turn + 1
together(work, 3)
print(inter.recv(0, 9))
"""
    child = """
if len(sys.argv) == 1:
    inner = mpi.spawn([sys.executable, __file__, "inner"], 1)
    for number in range(3 * 10):
        got, status = parent.recv(status=True)
        parent.send(got + 1, 0, status.tag)
    parent.send(inner.recv(0), 0, 9)
else:
    parent.send("from the innermost", 0)
"""
    ended = run(program(script, child), 1, stack, env={**ROOM, "POLYMPI_THREADS": level})
    assert ended.succeeded() == "from the innermost\n"


FAILS = """
missing = FileNotFoundError if rank == 0 else mpi.MismatchError
with raises(missing, "rank 0, spawn(): the program 'no-such-one' was not found: give a list"):
    mpi.spawn(["no-such-one", "-v"], 1)
with raises(missing, "rank 0, spawn(): no.py isn't a file: give the path"):
    mpi.spawn("no.py", 1)
with raises(ValueError, "spawn(): n is 0, but at least one rank must be started"):
    mpi.spawn("child.py", 0)
with raises(mpi.MismatchError if rank else ValueError, "n is -1"):
    mpi.spawn("child.py", rank - 1 + rank)
print("refused")
"""


def test_what_cannot_be_started_is_named(run, stack) -> None:
    assert run(program(FAILS, ""), 2, stack, env=ROOM).succeeded().split() == ["refused"] * 2


def test_without_a_launcher_nothing_is_started(run, stack) -> None:
    script = """
with raises(mpi.LauncherError, "this program was started without a launcher: start it with mpiexec -n 1"):
    mpi.spawn("child.py", 1)
"""
    run(PRELUDE + script, None, stack).succeeded()


@pytest.mark.parametrize("command", [["true"], ["false"], ["python3", "-c", "1 / 0"]], ids=["true", "false", "raises"])
def test_a_program_that_does_not_take_part_ends_the_job(run, stack, command: list[str]) -> None:
    ended = run(PRELUDE + f"mpi.spawn({command}, 2, timeout=5)", 2, stack, env=ROOM)
    assert ended.exit_code == 1, str(ended)
    assert "spawn(): not all 2 ranks of " in ended.stderr, str(ended)
    assert "have used polympi.world within 5 s" in ended.stderr, str(ended)


# The program, what it starts, the exit code, words on stdout, and words on stderr.
ENDS = {
    "children end first": Case(
        """
inter = start()
with raises(mpi.EndedError, "rank 0 of the remote group has reached its end (exit code 0)", peer=0):
    inter.recv(0)
with raises(mpi.EndedError, "in barrier()", "has reached its end (exit code 0) and has not called it"):
    inter.barrier()
print("noticed")
""",
        words="noticed noticed",
        said=[],
    ),
    "children end after their part of a barrier": Case(
        "inter = start()\ntime.sleep(2.5)\ninter.barrier()\nprint('met')\n",
        words="met met",
        arguments=["parent.barrier()"],
        said=[],
    ),
    "a child is late for a barrier after another has ended": Case(
        "inter = start()\ninter.barrier()\nprint('met')\n",
        words="met met",
        arguments=["time.sleep(4 * world.rank)\nparent.barrier()"],
        said=[],
    ),
    "parents go on after disconnecting": Case(
        """
start().disconnect()
while not Path("ended").exists():
    time.sleep(0.05)
print("went on")
""",
        words="went on went on",
        arguments=["parent.disconnect()\nmpi.finalize()\nopen('ended', 'w').close()"],
        said=[],
    ),
}


@cases(ENDS)
def test_how_they_end(run, stack, case: Case) -> None:
    child = "".join(case.arguments)
    run(program(case.script, child), 2, stack, env=ROOM).ends(case.code, case.words, case.said)


def test_parents_that_end_first_are_noticed(run, stack) -> None:
    ended = run(program("start()", "parent.recv(0)"), 2, stack, env=ROOM)
    assert ended.exit_code != 0, str(ended)
    assert "EndedError: rank " in ended.stderr, str(ended)
    assert "rank 0 of the remote group has reached its end" in ended.stderr, str(ended)


@pytest.mark.parametrize(
    ("script", "child", "code"),
    [
        ("start().recv(0)", "if world.rank: 1 / 0\nparent.recv(0)", 1),
        ("start().recv(0)", "if world.rank: sys.exit(3)\nparent.recv(0)", 3),
        ("start().recv(0) if rank == 0 else [start(), 1 / 0]", "parent.recv(0)", 1),
        ("start().recv(0)", "if world.rank: os.kill(os.getpid(), 9)\nparent.recv(0)", None),
        ("start().send(1, 0, 8)", "", 1),
    ],
    ids=["a child raises", "a child exits", "a parent raises", "a child is killed", "a message is lost"],
)
def test_a_failure_ends_both_programs(run, stack, script: str, child: str, code: int | None) -> None:
    ended = run(program(script, child), 2, stack, env=ROOM)
    assert ended.exit_code == code or (code is None and ended.exit_code not in (0, None)), str(ended)
