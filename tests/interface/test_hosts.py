"""Ranks on two hosts, which share no memory: all that is promised holds over a network, too.

Programs are those that other tests run on one machine, where they suit; the hosts are namespaces of it (`hosts.py`).
"""

import subprocess
from typing import Any

import pytest
from hosts import Hosts
from own_codes import ended_with
from rank_programs import PRELUDE, on_ranks

pytestmark = pytest.mark.system

OBJECTS = 4000

BIG = """
big = np.random.default_rng(rank).integers(0, 255, 20_000_000, np.uint8)
"""


def run_program(run_on_hosts, name: str, each: int, stack, *arguments: str) -> str:
    return run_on_hosts(f"{name}.py", each, stack, arguments=arguments).succeeded()


def test_small_and_large_messages_take_the_network(run_on_hosts, hosts: Hosts, stack) -> None:
    script = """
for turn in range(500):
    assert c.sendrecv(turn, other, 1, other, 1) == turn
assert same(c.sendrecv(big, other, 1, other, 1), np.random.default_rng(other).integers(0, 255, 20_000_000, np.uint8))
print(os.uname().nodename)
"""
    ends = hosts.first, hosts.second
    before = [host.traffic() for host in ends]
    assert sorted(run_on_hosts(PRELUDE + BIG + script, 1, stack).succeeded().split()) == ["hosta", "hostb"]
    for host, earlier in zip(ends, before, strict=True):
        traffic = host.traffic()
        assert traffic.sent_packets - earlier.sent_packets > 500
        assert traffic.sent_bytes - earlier.sent_bytes > 20_000_000
        assert traffic.received_bytes - earlier.received_bytes > 20_000_000


def test_a_bcast_of_any_size_arrives_and_is_not_held_up_by_a_rank_that_has_left(run_on_hosts, stack) -> None:
    # Data follow their announcement at once up to 8 KiB, which must not wait for a rank that is gone.
    script = """
for nbytes in [4096, 8191, 8192, 8193, 16384, 100_000, 1_000_000]:
    sent = np.arange(nbytes, dtype=np.uint8)
    for root in range(size):
        mine = rank == root
        assert same(c.bcast(sent if mine else None, root), sent)
        assert same(c.bcast(sent if mine else None, root, into=None if mine else np.zeros_like(sent)), sent)
        assert same(c.bcast([sent, sent[::3]] if mine else None, root), [sent, sent[::3]])
with raises(mpi.TruncationError, "do not fit") if rank else contextlib.nullcontext():
    c.bcast(sent[:50_000] if rank == 0 else None, 0, into=None if rank == 0 else sent[:3].copy())
assert c.bcast(rank, 0) == 0
if rank == 0:
    time.sleep(0.5)
    assert same(c.bcast(sent[:8192], 0), sent[:8192])
else:
    with raises(mpi.Timeout, "waited 0.1 s in bcast()"):
        c.bcast(None, 0, timeout=0.1)
assert same(c.bcast(sent[5:100_000] if rank == 0 else None, 0, timeout=20), sent[5:100_000])
"""
    run_on_hosts(PRELUDE + script, 1, stack).succeeded()


def test_a_host_without_room_for_mailboxes_goes_on_by_messages(run_on_hosts, hosts: Hosts, stack) -> None:
    script = """
import subprocess
from polympi.native import core
host = os.uname().nodename
names = c.allgather(host)
if host == "hostb" and names.index(host) == rank:
    shm = os.statvfs("/dev/shm")
    nearly_used = (shm.f_blocks - shm.f_bfree) * shm.f_frsize * 9 // 8
    subprocess.run(["mount", "-o", f"remount,size={nearly_used}", "/dev/shm"], check=True)
in_turn()
with c.dup() as comm:
    assert core._neighbours(comm) == ([] if host == "hostb" else [r for r in range(size) if names[r] == host])
    for turn in range(20):
        assert comm.allreduce(rank) == c.allreduce(rank) == sum(range(size))
        assert comm.bcast(np.arange(3000.0) if rank == 2 else None, 2)[-1] == 2999
"""
    try:
        run_on_hosts(PRELUDE + script, 2, stack).succeeded()
    finally:  # the tests after it need room
        room = ["mount", "-o", "remount,size=50%", "/dev/shm"]
        subprocess.run(hosts.second.command(room), check=True)


