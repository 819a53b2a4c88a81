"""How ranks wait: the processor time that it takes, and what ends a sleep."""

import pytest
from rank_programs import PRELUDE

SHARES = """
import resource

def share(wait):
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.monotonic()
    wait()
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used / (time.monotonic() - began)

CALLS = {
    "recv": (lambda: c.recv(1), lambda: c.send(1, 0)),
    "barrier": (c.barrier, c.barrier),
}
def compare(call):
    shares = {}
    for way in "spin", "balanced", "quiet":
        with mpi.waiting(way):
            if rank == 0:
                shares[way] = share(CALLS[call][0])
            else:
                time.sleep(2)
                CALLS[call][1]()
    if rank == 0:
        assert shares["balanced"] < 0.15 and shares["quiet"] < 0.15, shares
        assert shares["balanced"] < 2 * shares["quiet"] + 0.01, shares  # it begins to sleep once, not again and again
        assert shares["spin"] > 3 * shares["quiet"], shares
"""


@pytest.mark.exclusive
@pytest.mark.parametrize("mailboxes", ["1", "0"])
@pytest.mark.parametrize("call", ["recv", "barrier"])
def test_a_rank_that_waits_long_leaves_its_processor_to_others(run, stack, call: str, mailboxes: str) -> None:
    run(f"{PRELUDE}{SHARES}compare({call!r})", 2, stack, env={"POLYMPI_MAILBOXES": mailboxes}).succeeded()


@pytest.mark.exclusive
def test_a_rank_at_its_end_sleeps(run, stack) -> None:
    script = """
import resource
if rank == 1:
    time.sleep(2)
mpi.finalize()
used = resource.getrusage(resource.RUSAGE_SELF)
print(rank, used.ru_utime + used.ru_stime)
"""
    times = {}
    for way in ("spin", "quiet"):
        lines = run(PRELUDE + script, 2, stack, env={"POLYMPI_WAIT": way}).succeeded().splitlines()
        times[way] = next(float(line.split()[1]) for line in lines if line.startswith("0 "))
    assert times["quiet"] < times["spin"], times


@pytest.mark.one_host
@pytest.mark.parametrize("arguments", [["balanced"], ["quiet"], ["quiet", "oversubscribed"]], ids=" ".join)
def test_whoever_gives_a_sleeping_rank_something_wakes_it(run, stack, arguments: list[str]) -> None:
    run("wakes.py", 2, stack, arguments=arguments).succeeded()


QUIET = """
import signal, threading
from polympi.native import core
way = mpi.waiting("quiet")
way.__enter__()
"""


def test_what_else_ends_a_sleep(run, stack) -> None:
    script = """
if rank == 0:
    with raises(mpi.Timeout, "waited 0.3"):
        c.recv(1, timeout=0.3)
    core._only_sleep(60)  # nothing else than what follows ends it
    interrupt = threading.Timer(1, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    began = time.monotonic()
    interrupt.start()
    try:
        c.recv(1)
        raise AssertionError("not interrupted")
    except KeyboardInterrupt:
        pass
    assert time.monotonic() - began < 50
    wake = threading.Timer(1, core.wake)
    began = time.monotonic()
    wake.start()
    core.rest(60)
    core.wake()
    core.rest(60)
    assert time.monotonic() - began < 50
    core._only_sleep(0)
c.barrier()
"""
    run(PRELUDE + QUIET + script, 2, stack).succeeded()


def test_large_messages_do_not_wait_for_sleeps(run, stack) -> None:
    script = """
data, place = bytearray(50_000_000), bytearray(50_000_000)
def seconds():
    c.barrier()
    began = time.monotonic()
    for _ in range(4):
        c.sendrecv(data, other, source=other, into=place)
    return time.monotonic() - began
with mpi.waiting("spin"):
    spinning = seconds()
quiet = seconds()
assert quiet < 10 * spinning + 1, (quiet, spinning)
"""
    run(PRELUDE + QUIET + script, 2, stack).succeeded()


