"""How far the clock of a host is from that of this process, and how fast they drift apart, each with its error.

The model is that of hierarchical clock synchronization (S. Hunold and A. Carpen-Amarie, "Hierarchical clock
synchronization in MPI", IEEE Cluster 2018): offsets at several moments, each from the shortest of many round trips
(F. Cristian, "Probabilistic clock synchronization", 1989), and a straight line through them. Here the error of a line
is a bound and no estimate: the other clock was read somewhere in a round trip, so an offset is wrong by half of it at
the most, and a line through offsets by as much as their errors can turn and move it, if clocks run evenly meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

ROUND_TRIPS = 20  # of which the shortest counts, as in the harness
NS_PER_S = 10**9


class Exchange(NamedTuple):
    """One round trip to another host, in ns."""

    sent: int  # when the question was sent, on our monotonic clock
    returned: int  # when the answer came
    monotonic: int  # what the host's monotonic clock showed in between
    of_day: int  # what its clock of the day showed, less what ours is ahead of our monotonic clock


@dataclass(frozen=True)
class Offset:
    """What another clock showed more than ours, at a moment."""

    when: int  # the moment, on our clock in ns
    ns: int  # the offset
    error: int  # how much it may be wrong: half of the round trip


@dataclass(frozen=True)
class Line:
    """An offset that changes evenly."""

    middle: float  # the moment in ns, on our clock, at which the offset is known best
    ns: float  # the offset at that moment
    drift: float  # what the other clock advances more, as a share of what ours does
    drift_error: float  # how much that may be wrong; infinite if all offsets are of one moment
    offsets: tuple[Offset, ...]  # what the line was laid through
    weights: tuple[float, ...]  # of the offsets, which sum to 1

    def at(self, when: float) -> float:
        """The offset in ns at a moment of our clock."""
        return self.ns + self.drift * (when - self.middle)

    def error_at(self, when: float) -> float:
        """How much the offset at a moment may be wrong, in ns, if both clocks run evenly.

        The line is a weighted sum of the offsets; so its error is at most the sum of theirs with the same weights.
        """
        return sum(
            abs(share + turn * (when - self.middle)) * offset.error
            for share, turn, offset in zip(self.weights, _turns(self.offsets, self.weights), self.offsets, strict=True)
        )


def best_offset(exchanges: Sequence[Exchange], of_day: bool = False) -> Offset:
    """The offset that the shortest of some round trips shows, of the monotonic clock or of the clock of the day."""
    best = min(exchanges, key=lambda one: one.returned - one.sent)
    half = (best.returned - best.sent) // 2
    middle = best.sent + half
    shown = best.of_day if of_day else best.monotonic
    return Offset(middle, shown - middle, best.returned - best.sent - half)


def fit(offsets: Sequence[Offset]) -> Line:
    """The straight line through offsets by least squares, each weighed by its error; with one, the drift is unknown."""
    smallest = [1 / max(1, one.error) ** 2 for one in offsets]
    weights = tuple(weight / sum(smallest) for weight in smallest)
    origin = offsets[0].when  # differences are exact in floating point, moments are not
    middle = origin + sum(w * (one.when - origin) for w, one in zip(weights, offsets, strict=True))
    turns = _turns(offsets, weights)
    base = offsets[0].ns
    level = base + sum(w * (one.ns - base) for w, one in zip(weights, offsets, strict=True))
    drift = sum(turn * (one.ns - base) for turn, one in zip(turns, offsets, strict=True))
    known = any(turns)
    error = sum(abs(turn) * one.error for turn, one in zip(turns, offsets, strict=True))
    return Line(middle, level, drift, error if known else float("inf"), tuple(offsets), weights)


def _turns(offsets: Sequence[Offset], weights: Sequence[float]) -> list[float]:
    """What each offset contributes to the slope of the line."""
    origin = offsets[0].when
    times = [one.when - origin for one in offsets]
    middle = sum(w * t for w, t in zip(weights, times, strict=True))
    spread = sum(w * (t - middle) ** 2 for w, t in zip(weights, times, strict=True))
    if spread == 0:
        return [0.0] * len(times)
    return [w * (t - middle) / spread for w, t in zip(weights, times, strict=True)]
