"""The communicators of a job, put together from what each rank knows of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from polympi.lab.audit.files import RankFile
from polympi.lab.audit.words import ranks_text

_DEFAULT_NAMES = {"MPI_COMM_WORLD": "world", "MPI_COMM_SELF": "self"}


@dataclass
class Known:
    """A communicator as all files together know it."""

    id: int
    parent: int
    size: int
    given: str = ""
    ranks: list[int] = field(default_factory=list)
    begun: dict[int, int] = field(default_factory=dict)  # collectives by rank
    name: str = ""
    copy_of: int = 0  # which it is a copy of, if the program has not named it


def known_communicators(files: Sequence[RankFile]) -> dict[int, Known]:
    """All communicators by identity, in the order in which they were made, with a name each."""
    found: dict[int, Known] = {}
    for file in files:
        for record in file.communicators:
            one = found.setdefault(
                int(record["id"]), Known(int(record["id"]), int(record["parent"]), int(record["size"]))
            )
            one.given = one.given or file.text(int(record["name"]))
            if file.rank not in one.begun:
                one.ranks.append(file.rank)
            one.begun[file.rank] = int(record["collectives"])
    _name(found, int(files[0].header["world"]) if files else 0)
    return found


def _name(communicators: dict[int, Known], world: int) -> None:
    """Give each its name: the program's, or one made from the communicator that it came from."""
    used: set[str] = set()
    for one in communicators.values():
        one.ranks.sort()
        name = _DEFAULT_NAMES.get(one.given, one.given) or ("world" if one.id == world else _made(one, communicators))
        candidate, number = name, 2
        while candidate in used:
            candidate, number = f"{name} #{number}", number + 1
        one.name = candidate
        used.add(candidate)


def _made(one: Known, communicators: dict[int, Known]) -> str:
    if one.size == 1:
        return "self"
    parent = communicators.get(one.parent)
    while parent is not None and parent.copy_of in communicators:  # a copy of a copy is one of the first
        parent = communicators[parent.copy_of]
    if parent is not None and parent.size == one.size:
        one.copy_of = parent.id
        return f"copy of {parent.name}"
    return f"part of {parent.name if parent else 'world'} ({ranks_text(one.ranks)})"