def test_objects_and_arrays_of_every_kind_arrive_as_they_are(run_on_hosts, stack) -> None:
    run_program(run_on_hosts, "payloads", 1, stack, str(OBJECTS))


@pytest.mark.parametrize(
    ("program", "each"), [("point_to_point/every_way", 1), ("into/every_layout", 1), ("communicators/apart", 2)]
)
def test_messages_arrive_as_on_one_machine(run_on_hosts, stack, program: str, each: int) -> None:
    run_program(run_on_hosts, program, each, stack)


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize("way", ["plain", "time-outs", "requests", "signals"])
def test_messages_from_any_rank_are_not_lost(run_on_hosts, stack, way: str, each: int) -> None:
    """Libraries look for them in two places, the memory of the host and the network, and may lose one between them."""
    run_program(run_on_hosts, "not_lost", each, stack, way)


@pytest.mark.parametrize(("program", "each"), [("pieces", 2), ("reductions", 1), ("waiting", 1)])
def test_collectives_give_what_they_give_on_one_machine(run_on_hosts, stack, program: str, each: int) -> None:
    assert run_program(run_on_hosts, program, each, stack).count("done") == 2 * each


def test_a_rank_that_dies_on_one_host_ends_the_job_on_both(run_on_hosts, hosts: Hosts, stack) -> None:
    script = """
in_turn()
if rank == 1:
    os.kill(os.getpid(), 9)
c.recv(1)
print("went on")
"""
    ended = run_on_hosts(PRELUDE + script, 1, stack, timeout=30)
    assert ended.exit_code not in (0, None), str(ended)
    assert "went on" not in ended.stdout


def test_ranks_that_look_around_at_the_same_time_name_the_calls_and_not_a_rank_that_left(run_on_hosts, stack) -> None:
    # All look a tenth of a second after they began. Who sees in memory that another rank of its host has left because
    # of this must still have its message, which says why.
    script = """
from telling import everyone, reported
for turn in range(6):
    odd = turn % size
    assert reported(lambda r: ("bcast", (odd + 1) % size if r == odd else odd)) == everyone
"""
    run_on_hosts(PRELUDE + script, 2, stack).succeeded()


def test_an_exception_on_the_other_host_is_reported_once(run_on_hosts, stack) -> None:
    script = """
in_turn()
if rank == 1:
    raise KeyError("halo")
c.recv(1)
"""

    def start() -> Any:
        ended = run_on_hosts(PRELUDE + script, 1, stack, timeout=30)
        assert ended.stderr.count("[rank 1 (host hostb)] KeyError: 'halo'") == 1
        assert "[rank 0" not in ended.stderr
        return ended

    ended = ended_with(1, start)
    assert ended.exit_code == 1, str(ended)