def test_the_way_is_set_by_a_variable_and_by_a_with_statement(run, stack) -> None:
    script = """
from polympi.native import core
assert core.get_waiting() == 2
with mpi.waiting("spin"):
    assert core.get_waiting() == 0
    with mpi.waiting("balanced"):
        assert core.get_waiting() == 1
    assert core.get_waiting() == 0
assert core.get_waiting() == 2
with raises(ValueError, "waiting(): way is 'loud': give 'spin', 'balanced' or 'quiet'"):
    mpi.waiting("loud")
"""
    run(PRELUDE + script, 1, stack, env={"POLYMPI_WAIT": "quiet"}).succeeded()
    refused = run("import polympi; polympi.world", 1, stack, env={"POLYMPI_WAIT": "loud"})
    assert refused.exit_code == 1
    assert "POLYMPI_WAIT is 'loud': give 'spin', 'balanced' or 'quiet'." in refused.stderr


LONG_WAITS = """
from polympi.native import core

def longest_sleep():
    c.barrier()
    core._longest_sleep()
    if rank == 0:
        before = core._woken()
        c.recv(1)
        return core._longest_sleep(), core._woken() - before
    time.sleep(1)
    c.send(1, 0)
    return 0, 0
length, wakes = longest_sleep()
"""


@pytest.mark.one_host
def test_where_a_rank_is_woken_it_looks_by_itself_less_and_less_often(run, stack) -> None:
    script = "assert rank or (1e-3 < length <= 10e-3 and wakes), (length, wakes)"
    run(PRELUDE + LONG_WAITS + script, 2, stack).succeeded()


@pytest.mark.one_host
def test_where_it_may_not_be_woken_it_looks_each_millisecond(run, stack) -> None:
    script = "assert rank or (0 < length <= 1e-3 and not wakes), (length, wakes)"
    run(PRELUDE + LONG_WAITS + script, 2, stack, env={"POLYMPI_MAILBOXES": "0"}).succeeded()


ON_TWO_HOSTS = """
from polympi.native import core
WAYS = {  # how rank 0 waits, and what rank 1 does
    "recv": (lambda: c.recv(1), lambda: c.send("a", 0)),
    "large message": (lambda: c.recv(1), lambda: c.send(np.ones(200_000), 0)),
    "recv from any rank": (lambda: c.recv(), lambda: c.send("a", 0)),
    "a receive of ssend": (lambda: c.ssend("a", 1), lambda: c.recv(0)),
    "wait_any": (lambda: mpi.wait_any([c.irecv(1)]), lambda: c.send("a", 0)),
    "probe": (lambda: (c.probe(1), c.recv(1)), lambda: c.send("a", 0)),
    "barrier": (c.barrier, c.barrier),
    "allreduce": (lambda: c.allreduce(1), lambda: c.allreduce(1)),
    "ibarrier": (lambda: c.ibarrier().wait(), lambda: c.ibarrier().wait()),
}
def network_calls(wait, give):
    c.barrier()
    if rank == 1:
        time.sleep(0.5)
        give()
        return 1
    before = core._network_calls()
    wait()
    return core._network_calls() - before
"""


@pytest.mark.system
def test_the_network_wakes_a_rank(run_on_hosts, stack) -> None:
    script = """
with mpi.waiting("quiet"):
    network_calls(*WAYS["recv"])  # starts what watches it
    for name, way in WAYS.items():
        core._only_sleep(10)  # nothing else ends it
        counts = sum(network_calls(*way) for _ in range(3))  # on a busy machine rank 0 may not sleep before it arrives
        core._only_sleep(0)
        assert counts, name
"""
    run_on_hosts(PRELUDE + ON_TWO_HOSTS + script, 1, stack).succeeded()


@pytest.mark.system
def test_sockets_of_the_program_do_not_keep_a_rank_awake(run_on_hosts, stack) -> None:
    # What is readable and stays so: connected with an address that isn't of this host alone, as are those of MPI.
    script = """
import socket
listening = socket.create_server((socket.gethostbyname(os.uname().nodename), 0))
sending = socket.create_connection(listening.getsockname())
receiving, _ = listening.accept()
sending.send(b"for the program")
def give():
    time.sleep(2)
    c.send(1, 0)
calls = network_calls(lambda: c.recv(1), give)
# One for the program, and those of the message. If the socket woke the rank for as long as it is readable, there were
# one after 1, 2, 4, ... ms: eleven.
assert 1 <= calls <= 6, calls
assert receiving.recv(100) == b"for the program"
"""
    run_on_hosts(PRELUDE + ON_TWO_HOSTS + script, 1, stack).succeeded()
