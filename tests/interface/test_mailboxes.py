"""The memory that ranks of a machine share for collectives: who has it, how much of it there is, and when it goes."""

from pathlib import Path

import pytest
from rank_programs import PRELUDE

pytestmark = pytest.mark.sanitize

BOX = 16 * 1024 + 64  # the most that a rank takes for its letters to another one
PAGE = 4096

BEGIN = (
    PRELUDE
    + """
from polympi.native import core

everyone = list(range(size))

def work(comm, turn=0):
    root = turn % comm.size
    ranks = list(range(comm.size))
    assert comm.allreduce(comm.rank) == sum(ranks)
    assert comm.allgather(comm.rank) == ranks
    assert comm.bcast(f"{turn}" if comm.rank == root else None, root) == f"{turn}"
    assert comm.gather(comm.rank, root) == (ranks if comm.rank == root else None)
    assert comm.scatter(ranks if comm.rank == root else None, root) == comm.rank
    assert comm.alltoall([10 * comm.rank + dest for dest in ranks]) == [10 * source + comm.rank for source in ranks]
    data = np.arange(20_000.0) + comm.rank
    assert same(comm.allreduce(data), np.arange(20_000.0) * comm.size + sum(ranks))
    assert same(comm.bcast(data if comm.rank == root else None, root), np.arange(20_000.0) + root)
    assert same(comm.allgather(data), [np.arange(20_000.0) + other for other in ranks])
    comm.barrier()
"""
)


@pytest.mark.one_host  # it is about memory of ranks of one host
def test_living_communicators_take_what_they_use_and_give_it_back(run_in_job, stack) -> None:
    script = f"""
ALIVE = 300
with c.dup() as first:  # for what is there once
    work(first)
in_turn()
before = core._shared_memory()
in_turn()
alive = [c.dup() for _ in range(ALIVE)]
in_turn()
unused = core._shared_memory() - before
assert unused < ALIVE * {PAGE} + 8 * {PAGE}, unused
in_turn()
for turn, comm in enumerate(alive):
    assert comm.allreduce(rank) == 1 and comm.bcast(turn if rank == 0 else None) == turn
in_turn()
used = core._shared_memory() - before - unused
assert ALIVE * {BOX} < used < ALIVE * 2 * {BOX} * 1.05, used  # and what is left over at the ends of ranges
in_turn()
for comm in alive:
    comm.free()
c.dup().free()  # what others still looked at goes when a rank next makes one
in_turn()
c.dup().free()
in_turn()
assert core._shared_memory() <= before + 4 * {BOX}, (core._shared_memory(), before)
"""
    run_in_job(BEGIN + script, 2, stack, timeout=120)


def test_thousands_of_communicators_come_and_go_in_the_same_memory(run_in_job, stack) -> None:
    script = f"""
seen = []
for turn in range(3000):
    with c.dup() as comm:
        if turn % 100 == 0:
            work(comm, turn)
        assert comm.allreduce(1) == size
    if turn % 100 == 99:
        seen.append(core._shared_memory())
assert max(seen[1:]) <= seen[0] + 8 * {BOX}, seen
"""
    run_in_job(BEGIN + script, 2, stack, timeout=120)


def test_what_is_forgotten_on_all_ranks_is_given_back(run_in_job, stack) -> None:
    script = f"""
seen = []
for turn in range(120):
    comm = c.dup()
    work(comm, turn)
    del comm
    if turn % 20 == 19:
        in_turn()
        seen.append(core._shared_memory())
        in_turn()
assert max(seen[1:]) <= seen[0] + 8 * {BOX}, seen
"""
    run_in_job(BEGIN + script, 2, stack)


@pytest.mark.one_host  # it is about memory of ranks of one host
def test_communicators_whose_ranks_overlap_do_not_disturb_each_other(run_in_job, stack) -> None:
    script = """
for turn in range(8):
    without = turn % size
    most = c.split(None if rank == without else 0, key=-rank)
    halves = c.split((rank + turn) % 2)
    twins = [c.dup(), halves.dup()]
    for again in range(3):
        for comm in (most, halves, *twins):
            if comm:
                work(comm, again)
    assert core._neighbours(halves) == list(range(halves.size)), core._neighbours(halves)
    assert most is None or core._neighbours(most) == list(range(size - 1))
    for comm in (halves, *twins, most):
        if comm:
            comm.free()
"""
    run_in_job(BEGIN + script, 5, stack)


