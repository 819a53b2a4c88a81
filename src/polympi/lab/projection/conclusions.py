"""At which scale a binding's cost disappears in the network, or multiplies in collectives."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polympi.lab.conclusions.phrases import count, factor, listing, percent
from polympi.lab.projection.cases import PATTERNS
from polympi.lab.projection.model import BUILT, CALLED, ArmCosts, Projected, Projection, Row
from polympi.lab.units import format_ns, format_size

# A share of C's time below which a cost has disappeared: what changes a figure by less is hard to see even in a good
# measurement over a network, whose launches differ by some percent.
NEGLIGIBLE = 0.05
# How many times the cost of a message comes in a call, from which on it is said to multiply: in a call whose ranks
# answer each other there are two messages at the least.
MULTIPLIED = 2.0
SMALL = 8  # bytes of the cases that sentences quote


@dataclass(frozen=True)
class Scale:
    """One arm in one case over all numbers of ranks."""

    rows: tuple[Row, ...]  # by rising number of ranks
    # Ranks from which on the cost is below `NEGLIGIBLE` of C's time, with the upper end of its interval; None if it is
    # not at the largest number.
    gone_from: int | None
    message_ns: float  # what a message of this size costs the arm more than C

    @property
    def title(self) -> str:
        """The case in words."""
        first = self.rows[0]
        return f"{PATTERNS[first.pattern].title}{', ' + format_size(first.size_bytes) if first.size_bytes else ''}"

    @property
    def style(self) -> str:
        """How the cost comes in: called or built; empty where there is only one way."""
        return self.rows[0].style if len(PATTERNS[self.rows[0].pattern].styles) > 1 else ""

    def times(self, row: Row) -> float | None:
        """How many times the cost of a message comes in; None if a message costs nothing."""
        return row.added_ns / self.message_ns if self.message_ns > 0 else None


def high_share(row: Row) -> float:
    """What the binding adds at the upper end of its interval, as a share of C's time."""
    return max(row.high_ns, row.time_ns) / row.c_ns - 1.0


def scales_of(projection: Projection, stack: Projected, arm: ArmCosts) -> list[Scale]:
    """The cases of an arm in the order of the projection."""
    cases: dict[tuple[str, int, str], list[Row]] = {}
    for row in projection.rows:
        if (row.stack, row.binding) == (stack.stack, arm.binding):
            cases.setdefault((row.pattern, row.size_bytes, row.style), []).append(row)
    return [_scale(sorted(rows, key=lambda row: row.ranks), arm) for rows in cases.values()]


def sentences(projection: Projection, stack: Projected, arm: ArmCosts) -> list[str]:
    """What the projection says about an arm: its cost, where it disappears, where it multiplies."""
    if not arm.shown:
        found = "is faster than C" if arm.saves else "is not separated from C"
        why = "" if stack.by_network else ": what is saved in memory that ranks share is not saved on a network"
        return [f"{arm.binding} {found} in the ping-pong that was measured, so that there is no cost to project{why}."]
    message = arm.message
    span = f"{format_ns(message.low.per_call_ns)} to {format_ns(message.high.per_call_ns)}"
    first = f"{arm.binding} adds {format_ns(message.median.per_call_ns)} to a message ({span})"
    if message.median.per_byte_ns * 2**20 >= message.median.per_call_ns:
        first += f", and {format_ns(message.median.per_byte_ns * 2**20)} for each MiB"
    scales = scales_of(projection, stack, arm)
    return [f"{first}.", *_disappears(scales, projection.ranks), *_repeats(arm), *_multiplies(scales)]


def summary(projection: Projection) -> list[str]:
    """The sentences of all arms, stack by stack."""
    many = len(projection.stacks) > 1
    return [
        f"{'On ' + stack.stack + ': ' if many else ''}{' '.join(sentences(projection, stack, arm))}"
        for stack in projection.stacks
        for arm in stack.arms
    ]


