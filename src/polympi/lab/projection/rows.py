"""The rows of a projection: simulated times, and those of the analytic model, of every arm in every case."""

from collections.abc import Sequence
from dataclasses import dataclass

from polympi.lab.projection.cases import Case
from polympi.lab.projection.loggp import Model, announcement_ns, time_of
from polympi.lab.projection.model import BUILT, CALLED, LEVELS, ArmCosts, Line, Projected, Row
from polympi.lab.projection.plan import DOUBLED, NO_COST, called_line, ends_scaled, is_called, simulated_as
from polympi.lab.projection.simulator import nodes_of
from polympi.lab.records import REFERENCE

Seconds = dict[tuple[str, str, int, str], float]  # simulated time by arm, pattern, size and style


@dataclass(frozen=True)
class _Place:
    """A case with a number of ranks on a stack, and the way in which a binding's cost comes into it."""

    stack: Projected
    ranks: int
    case: Case
    style: str

    @property
    def called(self) -> bool:
        """Whether it is a collective that the binding only calls."""
        return is_called(self.case, self.style)

    @property
    def nodes(self) -> int:
        """On how many nodes the ranks are."""
        return nodes_of(self.stack.network, self.ranks)


def rows_of(stack: Projected, ranks: int, cases: Sequence[Case], seconds: Seconds) -> list[Row]:
    """The rows of a stack with one number of ranks, arm by arm; ``seconds`` also has smaller cases than wanted."""
    places = [_Place(stack, ranks, case, style) for case in cases for style in case.pattern.styles]
    return [_row(place, arm, seconds) for arm in stack.arms for place in places]


def _row(place: _Place, arm: ArmCosts, seconds: Seconds) -> Row:
    low, median, high = (time_ns(place, arm, level, seconds) for level in LEVELS)
    return Row(
        stack=place.stack.stack,
        binding=arm.binding,
        ranks=place.ranks,
        pattern=place.case.pattern.name,
        size_bytes=place.case.size_bytes,
        style=place.style,
        c_ns=time_ns(place, NO_COST, "median", seconds),
        low_ns=low,
        time_ns=median,
        high_ns=high,
        model_ns=_model_ns(place, arm, "median", place.stack.family),
        simulated=place.case.simulated(place.ranks),
    )


def time_ns(place: _Place, arm: ArmCosts, level: str, seconds: Seconds) -> float:
    """Time of a case, simulated, or by the model where there are too many messages."""
    case = place.case
    if not case.simulated(place.ranks):  # all libraries send this many messages directly, as MPICH does
        modelled = _model_ns(place, arm, level, "mpich")
        assert modelled is not None
        return modelled
    if place.called:
        line = called_line(arm, case.pattern.name, level)
        own = line.at(case.size_bytes)
        before = _further(place, arm) * _of_c(case.first, seconds, _style(case.first, arm)) + _announced_ns(place, arm)
        return _of_c(case, seconds, _style(case, arm)) + before + own
    if level != "median" and ends_scaled(arm, place.ranks):
        return _scaled_ns(place, arm, level, seconds)
    key = (simulated_as(arm, level, place.ranks), case.pattern.name, case.size_bytes, place.style)
    return seconds[key] * 1e9 / case.operations(place.ranks) + _announced_ns(place, arm)


def _scaled_ns(place: _Place, arm: ArmCosts, level: str, seconds: Seconds) -> float:
    """An end of an interval: what the median's cost adds, times the end's cost over the median's."""
    of_c, median = (time_ns(place, one, "median", seconds) for one in (NO_COST, arm))
    weight = _weight(place, arm, "median")
    return of_c + (median - of_c) * _weight(place, arm, level) / weight if weight else median


def _weight(place: _Place, arm: ArmCosts, level: str) -> float:
    """The cost that a case consists of: that of a message, and of a call of a collective if it makes such calls."""
    lines = [arm.message.at(level)]
    if place.case.pattern.has_collectives and place.style == CALLED:
        lines.append(called_line(arm, "allreduce", level))
    return sum(line.at(place.case.size_bytes) for line in lines)


def _style(case: Case, arm: ArmCosts) -> str:
    """How the messages of a called collective go: data that are announced, as the library sends them."""
    doubles = arm.doubles and case.pattern.name == "allreduce" and not arm.announces(case.size_bytes)
    return DOUBLED if doubles else BUILT


def _of_c(case: Case, seconds: Seconds, style: str) -> float:
    return seconds[REFERENCE, case.pattern.name, case.size_bytes, style] * 1e9


def _further(place: _Place, arm: ArmCosts) -> int:
    """Calls of MPI's collective, or rounds of small messages, that the binding makes before the data."""
    name, size = place.case.pattern.name, place.case.size_bytes
    rounds = arm.announces(size) and not arm.announced_along(name, size, place.nodes)
    return arm.calls.get(name, 1) - 1 + (arm.rounds.get(name, 0) if rounds else 0)


def _announced_ns(place: _Place, arm: ArmCosts) -> float:
    """What messages that announce data take, where the data follow at once and share their way."""
    name, size = place.case.pattern.name, place.case.size_bytes
    messages = int(arm.announces(size)) if name == "latency" else arm.announced_along(name, size, place.nodes)
    return messages * announcement_ns(place.stack.network, size) if messages else 0.0


def _model_ns(place: _Place, arm: ArmCosts, level: str, family: str) -> float | None:
    """Time of a case by the analytic model; None where it has no schedule."""
    name, size = place.case.pattern.name, place.case.size_bytes
    if place.case.pattern.has_collectives and place.style == CALLED:
        return None
    model = Model(place.stack.network, place.ranks, Line() if place.called else arm.message.at(level))
    found = time_of(model, _schedule(place, place.case, arm), size, family)
    if found is None or not place.called:
        return None if found is None else found + _announced_ns(place, arm)
    line = called_line(arm, name, level)
    before = _announced_ns(place, arm)
    if further := _further(place, arm):
        first = time_of(model, _schedule(place, place.case.first, arm), place.case.first.size_bytes, family)
        if first is None:
            return None
        before += further * first
    return found + before + line.at(size)


def _schedule(place: _Place, case: Case, arm: ArmCosts) -> str:
    """The model's name of how the messages of a case go."""
    return "doubling" if place.called and _style(case, arm) == DOUBLED else case.pattern.name