@pytest.mark.parametrize(
    "limit",
    [
        "if os.environ['POLYMPI_RANK_OF_TEST'] == '0': resource.setrlimit(resource.RLIMIT_FSIZE, (900 << 20,) * 2)",
        "if os.environ['POLYMPI_RANK_OF_TEST'] == '1': core._refuse_shared_memory(True)",
    ],
    ids=["no file", "no pages"],
)
@pytest.mark.one_host  # it is about memory of ranks of one host
@pytest.mark.parametrize("ranks", [2, 5])
def test_a_rank_without_memory_at_the_start_leaves_all_without_mailboxes(run, stack, limit: str, ranks: int) -> None:
    script = f"""
import os, resource
os.environ["POLYMPI_RANK_OF_TEST"] = next(
    os.environ[name] for name in ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK") if name in os.environ)
import polympi
from polympi.native import core
{limit}
"""
    script += BEGIN
    script += """
assert core._neighbours(c) == [] and core._shared_memory() == 0
core._refuse_shared_memory(False)
work(c)
with c.dup() as twin:
    assert core._neighbours(twin) == []
    work(twin)
"""
    run(script, ranks, stack).succeeded()


@pytest.mark.one_host  # it is about memory of ranks of one host
@pytest.mark.parametrize("ranks", [2, 5])
def test_a_rank_that_runs_out_of_memory_later_goes_on_by_messages(run_in_job, stack, ranks: int) -> None:
    script = """
old = c.dup()
assert core._neighbours(old) == everyone
core._refuse_shared_memory(rank == 1)
new = c.dup()
assert core._neighbours(new) == [] and core._neighbours(old) == everyone
for turn in range(2 * size):
    for comm in old, new, c:
        work(comm, turn)
core._refuse_shared_memory(False)
late = c.dup()
assert core._neighbours(late) == everyone
for comm in late, old, new:
    work(comm)
    comm.free()
"""
    run_in_job(BEGIN + script, ranks, stack)


def test_ranks_learn_what_others_call_where_a_box_could_not_be_made(run_in_job, stack) -> None:
    script = """
for turn in range(2):
    comm = c.dup()
    core._refuse_shared_memory(rank == 1)
    with raises(mpi.MismatchError, "where this rank called"):
        comm.barrier() if rank == turn else comm.allreduce(1)
    core._refuse_shared_memory(False)
    in_turn()
"""
    run_in_job(BEGIN + script, 2, stack)


@pytest.mark.one_host  # it is about memory of ranks of one host
def test_programs_may_close_descriptors_that_are_not_theirs(run, stack) -> None:
    script = """
import pathlib, tempfile
descriptors = [path for path in pathlib.Path("/proc/self/fd").iterdir() if path.is_symlink()]
(number,) = (int(path.name) for path in descriptors if path.is_symlink() and "/polympi-" in os.readlink(path))
content = b"mine" * 50_000
with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
    file.write(content)
    file.flush()
    os.dup2(file.fileno(), number)
    for turn in range(20):
        with c.dup() as comm:
            work(comm, turn)
    assert pathlib.Path(file.name).read_bytes() == content
    os.close(number)
work(c)
"""
    run(BEGIN + script, 2, stack).succeeded()


@pytest.mark.one_host  # it is about memory of ranks of one host
def test_the_memory_has_no_name_and_a_rank_that_is_killed_leaves_nothing(run, stack) -> None:
    script = """
import pathlib, signal
work(c)
maps = [line for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "/dev/shm/polympi-" in line]
assert maps and all(line.endswith(" (deleted)") for line in maps), maps
print(maps[0].split()[-2], flush=True)
in_turn()
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
c.barrier()
"""
    ended = run(BEGIN + script, 3, stack)
    names = {word for word in ended.stdout.split() if word.startswith("/dev/shm/polympi-")}
    assert ended.exit_code != 0
    assert len(names) == 1, str(ended)
    assert not Path(names.pop()).exists()


def test_no_memory_is_shared_where_that_is_not_wanted(run_in_job, stack) -> None:
    script = """
work(c)
with c.dup() as twin:
    work(twin)
    assert core._neighbours(c) == core._neighbours(twin) == [] and core._shared_memory() == 0
"""
    run_in_job(BEGIN + script, 3, stack, env={"POLYMPI_MAILBOXES": "0"})
