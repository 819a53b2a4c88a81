"""Which of several hosts does not answer any more."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from polympi.lab.survey.reach import HostLost, Reach, short_name
from polympi.lab.survey.session import Session

ANSWERS_S = 20.0  # srun gives up a host that is gone after 12 s, and says so


def what_is_lost(names: Sequence[str], reach: Reach, timeout_s: float = ANSWERS_S) -> str | None:
    """The middle of a sentence about the first of several hosts that does not answer, although others do; or None.

    Where none answers, it is the way to reach them that does not work, which says nothing about the hosts. This host is
    there, whether it can be reached from itself or not. All are asked at once.
    """

    def silence(name: str) -> str:
        try:
            with Session(name, reach) as session:
                session.begin(timeout_s)
        except HostLost as lost:
            return str(lost)
        return ""

    with ThreadPoolExecutor(max(1, len(names))) as pool:
        said = dict(zip(names, pool.map(silence, names), strict=True))
    here = short_name(socket.gethostname())
    lost = [f"{name} {why}" for name, why in said.items() if why and short_name(name) != here]
    return lost[0] if lost and not all(said.values()) else None
