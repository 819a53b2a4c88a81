"""What tests of clusters do, whatever their hosts are."""

import contextlib
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.cluster.wires import SWITCH

# Sends $2 bytes from here to there, and says how long that took.
RECEIVE = """
import socket, sys
server = socket.create_server(("", 5001))
print("ready", flush=True)
connection, _ = server.accept()
while connection.recv(1 << 16):
    pass
"""
SEND = """
import socket, sys, time
connection = socket.create_connection((sys.argv[1], 5001))
began = time.monotonic()
connection.sendall(bytes(int(sys.argv[2])))
connection.shutdown(socket.SHUT_WR)
connection.recv(1)
print(time.monotonic() - began)
print(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(bytes(1)).decode())
"""


def until(true: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def until_a_block_is_measured(directory: Path, running: subprocess.Popen[str]) -> None:
    """Wait until a run, which must not end meanwhile, has measured a block and begun the next."""
    launches = directory / "launches.jsonl"

    def measured() -> bool:
        assert running.poll() is None, running.communicate()
        return launches.exists() and '"block":1,' in launches.read_text()

    until(measured, 200)


def run_of_job(cluster: Cluster, directory: Path) -> psutil.Process:
    """The process that Slurm has started for a job: its batch script, whose place the run has taken."""
    found = {}
    for process in cluster.processes():
        with contextlib.suppress(psutil.NoSuchProcess):  # it has ended meanwhile, as launches do
            words = process.cmdline()
            if {"--time-limit", str(directory)} <= set(words) and "submit" not in words:
                found[process.pid] = process, process.ppid()
    # A child that it has just forked has its command line until it executes a launcher.
    return next(process for process, parent in found.values() if parent not in found)


def networks() -> list[str]:
    return sorted(path.name for path in Path("/sys/class/net").iterdir())


def wires() -> list[str]:
    """What clusters have among the networks of the machine: nothing. Other tests make others meanwhile."""
    return [name for name in networks() if name.startswith((SWITCH, "port"))]


def output(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def seconds_to_send(cluster: Cluster, nbytes: int) -> float:
    """How long bytes take from the first host to the second."""
    return float(_sent(cluster, nbytes)[0])


def congestion_control(cluster: Cluster) -> str:
    return _sent(cluster, 1)[1]


def _sent(cluster: Cluster, nbytes: int) -> list[str]:
    receiver = cluster.hosts[1].command(["python3", "-c", RECEIVE])
    with subprocess.Popen(receiver, stdout=subprocess.PIPE, text=True) as receiving:
        assert receiving.stdout
        assert receiving.stdout.readline() == "ready\n"
        sender = ["python3", "-c", SEND, cluster.hosts[1].address, str(nbytes)]
        try:
            return output(cluster.first.command(sender)).split()
        finally:
            receiving.kill()
