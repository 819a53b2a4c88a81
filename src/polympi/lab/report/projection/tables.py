"""The tables of a projection: the words of each cell, the same in every format."""

from collections.abc import Sequence
from dataclasses import dataclass

from polympi.lab.conclusions.phrases import MINUS, percent, plain_ratio
from polympi.lab.projection.against import Miss
from polympi.lab.projection.cases import ENDS_BELOW
from polympi.lab.projection.conclusions import NEGLIGIBLE, Scale, scales_of
from polympi.lab.projection.model import LEVELS, ArmCosts, Network, Projected, Projection, Row
from polympi.lab.units import format_ns, format_size

KEY = (
    "A cell: the time of C, and what the binding adds to it, with the cost at both ends of its measured interval. In a "
    "collective, called: the binding calls MPI's, which costs once; built: the collective consists of messages of its "
    "own. Times: how many times the cost of one message comes in, with the most ranks; below zero where messages that "
    "set off later are less in each other's way on the simulated wires. Gone from: ranks from which on less than "
    f"{percent(NEGLIGIBLE)} is added. LogGP: the analytic model's time over the simulated one, with the most ranks; a "
    f"tilde marks times that are of the model alone. From {ENDS_BELOW} ranks on the ends of an interval are not "
    "simulated but derived from its median, in proportion to the costs."
)
AGAINST_HEADERS = ("binding", "case", "size", "predicted", "measured", "error", "")


@dataclass(frozen=True)
class Table:
    """A table."""

    title: str
    headers: tuple[str, ...]  # of the columns; the first `words` columns hold words, the others numbers
    lines: Sequence[tuple[str, ...]]
    words: int = 2


def arm_table(projection: Projection, stack: Projected, arm: ArmCosts) -> Table:
    """An arm: one line per case, one column per number of ranks."""
    ranks = [f"{number} ranks" for number in projection.ranks]
    headers = ("case", "collective", *ranks, "times", "gone from", "LogGP")
    lines = [_line(scale) for scale in scales_of(projection, stack, arm)]
    return Table(f"{arm.binding} on {stack.stack}, network {stack.network.name}", headers, lines)


def cost_table(stack: Projected) -> Table:
    """What went in: the measured costs of the arms of a stack."""
    lines: list[tuple[str, ...]] = [
        (
            arm.binding,
            arm.payload,
            *(f"{format_ns(arm.message.at(level).per_call_ns)}" for level in LEVELS),
            format_ns(arm.message.median.per_byte_ns * 2**20),
            ", ".join(_collective(arm, name) for name in arm.collectives) or "–",
        )
        for arm in stack.arms
    ]
    headers = ("binding", "payload", "low", "a message", "high", "each MiB", "a call of a collective")
    way = "by the network" if stack.by_network else "in memory that ranks share"
    return Table(f"Costs over C on {stack.stack}, measured {way}", headers, lines)


def _collective(arm: ArmCosts, name: str) -> str:
    calls = arm.calls.get(name, 1)
    cost = format_ns(arm.collectives[name].median.per_call_ns)
    return f"{name} {cost}{f' and {calls} calls of C' if calls > 1 else ''}"


def against_table(found: Sequence[Miss]) -> Table:
    """Predicted and measured figures."""
    lines = [
        (
            one.binding,
            one.pattern,
            format_size(one.size_bytes) if one.size_bytes else "",
            format_ns(one.predicted_ns),
            format_ns(one.measured_ns),
            _signed(one.error),
            "given" if one.given else "" if one.within else "missed, clocks" if one.doubtful else "missed",
        )
        for one in found
    ]
    return Table("Predicted and measured", AGAINST_HEADERS, lines)


def network_sentence(network: Network) -> str:
    """A network in one sentence."""
    per_node = f"{network.ranks_per_node} {'rank' if network.ranks_per_node == 1 else 'ranks'} a node"
    ends = (network.send[0][1] + network.receive[0][1]) if network.send and network.receive else 0.0
    return (
        f"Network {network.name}: {network.origin}; latency {format_ns(network.latency_ns)}, both ends of a small "
        f"message in C {format_ns(ends)}, {network.bandwidth_mb_per_s:.4g} MB/s, {per_node}."
    )


def _line(scale: Scale) -> tuple[str, ...]:
    last = scale.rows[-1]
    times = scale.times(last)
    return (
        scale.title,
        scale.style,
        *(_cell(row) for row in scale.rows),
        "" if times is None else f"{times:.1f}".replace("-", MINUS),
        "not yet" if scale.gone_from is None else str(scale.gone_from),
        plain_ratio(last.model_ns / last.time_ns) if last.model_ns and last.simulated else "",
    )


def _cell(row: Row) -> str:
    low, high = sorted((row.low_ns / row.c_ns - 1.0, row.high_ns / row.c_ns - 1.0))
    span = "" if high - low < 0.0005 else f" ({_share(low)} to {_share(high)})"
    return f"{'' if row.simulated else '~'}{format_ns(row.c_ns)} {_signed(row.ratio - 1.0)}{span}"


def _share(fraction: float) -> str:
    return f"{'−' if round(fraction, 4) < 0 else ''}{percent(abs(fraction))}".removesuffix(" %")


def _signed(fraction: float) -> str:
    return f"{'−' if round(fraction, 4) < 0 else '+'}{percent(abs(fraction))}"
