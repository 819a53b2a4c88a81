"""Host files: a host a line with the ranks it takes, in the format of each family of launchers."""

import re
from collections.abc import Mapping
from pathlib import Path

from polympi.lab.errors import UsageError, system_reason

_HOST = re.compile(r"(?:[\w.-]+@)?[A-Za-z0-9_][\w.-]*", re.ASCII)  # Open MPI takes a login, too
_SLOTS = re.compile(r"0*[1-9][0-9]{0,5}", re.ASCII)
_OPTION = re.compile(r"[a-z_-]+=.*", re.ASCII)  # binding=... of Hydra, slots=... and max_slots=... of Open MPI
_A_HOST_A_LINE = "write one host per line, as 'node1', 'node1:2' or 'node1 slots=2'"


def hostfile_text(family: str, slots: Mapping[str, int]) -> str:
    """A host file."""
    line = "{} slots={}\n" if family == "openmpi" else "{}:{}\n"
    return "".join(line.format(name, number) for name, number in slots.items())


def read_hostfile(path: Path) -> dict[str, int]:
    """The hosts of a file in the format of any launcher, with the ranks each takes: 1 where the file says nothing.

    A host on several lines takes the ranks of all of them: batch systems write a line for each rank.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UsageError(f"The host file '{path}' cannot be read: {system_reason(error)}.") from error
    except UnicodeDecodeError:
        raise UsageError(f"The host file '{path}' is not text: {_A_HOST_A_LINE}.") from None
    slots: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        words = re.sub(r"\s*=\s*", "=", line.partition("#")[0]).split()
        if words:
            try:
                name, ranks = _host_and_slots(words)
            except ValueError as error:
                raise UsageError(f"Line {number} of the host file '{path}' {error}.") from None
            slots[name] = slots.get(name, 0) + ranks
    if not slots:
        raise UsageError(f"The host file '{path}' names no host: {_A_HOST_A_LINE}.")
    return slots


def _host_and_slots(words: list[str]) -> tuple[str, int]:
    """The host of a line, and the ranks it takes; the text of a ValueError is the rest of a sentence about the line."""
    first, *others = words
    if "," in first or any(not _OPTION.fullmatch(word) for word in others):
        raise ValueError(f"has '{' '.join(words)}', which is more than one host: {_A_HOST_A_LINE}")
    if first.count(":") > 1:
        raise ValueError(
            f"has '{first}', in which an IPv6 address looks like a number of ranks: give the host a name in "
            "/etc/hosts, and write that"
        )
    name, colon, after = first.partition(":")
    if not _HOST.fullmatch(name):
        raise ValueError(f"has '{name}', which is not the name of a host: {_A_HOST_A_LINE}")
    given = [after] * bool(colon) + [word.removeprefix("slots=") for word in others if word.startswith("slots=")]
    if len(given) > 1:
        raise ValueError(f"gives '{name}' two numbers of ranks, {given[0]} and {given[1]}: write one")
    if given and not _SLOTS.fullmatch(given[0]):
        raise ValueError(f"gives '{name}' room for '{given[0]}' ranks: write a whole number from 1 to 999999")
    return name, int(given[0]) if given else 1


def room_for(ranks: int, slots: Mapping[str, int]) -> dict[str, int]:
    """At least as many slots as ranks, added host after host: Open MPI would refuse, and Hydra begin again."""
    room = dict(slots)
    for number in range(ranks - sum(room.values())):
        room[list(room)[number % len(room)]] += 1
    return room
