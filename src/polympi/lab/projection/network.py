"""Networks: documented presets, files of users, and networks as C measured them between two hosts."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from polympi.lab.decoding import what_is_wrong
from polympi.lab.errors import UsageError, system_reason
from polympi.lab.projection.costs import c_points
from polympi.lab.projection.model import Network, Points, time_at
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import Analysis

# A frame of Ethernet takes 1538 bytes of wire time (preamble 8, header 14, payload 1500, check 4, gap 12), of which TCP
# over IPv4 with timestamps carries 1448: 125 MB/s * 1448 / 1538 = 117.7 MB/s.
_GIGABIT_MB_PER_S = 125.0 * 1448 / 1538
# 100 Gbit/s are 12500 MB/s. A packet of InfiniBand carries 4096 bytes with 26 of headers and checks (LRH 8, BTH 12,
# ICRC 4, VCRC 2).
_100G_MB_PER_S = 12500.0 * 4096 / (4096 + 26)

PRESETS = {
    "gigabit": Network(
        name="gigabit",
        origin="preset: TCP over Gigabit Ethernet through one switch, nodes of 8 ranks",
        # Two cards that gather packets for some 10 µs before they interrupt, and a switch that stores a frame; together
        # with both calls of the kernel 45 µs, within the 40 to 60 µs that ping-pongs over TCP take there.
        latency_ns=25_000.0,
        bandwidth_mb_per_s=_GIGABIT_MB_PER_S,
        ranks_per_node=8,
        # A call of the kernel's TCP, with its copy at 5 GB/s.
        send=[(0, 10_000.0), (10**6, 210_000.0)],
        receive=[(0, 10_000.0), (10**6, 210_000.0)],
    ),
    "100g": Network(
        name="100g",
        origin="preset: 100 Gbit/s past the kernel (InfiniBand EDR, RoCE) through one switch, nodes of 32 ranks",
        # Two cards of 300 ns each and a switch of 100 ns, as makers state them; with 250 ns of a processor at each end
        # 1.2 µs, which is what ping-pongs take there.
        latency_ns=700.0,
        bandwidth_mb_per_s=_100G_MB_PER_S,
        ranks_per_node=32,
        send=[(0, 250.0)],  # the card copies
        receive=[(0, 250.0)],
    ),
}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    """The content of a network file, in the units that people state."""

    name: str
    latency_us: float
    bandwidth_mb_per_s: float
    ranks_per_node: int = 1
    send_us: float = 0.0
    receive_us: float = 0.0
    both_us: float = 0.0


def get_network(text: str) -> Network | Path:
    """The network of a preset or a file; of a result directory its path, since each of its stacks is a network."""
    if text in PRESETS:
        return PRESETS[text]
    path = Path(text)
    if path.is_dir():
        return path
    if not path.is_file():
        raise UsageError(
            f"There is no network '{text}': choose {', '.join(PRESETS)}, a TOML file (docs/projection.md), or the "
            "result directory of a run over two hosts."
        )
    return _read(path)


def _read(path: Path) -> Network:
    try:
        found = msgspec.toml.decode(path.read_text(encoding="utf-8"), type=_File)
    except OSError as error:
        raise UsageError(f"Cannot read the network '{path}': {system_reason(error)}.") from error
    except ValueError as error:
        raise UsageError(f"The network '{path}' cannot be used: {what_is_wrong(error, _File)}.") from error
    least = {name: getattr(found, name) for name in ("latency_us", "send_us", "receive_us", "both_us")}
    for name, value in least.items():
        if not 0 <= value < float("inf"):
            raise UsageError(f"The network '{path}' cannot be used: {name} must be a time of 0 or more.")
    if not 0 < found.bandwidth_mb_per_s < float("inf") or found.ranks_per_node < 1:
        raise UsageError(
            f"The network '{path}' cannot be used: bandwidth_mb_per_s and ranks_per_node must be more than 0."
        )
    return Network(
        name=found.name,
        origin=f"the file {path.name}",
        latency_ns=1000.0 * found.latency_us,
        bandwidth_mb_per_s=found.bandwidth_mb_per_s,
        ranks_per_node=found.ranks_per_node,
        send=[(0, 1000.0 * found.send_us)],
        receive=[(0, 1000.0 * found.receive_us)],
        both=[(0, 1000.0 * found.both_us)] if found.both_us else [],
    )


def measured_network(path: Path, stack: str) -> Network:
    """The network that a run over two hosts has measured: C's ping-pong, bcast, window of messages, and exchange.

    The exchange is that of ``latency/sendrecv``; where that was not measured it is the barrier of two ranks, which
    exchanges empty messages. A bcast of two ranks is a message.
    """
    analysis = analyse(RunDirectory.open(path))
    name = _stack_of(analysis, stack, path)
    latency = c_points(analysis, name)
    if analysis.run.hostfile is None or len(latency) < 2:
        why = "it was on one host" if analysis.run.hostfile is None else "it has no ping-pong of two sizes by C"
        raise UsageError(
            f"'{path}' cannot describe a network, because {why}: measure one with 'polympi run --hostfile FILE "
            "--ranks 2 --bench latency/standard/bytes,latency/sendrecv/bytes,bandwidth/standard/bytes,bcast'."
        )
    one_way = c_points(analysis, name, "bcast") if analysis.run.ranks == 2 else []
    exchange, described_by = c_points(analysis, name, mode="sendrecv"), ["latency"]
    # A barrier of more ranks is several exchanges, one after the other.
    if not exchange and analysis.run.ranks == 2 and (exchange := c_points(analysis, name, "barrier", "none")):
        described_by.append("barrier")
    if len(one_way) > 1:
        described_by.append("bcast")
        latency = middle_of(latency, one_way)
    origin = f"{path.name}, {name}{_bursts(analysis)}"
    network = network_of(latency, c_points(analysis, name, "bandwidth"), origin, exchange)
    return msgspec.structs.replace(network, described_by=described_by)


def _bursts(analysis: Analysis) -> str:
    """What a limited rate of a test cluster does, which no other network does and no simulation here."""
    rate = (analysis.environment.metadata.get("cluster") or {}).get("rate")
    if not rate:
        return ""
    return f"; wires of {rate} that let a burst pass at once after a pause, which is not simulated"


def middle_of(ping_pong: Points, one_way: Points) -> Points:
    """A message by what it takes in a ping-pong and one way, in ns by size, between which a binding's may be.

    In a ping-pong each end also does what its last message still asks of its system (acknowledgements, memory given
    back); on TCP, C's 32 KiB take 1.2 to 1.3 times what they take one way.
    """
    return [(size, (time + time_at(one_way, size)) / 2) for size, time in ping_pong]


def network_of(latency: Points, window: Points, name: str, exchange: Sequence[tuple[int, float]] = ()) -> Network:
    """A network from the time of a message in a ping-pong, in a window of many, and of two that cross; ns by size.

    In a window a message takes what its slower end takes a processor (Culler et al., "LogP", PPoPP 1993): with the
    smallest message this is the overhead of an end, at most half of a ping-pong; the rest of the ping-pong is latency.
    The bandwidth is that of the steepest measured line, so that a wire is never slower than was seen. What the
    ping-pong takes beyond that at a size (other protocols, a token bucket that is empty) is time of both its ends, so
    that the ping-pong is met at each measured size. What two messages that cross take longer than one is time of the
    receivers, which send meanwhile: the system of each host has both to do; with one size it is the same at each.
    Without a window all of a ping-pong, of two sizes or more, is overhead of its ends.
    """
    least = latency[0][1]
    overhead = min(window[0][1], least / 2) if window else least / 2
    steps = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(latency)]
    steps += [time / size for size, time in window if size >= 2**16]
    rising = [step for step in steps if step > 0]
    per_byte = min(rising) if rising else 0.0
    delay = least - 2 * overhead
    ends = [(size, max(0.0, time - delay - per_byte * size) / 2) for size, time in latency]
    return Network(
        name="measured",
        origin=f"measured by C between two hosts ({name})",
        latency_ns=delay,
        bandwidth_mb_per_s=1000.0 / per_byte if per_byte else 1e6,
        send=ends,
        receive=ends,
        both=[(size, max(0.0, time - time_at(latency, size))) for size, time in exchange],
    )


def _stack_of(analysis: Analysis, stack: str, path: Path) -> str:
    """The stack's own measurement, else the only one there is."""
    names = [one.stack for one in analysis.run.stacks]
    same = [one.stack for one in analysis.run.stacks if stack in (one.stack, one.installation)]
    if same or len(names) == 1:
        return (same or names)[0]
    raise UsageError(f"'{path}' has no stack '{stack}' whose network could be taken: it has {', '.join(names)}.")
