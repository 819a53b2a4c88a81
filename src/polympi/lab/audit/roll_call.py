"""The roll call: ranks in the same place, and why those wait that wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polympi.lab.audit.judge import judge
from polympi.lab.audit.layout import State
from polympi.lab.audit.standing import Activity, Situation, Standing
from polympi.lab.audit.verdict import Verdict
from polympi.lab.audit.words import at, details, ranks_text, seconds_text

_SHOWN_REQUESTS = 3  # of a group; programs that wait for hundreds repeat themselves


@dataclass(frozen=True)
class Place:
    """Ranks in the same place."""

    ranks: tuple[int, ...]
    text: str
    seconds: tuple[float, float]  # the shortest and the longest that they have been there
    requests: tuple[str, ...] = ()  # operations that have begun and not ended


@dataclass(frozen=True)
class RollCall:
    """Where all ranks are, and why they wait."""

    places: tuple[Place, ...]
    verdict: Verdict | None

    @property
    def signature(self) -> object:
        """What differs when something has changed; time that passes does not."""
        verdict = (self.verdict.kind, self.verdict.ranks) if self.verdict else None
        return verdict, tuple((place.ranks, place.text) for place in self.places)


def call_roll(situation: Situation) -> RollCall:
    """Group the ranks of a situation, the most first, and judge it."""
    groups: dict[tuple[str, tuple[str, ...]], list[Standing]] = {}
    for _, standing in sorted(situation.standings.items()):
        key = _place(standing, situation), _requests(standing, situation)
        groups.setdefault(key, []).append(standing)
    places = [
        Place(tuple(one.rank for one in ranks), text, _times(ranks), requests)
        for (text, requests), ranks in groups.items()
    ]
    absent = tuple(rank for rank in range(situation.size) if rank not in situation.standings)
    if absent:
        places.append(
            Place(absent, "without a file: not through MPI_Init, or on a host with another folder", (0.0, 0.0))
        )
    places.sort(key=lambda place: (-len(place.ranks), place.ranks))
    return RollCall(tuple(places), judge(situation))


def _times(ranks: Sequence[Standing]) -> tuple[float, float]:
    seconds = [one.polling if one.polls else one.call.seconds if one.call else 0.0 for one in ranks]
    return min(seconds), max(seconds)


def _place(standing: Standing, situation: Situation) -> str:
    """Where a rank is, in the words that ranks in the same place share."""
    call = standing.call
    process = standing.process
    marks = {Activity.STOPPED: "stopped by a signal, ", Activity.GONE: "its process has ended, "}
    mark = marks.get(process.activity, "") if standing.state == State.RUNNING else ""
    if standing.state == State.FINALIZED and not standing.inside:
        return "through MPI_Finalize"
    if standing.state in (State.EXITED, State.FAILED):
        return standing.how_ended
    if call is None:
        return f"{mark}before its first call"
    if standing.inside or standing.polls:
        more = details(call, situation)
        text = f"{at(call)}{f' ({more})' if more else ''}"
        return f"{mark}{'in' if standing.inside else 'polling with'} {text}"
    doing = f"in a {process.doing}, " if process.activity == Activity.READING else ""
    return f"{mark}{doing}outside MPI, after {at(call)}"


def _requests(standing: Standing, situation: Situation) -> tuple[str, ...]:
    """The oldest operations that have not ended, other than the call itself."""
    found = []
    for operation in standing.pending:
        more = details(operation, situation)
        found.append(f"{at(operation)}{f' ({more})' if more else ''}")
    shown = found[:_SHOWN_REQUESTS]
    return (*shown, f"and {len(found) - len(shown)} more") if len(found) > len(shown) else tuple(shown)


def lines(roll: RollCall, title: str) -> Iterator[str]:
    """The roll call as text."""
    yield title
    for place in roll.places:
        first, last = (seconds_text(seconds) for seconds in place.seconds)
        time = f" for {last}" if first == last else f" for {first} to {last}"
        yield f"  {ranks_text(place.ranks)}: {place.text}{time if last != '0 s' else ''}"
        if place.requests:
            yield f"    not ended: {'; '.join(place.requests)}"
    if roll.verdict is not None:
        yield f"  {'Hang' if roll.verdict.hang else 'Waiting'} ({roll.verdict.kind.value}): {roll.verdict.sentence}"
