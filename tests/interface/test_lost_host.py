"""A host that vanishes in the middle of a job: the others do not wait forever, and say for which ranks they waited."""

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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


@pytest.fixture
def loses_its_second_host(run_on_hosts, hosts: Hosts, tmp_path: Path) -> Iterator[Callable[[str, int, Stack], Any]]:
    """Runs a program whose second host loses its network when all ranks have made a call, until it has ended."""
    begun = tmp_path / "begun"
    begin = f"c.allreduce(1)\nif rank == 0:\n    open({str(begun)!r}, 'w').close()\n"

    def link(state: str) -> None:
        subprocess.run(hosts.second.command(["ip", "link", "set", NETWORK, state]), check=True)

    def vanish() -> None:
        deadline = time.monotonic() + COME_S
        while not begun.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        link("down")

    def start(script: str, each: int, stack: Stack) -> Any:
        waiting.start()
        env = {"POLYMPI_TIMEOUT": str(WAITS_S)}
        ended = run_on_hosts(PRELUDE + begin + script, each, stack, timeout=LOST_S, env=env)
        assert ended.exit_code is not None, str(ended)
        return ended

    for host in hosts.cluster.hosts:
        subprocess.run(host.command(["sh", "-c", GIVE_UP]), check=True)
    waiting = threading.Thread(target=vanish)
    yield start
    waiting.join()
    link("up")


def test_a_host_that_vanishes_ends_the_job_with_a_sentence(loses_its_second_host, stack: Stack) -> None:
    ended = loses_its_second_host("c.recv(other) if rank == 0 else time.sleep(600)\n", 1, stack)
    assert ended.exit_code != 0 or LAUNCHER_LOST_IT in ended.stderr, str(ended)
    assert f"rank 0 (host hosta) waited {WAITS_S}.0 s" in ended.stderr, str(ended)
    assert "for rank 1 (host hostb) in recv(" in ended.stderr, str(ended)


def test_a_collective_names_the_ranks_and_the_host_from_which_nothing_came(loses_its_second_host, stack: Stack) -> None:
    script = """
if rank >= 2:
    time.sleep(600)
try:
    c.allreduce(np.ones(10))
except mpi.Timeout as error:
    print(rank, error, file=sys.stderr, flush=True)
    time.sleep(1)
    mpi.abort(1)
"""
    ended = loses_its_second_host(script, 2, stack)
    assert f"rank 0 (host hosta) waited {WAITS_S}.0 s in allreduce()" in ended.stderr, str(ended)
    assert "not all other ranks called it, nothing came from rank 2 (host hostb)" in ended.stderr, str(ended)
    assert "rank 1 (host hosta)," not in ended.stderr, str(ended)
