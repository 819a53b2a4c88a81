"""The network of a cluster: a switch, and a wire from each host to it, which may have a limited rate."""

import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from polympi.lab.cluster.cluster import PATIENCE_S, ClusterError
from polympi.lab.cluster.host import NETWORK, Host
from polympi.lab.errors import UsageError

SWITCH = "switch"  # the bridge, and below it the ends of the wires: port1, port2, ...
PREFIX_LENGTH = 24
_UNITS = {"kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
_RATE = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*([kmg]bit)", re.IGNORECASE)
SLOWEST, FASTEST = 10**5, 10**12  # bits a second: below, a launch takes minutes to start; above, memory is slower
# A token bucket lets through at once what it has saved. It has to save something, as the kernel wakes up late for the
# next packet. Tried with two processors and a dozen busy processes: with what a wire carries in 0.1 ms half of the rate
# is lost, with 1 ms nothing. It holds at least two whole frames.
_BUCKET_S = 1e-3
_LEAST_BUCKET = 2 * 1514
_QUEUE_MS = 50  # of what waits for a wire before packets are dropped, as long as that of a usual switch
# Linux's usual control of congestion, whatever this machine has: BBR waits on timers for its estimate of the wire, and
# Open MPI took 430 us for 1 MiB with it and 140 to 180 with this.
CONGESTION_CONTROL = "cubic"
_COMMAND_S = 30  # for one command that sets up a network; they take milliseconds


def address(number: int) -> str:
    """The address of a host, counted from 0. No other network is met: the hosts reach nothing but each other."""
    return f"10.99.0.{number + 1}"


def read_rate(text: str) -> int:
    """Bits a second of a rate such as ``1gbit``."""
    found = _RATE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--rate needs a rate such as 100mbit, 1gbit or 2.5gbit, and not '{text}'.")
    bits = round(float(found[1]) * _UNITS[found[2].lower()])
    if not SLOWEST <= bits <= FASTEST:
        raise UsageError(f"--rate {text} is impossible: choose a rate from 100kbit to 1000gbit.")
    return bits


def connect(switch: Host, hosts: Sequence[Host], bits: int | None) -> None:
    """Lay a wire from each host to the switch, and wait until all carry."""
    _run(switch, f"ip link add {SWITCH} type bridge")
    _run(switch, f"ip link set {SWITCH} up")
    for number, host in enumerate(hosts):
        port = f"port{number + 1}"
        _run(switch, f"ip link add {port} type veth peer name {NETWORK} netns {host.holder}")
        _run(switch, f"ip link set {port} master {SWITCH} up")
        _run(host, f"ip addr add {host.address}/{PREFIX_LENGTH} dev {NETWORK}")
        _run(host, f"ip link set {NETWORK} up")
        if bits is not None:
            _limit(switch, port, bits)
            _limit(host, NETWORK, bits)
    choose_congestion_control(hosts)
    # The kernel says up to a second later that they are; UCX looks at that.
    deadline = time.monotonic() + PATIENCE_S
    while not all(host.is_connected() for host in hosts):
        if time.monotonic() > deadline:
            raise ClusterError("The network between the hosts does not come up: see what 'dmesg' says of it.")
        time.sleep(0.01)


def choose_congestion_control(hosts: Sequence[Host]) -> None:
    """Have TCP of the hosts be as Linux has it by default; it stays as it is where the kernel lacks that.

    It is said of each route: the setting of a network permits only the algorithms of tcp_allowed_congestion_control.
    """
    for host in hosts:
        for table in ("main", "local"):
            for route in host.ip(f"route show table {table} dev {NETWORK}").splitlines():
                if not route.startswith("broadcast"):
                    host.ip(f"route change {route} table {table} dev {NETWORK} congctl {CONGESTION_CONTROL}")


def limit_containers(hosts: Sequence[Host], bits: int) -> None:
    """Limit the wires that podman has laid, from the hosts to a switch in the network of this machine."""
    for host in hosts:
        other_end = Path(f"/proc/{host.holder}/root/sys/class/net/{NETWORK}/iflink").read_text(encoding="ascii")
        ports = [
            port.parent.name
            for port in Path("/sys/class/net").glob("*/ifindex")
            if port.read_text(encoding="ascii") == other_end
        ]
        if len(ports) != 1:
            raise ClusterError(
                f"The wire of {host.name} has no end on this machine, so that --rate is impossible here."
            )
        _limit(None, ports[0], bits)
        _limit(host, NETWORK, bits)


def _limit(host: Host | None, device: str, bits: int) -> None:
    bucket = max(_LEAST_BUCKET, round(bits / 8 * _BUCKET_S))
    _run(host, f"tc qdisc add dev {device} root tbf rate {bits}bit burst {bucket}b latency {_QUEUE_MS}ms")


def _run(host: Host | None, words: str) -> None:
    command = [*(["nsenter", f"--target={host.holder}", "--net"] if host else []), *words.split()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_COMMAND_S)
    if done.returncode:
        raise ClusterError(
            f"The network of the cluster cannot be made: '{words}' said '{done.stderr.strip()}'. The kernel may lack "
            "the modules bridge, veth or sch_tbf, or this container may not be allowed to make networks."
        )
