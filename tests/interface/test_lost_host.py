"""A host that vanishes in the middle of a job: the others do not wait forever, and say for which ranks they waited."""

import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hosts import Hosts
from rank_programs import PRELUDE

from polympi.lab.cluster.host import NETWORK
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

COME_S = 60.0  # until all ranks have started, on a loaded machine
LOST_S = 60.0  # until a job ends of which a host is lost; its ranks wait for some seconds of these
WAITS_S = 3
# Open MPI's launcher waits for the lost host until the system gives its connection up, by default after a quarter of an
# hour; so few attempts take some seconds.
GIVE_UP = "echo 4 > /proc/sys/net/ipv4/tcp_retries2"
# If the system gives up while the launcher still kills the ranks of an aborted job, PRRTE ends with 0 (seen once in
# some thirty runs, on a loaded machine). What it says is then the only sign, and the sentence of the rank.
LAUNCHER_LOST_IT = "has lost communication with a remote daemon"


@contextmanager
def vanishing(hosts: Hosts, told: Path) -> Iterator[None]:
    """The second host loses its network when a file is there, until the block ends."""

    def link(state: str) -> None:
        subprocess.run(hosts.second.command(["ip", "link", "set", NETWORK, state]), check=True)

    def vanish() -> None:
        deadline = time.monotonic() + COME_S
        while not told.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        link("down")

    for host in hosts.cluster.hosts:
        subprocess.run(host.command(["sh", "-c", GIVE_UP]), check=True)
    waiting = threading.Thread(target=vanish)
    waiting.start()
    try:
        yield
    finally:
        waiting.join()
        link("up")


def test_a_host_that_vanishes_ends_the_job_with_a_sentence(
    run_on_hosts, hosts: Hosts, stack: Stack, tmp_path: Path
) -> None:
    told = tmp_path / "begun"
    script = f"""
c.allreduce(1)
if rank == 0:
    open({str(told)!r}, "w").close()
c.recv(other) if rank == 0 else time.sleep(600)
"""
    with vanishing(hosts, told):
        env = {"POLYMPI_TIMEOUT": str(WAITS_S)}
        ended = run_on_hosts(PRELUDE + script, 1, stack, timeout=LOST_S, env=env)
    assert ended.exit_code is not None, str(ended)
    assert ended.exit_code != 0 or LAUNCHER_LOST_IT in ended.stderr, str(ended)
    assert f"rank 0 (host hosta) waited {WAITS_S}.0 s" in ended.stderr, str(ended)
    assert "for rank 1 (host hostb) in recv(" in ended.stderr, str(ended)


def test_a_collective_names_the_ranks_and_the_host_from_which_nothing_came(
    run_on_hosts, hosts: Hosts, stack: Stack, tmp_path: Path
) -> None:
    told = tmp_path / "begun"
    script = f"""
c.allreduce(1)
if rank == 0:
    open({str(told)!r}, "w").close()
if rank >= 2:
    time.sleep(600)
try:
    c.allreduce(np.ones(10))
except mpi.Timeout as error:
    print(rank, error, file=sys.stderr, flush=True)
    time.sleep(1)
    mpi.abort(1)
"""
    with vanishing(hosts, told):
        env = {"POLYMPI_TIMEOUT": str(WAITS_S)}
        ended = run_on_hosts(PRELUDE + "import sys\n" + script, 2, stack, timeout=LOST_S, env=env)
    assert ended.exit_code is not None, str(ended)
    assert f"rank 0 (host hosta) waited {WAITS_S}.0 s in allreduce()" in ended.stderr, str(ended)
    assert "not all other ranks called it, nothing came from rank 2 (host hostb)" in ended.stderr, str(ended)
    assert "rank 1 (host hosta)," not in ended.stderr, str(ended)