def model_sentence(projection: Projection) -> str:
    """How far the simulation and the analytic model are from each other."""
    ratios = sorted(
        row.model_ns / row.time_ns for row in projection.rows if row.simulated and row.model_ns and row.time_ns
    )
    alone = sum(1 for row in projection.rows if not row.simulated)
    rest = f" {count(alone, 'row')} with too many messages for the simulator are of the model alone." if alone else ""
    if not ratios:
        return f"The analytic model has no schedule for these cases.{rest}"
    middle = ratios[len(ratios) // 2]
    within = sum(1 for ratio in ratios if 0.9 <= ratio <= 1.1)
    return (
        f"The analytic model (LogGP) gives {factor(middle)} × the simulated time in the median, {factor(ratios[0])} to "
        f"{factor(ratios[-1])} ×; {within} of {count(len(ratios), 'row')} are within 10 %.{rest}"
    )


def _scale(rows: Sequence[Row], arm: ArmCosts) -> Scale:
    gone = None
    for row in reversed(rows):
        if high_share(row) >= NEGLIGIBLE:
            break
        gone = row.ranks
    line = arm.message.median
    return Scale(tuple(rows), gone, line.at(rows[0].size_bytes))


def _disappears(scales: Iterable[Scale], ranks: Sequence[int]) -> list[str]:
    """Where the cost is below the limit, and where it is not at the largest number of ranks."""
    least, most = min(ranks), max(ranks)
    quoted = [scale for scale in scales if scale.rows[0].size_bytes in (0, SMALL) or not _is_plain(scale)]
    always = [scale for scale in quoted if scale.gone_from == least]
    later = [scale for scale in quoted if scale.gone_from not in (None, least)]
    never = [scale for scale in quoted if scale.gone_from is None]
    said = []
    if always and len(always) == len(quoted):
        said.append(f"It disappears (below {percent(NEGLIGIBLE)} of C's time) at every scale in every case.")
    elif always:
        said.append(f"It disappears (below {percent(NEGLIGIBLE)} of C's time) at every scale in {_names(always)}.")
    said += [f"In {_name(scale)} it disappears from {scale.gone_from} ranks on." for scale in later]
    if never:
        shares = [f"{_name(scale)} ({_of_c(scale.rows[-1])})" for scale in never]
        said.append(f"With {most} ranks it still shows in {listing(shares)}.")
    return said


def _of_c(row: Row) -> str:
    """What a binding adds, as a share of C's time or how many times that."""
    added = row.ratio - 1.0
    return f"{factor(row.ratio)} × C's time" if added >= 1.0 else percent(added)


def _repeats(arm: ArmCosts) -> list[str]:
    """In which collectives the arm calls MPI's more than once."""
    names = [f"each {name} calls MPI's {number} times" for name, number in arm.calls.items() if number > 1]
    return [f"In it {listing(names)}, and each call takes the network."] if names else []


def _multiplies(scales: Iterable[Scale]) -> list[str]:
    found = []
    for scale in scales:
        first, last = scale.rows[0], scale.rows[-1]
        begin, end = scale.times(first), scale.times(last)
        if scale.style == BUILT and last.size_bytes in (0, SMALL) and begin and end and end >= MULTIPLIED:
            grown = f"{begin:.1f} times with {first.ranks} ranks and " if first is not last else ""
            found.append(f"{grown}{end:.1f} times with {last.ranks} in {scale.title}")
    if not found:
        return []
    return [f"In collectives that consist of its own messages, the cost of a message comes {listing(found)}."]


def _is_plain(scale: Scale) -> bool:
    return PATTERNS[scale.rows[0].pattern].collective or scale.rows[0].pattern == "latency"


def _names(scales: Sequence[Scale]) -> str:
    """Cases, each once: without its style where both ways are there."""
    titles = [scale.title for scale in scales]
    both = {title for title in titles if titles.count(title) > 1}
    return listing(dict.fromkeys(scale.title if scale.title in both else _name(scale) for scale in scales))


def _name(scale: Scale) -> str:
    words = {CALLED: " (called)", BUILT: " (built)", "": ""}[scale.style]
    return f"{scale.title}{words}"