ACROSS_HOSTS = {
    2: {
        "ranks of one host share memory in every communicator": """
from polympi.native import core
names = c.allgather(os.uname().nodename)
here = [other for other in range(size) if names[other] == names[rank]]
assert len(set(names)) == 2 and len(here) == 2
assert core._neighbours(c) == here
def work(comm, ranks):
    root = len(ranks) - 1
    for turn in range(100):
        assert comm.allreduce(rank) == sum(ranks)
        assert comm.allgather(rank) == ranks
        assert comm.bcast(turn if comm.rank == root else None, root) == turn
        assert comm.gather(rank, root) == (ranks if comm.rank == root else None)
        assert comm.scatter(ranks if comm.rank == root else None, root) == rank
        assert comm.alltoall([turn] * comm.size) == [turn] * comm.size
        comm.barrier()
work(c, list(range(size)))
taken = core._shared_memory()
with c.split(int(names[rank] == "hostb")) as host:
    assert core._neighbours(host) == [0, 1]
    work(host, here)
    in_turn()
    assert core._shared_memory() > taken
    in_turn()
with c.split(names[:rank].count(names[rank])) as across:
    assert core._neighbours(across) == []
    order = [names[:other].count(names[other]) for other in range(size)]
    work(across, [other for other in range(size) if order[other] == order[rank]])
with c.split(None if rank == size - 1 else 0) or contextlib.nullcontext() as three:
    if three:
        ranks = list(range(size - 1))
        assert core._neighbours(three) == ([other for other in here if other < size - 1] if here[-1] < size - 1 else [])
        work(three, ranks)
""",
        "meshes work across hosts": """
with c.cart((2, 2), periods=True) as cart:
    big = cart.neighbor_alltoall([np.full(10**5, 10 * rank + place) for place in range(4)])
    assert [piece[-1] for piece in big] == [10 * n + (place ^ 1) for place, n in enumerate(cart.sources)]
    whole = np.arange(301.0 * 500).reshape(301, 500)
    got = cart.gather_blocks(cart.scatter_blocks(whole if rank == 3 else None, 3), 2)
    assert rank != 2 or same(got, whole)
""",
        "errors name the hosts of ranks": """
here = {0: "rank 0 (host hosta)", 1: "rank 1 (host hosta)", 2: "rank 2 (host hostb)", 3: "rank 3 (host hostb)"}
def said(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")
for there in range(size):
    text = said(mpi.Timeout, lambda: c.recv(there, 5, timeout=0.01))
    assert text.startswith(f"{here[rank]} waited 0.01 s for {here[there]} in recv(source={there}, tag=5) at "), text
assert f"for {here[2]} in probe(" in said(mpi.Timeout, lambda: c.probe(2, 5, timeout=0.01))
assert "for any rank in recv(" in said(mpi.Timeout, lambda: c.recv(tag=6, timeout=0.01))
assert said(mpi.RankError, lambda: c.send(1, 4)).startswith(f"{here[rank]}, send(")
in_turn()
with c.split(0, -rank) as turned:  # whose rank 0 is the last of the world
    text = said(mpi.Timeout, lambda: turned.recv(0, timeout=0.01))
    me = f"rank {3 - rank} of this communicator (rank {rank} of the world) ({here[rank].partition('(')[2]}"
    assert text.startswith(f"{me} waited 0.01 s for rank 0") and "(host hostb) in" in text, text
twin = c.dup()
if rank == 2:
    assert f"{here[2]} waited 0.1 s in allreduce()" in said(mpi.Timeout, lambda: twin.allreduce(1, timeout=0.1))
in_turn()
if rank == 3:
    text = said(mpi.Timeout, lambda: twin.allreduce(1))
    assert f"{here[3]}, allreduce(): {here[2]} has left this call" in text, text
in_turn()
if rank == 3:
    assert "lambda" in said(Exception, lambda: c.gather(lambda: 0))
elif rank == 0:
    assert f"{here[3]} could not do its part" in said(mpi.Error, lambda: c.gather(rank))
else:
    c.gather(rank)
""",
    },
}


@on_ranks(ACROSS_HOSTS)
def test_calls_across_hosts(run_on_hosts, stack, ranks: int, script: str) -> None:
    run_on_hosts(PRELUDE + BIG + script, ranks, stack).succeeded()


def test_ranks_that_wait_long_leave_no_message_to_nobody(run_on_hosts, mpich) -> None:
    # A rank that waits for 0.1 s tells the others what it calls, and these ask for that only when they wait, too.
    script = """
from polympi.mpi4py import MPI
theirs = MPI.COMM_WORLD.Dup()
for call in (c.scan, theirs.scan, theirs.allreduce):
    if rank == 0:
        time.sleep(0.3)
    call(1)
"""
    run_on_hosts(PRELUDE + script, 2, mpich).succeeded()


def test_mpi4py_is_accelerated_on_several_hosts(run_on_hosts, stack) -> None:
    for name in ("objects", "buffers", "collectives", "requests"):
        run_program(run_on_hosts, f"mpi4py_{name}", 1 if name == "buffers" else 2, stack)
