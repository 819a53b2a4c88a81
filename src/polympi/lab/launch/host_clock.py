"""When something happened by the clock of another host: its clock is compared with ours around each launch.

The model is that of :mod:`polympi.lab.survey.clocks`: the shortest of many round trips before the launch and after it,
and a straight line between them. Both comparisons are made while no rank runs.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterable
from typing import NamedTuple

from polympi.lab.errors import UsageError
from polympi.lab.survey.clocks import ROUND_TRIPS, Offset, best_offset, fit
from polympi.lab.survey.reach import HostLost, Reach, short_name
from polympi.lab.survey.session import START_S, Session

# Two clocks do not drift apart by more than this share of the time: Linux turns each by at most 500 parts in a million
# to follow the time of day (MAXFREQ in include/linux/timex.h), and a quartz is off by at most 100.
FASTEST_DRIFT = 1.2e-3


class Moment(NamedTuple):
    """A moment on our monotonic clock."""

    ns: int  # when it was
    error_ns: int  # how much that may be wrong


class UnknownMoment(Exception):  # noqa: N818 (it is what is the case)
    """Nobody knows when it was by our clock; the text is the end of a sentence that says why."""


class HostClocks:
    """The clocks of the hosts on which rank 0 was seen, if separate from ours; names are those of the host file.

    A host is reached when it is first asked for, and its probe sleeps until it is asked again.
    """

    def __init__(self, names: Iterable[str], reach: Callable[[], Reach]) -> None:
        self._names = list(names)
        self._reach = reach
        self._sessions: dict[str, Session] = {}
        self._compared: dict[str, Offset] = {}  # before the current launch
        self._unreachable: dict[str, str] = {}

    def __enter__(self) -> HostClocks:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()

    def before_launch(self) -> None:
        """Compare the clocks of all hosts that were asked for before."""
        self._compared.clear()
        for host in list(self._sessions):
            with contextlib.suppress(HostLost):  # then it is asked again, and the launch records the reason
                self._compared[host] = self._compare(host)

    def moment(self, host: str, shown_ns: int) -> Moment:
        """When the clock of a host showed a time, in the launch that has just ended, or UnknownMoment."""
        try:
            after = self._compare(host)
        except HostLost as lost:
            raise UnknownMoment(
                f"rank 0 ran on {host}, whose clock could not be compared with that of {socket.gethostname()}: "
                f"{host} {lost}"
            ) from lost
        before = self._compared.get(host)
        line = fit([before, after] if before else [after])
        ours = shown_ns - line.ns
        for _ in range(2):  # each turn leaves the drift's share of the error of the one before
            ours = shown_ns - line.at(ours)
        if before:
            return Moment(round(ours), round(line.error_at(ours)))
        return Moment(round(ours), round(after.error + FASTEST_DRIFT * abs(after.when - ours)))

    def _compare(self, host: str) -> Offset:
        """What the clock of a host shows more than ours, now; HostLost if it does not answer."""
        if host in self._unreachable:
            raise HostLost(self._unreachable[host])
        if host not in self._sessions:
            self._sessions[host] = self._begun(host)
        try:
            return best_offset([self._sessions[host].exchange() for _ in range(ROUND_TRIPS)])
        except HostLost:
            self._sessions.pop(host).close()
            raise

    def _begun(self, host: str) -> Session:
        """A conversation with a host; after a HostLost nobody tries again, since each try may take 30 s."""
        try:
            return _conversation(host, self._name(host), self._reach())
        except UsageError as error:
            lost = HostLost(f"cannot be reached. {error}")
        except HostLost as found:
            lost = found
        self._unreachable[host] = str(lost)
        raise lost

    def _name(self, host: str) -> str:
        """What the host file calls a host: launchers reach it by that name."""
        return next((name for name in self._names if short_name(name) == short_name(host)), host)


def _conversation(host: str, name: str, reach: Reach) -> Session:
    """The probe on a host, reached by a name that may differ from its own; HostLost if it does not come up there."""
    with contextlib.ExitStack() as held:
        session = held.enter_context(Session(name, reach))
        session.begin(START_S)
        answers_as = session.ask("metadata", paths=[])["host"]
        if short_name(answers_as) != short_name(host):
            raise HostLost(f"answers as {answers_as}")
        held.pop_all()
        return session
