"""Host files: a host a line with the ranks it takes, in the format of each family of launchers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

_SLOTS = re.compile(r"\bslots\s*=\s*(\d{1,6})")


def hostfile_text(family: str, slots: Mapping[str, int]) -> str:
    """A host file.

    Args:
        family: of the launcher.
        slots: ranks on each host, in the order in which they are filled.
    """
    line = "{} slots={}\n" if family == "openmpi" else "{}:{}\n"
    return "".join(line.format(name, number) for name, number in slots.items())


def read_hostfile(path: Path) -> dict[str, int]:
    """The hosts of a file in the format of any launcher, with the ranks each takes: 1 where the file says nothing.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not text.
    """
    slots: dict[str, int] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            name, _, number = words[0].partition(":")
            said = _SLOTS.search(line)
            ranks = int(said[1]) if said else int(number) if number.isdecimal() else 1
            slots[name] = slots.get(name, 0) + ranks
    return slots


def room_for(ranks: int, slots: Mapping[str, int]) -> dict[str, int]:
    """As many slots as there are ranks, at least: those that are missing go to one host after another.

    Open MPI would refuse more ranks than slots, and Hydra begin again with the first host.
    """
    room = dict(slots)
    for number in range(ranks - sum(room.values())):
        room[list(room)[number % len(room)]] += 1
    return room
