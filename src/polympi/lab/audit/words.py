"""How ranks, calls and times are named in sentences."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from polympi.lab.audit.layout import ANY_SOURCE, ANY_TAG, NO_PEER, NO_TAG, NOBODY
from polympi.lab.audit.model import Site
from polympi.lab.audit.standing import Operation, Situation


def ranks_text(ranks: Iterable[int]) -> str:
    """``rank 3``, ``ranks 0-2 and 5``."""
    ordered = sorted(ranks)
    runs: list[list[int]] = []
    for rank in ordered:
        if runs and rank == runs[-1][-1] + 1:
            runs[-1].append(rank)
        else:
            runs.append([rank])
    parts = []
    for run in runs:
        parts += [f"{run[0]}-{run[-1]}"] if len(run) > 2 else [str(rank) for rank in run]
    return f"{'rank' if len(ordered) == 1 else 'ranks'} {joined(parts)}"


def joined(parts: Iterable[str], last: str = "and") -> str:
    """``a, b and c``."""
    *others, end = parts
    return f"{', '.join(others)} {last} {end}" if others else end


def at(operation: Operation) -> str:
    """``MPI_Recv at ring.py:12``."""
    return f"{operation.procedure} at {operation.site}" if operation.site else operation.procedure


def peer_text(peer: int) -> str:
    """A peer in words."""
    names = {ANY_SOURCE: "any rank", NOBODY: "MPI_PROC_NULL", NO_PEER: "no rank"}
    return names.get(peer, f"rank {peer}")


def tag_text(tag: int) -> str:
    """A tag in words."""
    return "any tag" if tag == ANY_TAG else f"tag {tag}"


def numbered(operation: Operation, situation: Situation) -> str:
    """``MPI_Bcast, number 12 on world``: collectives are counted from 1."""
    if operation.number is None:
        return at(operation)
    return f"{at(operation)} (number {operation.number + 1} of {situation.name(operation.communicator)})"


def seconds_text(seconds: float) -> str:
    """``12 s``, ``3 min``."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def details(operation: Operation, situation: Situation) -> str:
    """Peer, tag, communicator and size of an operation, as far as it has them."""
    parts = []
    if operation.peer != NO_PEER:
        parts.append(peer_text(operation.peer))
    if operation.tag != NO_TAG:
        parts.append(tag_text(operation.tag))
    if operation.number is not None:
        parts.append(f"number {operation.number + 1} of {situation.name(operation.communicator)}")
        parts += [f"root {operation.root}"] if operation.root != NO_PEER else []
    elif operation.communicator and situation.name(operation.communicator) != "world":
        parts.append(situation.name(operation.communicator))
    if operation.bytes:
        parts.append(f"{operation.bytes} bytes")
    return ", ".join(parts)


def subject(ranks: Iterable[int], one: str, several: str) -> str:
    """The begin of a sentence: ``Rank 3 is``, ``Ranks 0 and 1 are``."""
    named = sorted(ranks)
    return f"{ranks_text(named).capitalize()} {one if len(named) == 1 else several}"


def waiting_text(waiting: Iterable[int], reason: Iterable[int]) -> str:
    """``ranks 0-2 wait for it``."""
    named, reason = sorted(waiting), list(reason)
    pronoun = "it" if len(reason) == 1 else "them"
    return f"{ranks_text(named)} {'waits' if len(named) == 1 else 'wait'} for {pronoun}"


def site_text(site: Site) -> str:
    """A site with the last part of its path: ``ring.py:12``, or the function in native code."""
    name = Path(site.file).name
    if site.line is not None:
        return f"{name}:{site.line}"
    return f"{site.function} in {name}" if site.function else name
