"""Which rows of the catalogue the harnesses can serve: what is wrong with one that they cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polympi.lab.catalogue import HALO_FACES, Benchmark, Messages

MOST_BENCHMARKS = 63  # the bits of `opted_in` in polympi_harness.h, without the sign
MOST_BITS = 64  # of the masks of modes and payloads in c/catalogue.h
NEIGHBORS = 2  # of a rank in a ring
SUMMED = ("float64", "float", "array")  # payloads whose sums a harness computes
SILENT = ("none", "none")


def mistakes(benchmarks: Sequence[Benchmark]) -> list[str]:
    """What is wrong with rows of the catalogue, a sentence for each."""
    found = [f"The benchmark '{b.name}' {problem}." for b in benchmarks for problem in _problems(b)]
    names = {
        "benchmarks": ([b.name for b in benchmarks], MOST_BENCHMARKS),
        "modes": ({mode for b in benchmarks for mode in b.modes}, MOST_BITS),
        "payloads": ({payload for b in benchmarks for payload in b.payloads}, MOST_BITS),
    }
    found += [
        f"The catalogue has {len(of)} {what}, and the harness in C has room for {most}."
        for what, (of, most) in names.items()
        if len(of) > most
    ]
    return found


def _problems(b: Benchmark) -> Iterator[str]:
    if unknown := set(b.basic_modes) - set(b.modes):
        yield f"has no mode '{min(unknown)}', which 'basic' names"
    if b.application:
        yield from _silent(b, "computes")
    elif b.messages:
        yield from _problems_of_messages(b)
    else:
        yield from _problems_of_collective(b)
    if b.one_sided and (b.kind != "pair" or b.gaps or "none" not in b.sends):
        yield "is 'one_sided': rank 0 sends or gets, and rank 1 has a window with contiguous messages"
    if b.uneven and (not b.collective or b.origin not in ("root", "each") or "all" not in (*b.sends, *b.gets)):
        yield "is 'uneven', which only collectives with a message of or for each rank are"
    if b.creates and (not b.collective or b.payloads != ("none",)):
        yield "makes a communicator, so it is a collective whose only payload is none"
    if b.nonblocking and (not b.collective or b.origin == "nobody"):
        yield "is 'nonblocking', which only collectives with messages are; elsewhere a mode says so"
    if b.origin == "sum" and (others := [payload for payload in b.payloads if payload not in SUMMED]):
        yield f"sums the payload '{others[0]}', of which no harness computes a sum ({', '.join(SUMMED)})"


def _silent(b: Benchmark, why: str) -> Iterator[str]:
    if (b.sends, b.gets, b.origin) != (SILENT, SILENT, "nobody"):
        yield f"{why}, so 'sends' and 'gets' are none and 'origin' is nobody"


def _problems_of_messages(b: Benchmark) -> Iterator[str]:
    if b.apiece:
        yield f"is a {b.kind}: only collectives have messages 'apiece'"
    if "all" in (*b.sends, *b.gets):
        yield f"is a {b.kind}: only collectives have a message for all ranks"
    if b.kind == "pair":
        if b.origin not in (("peer", "sum") if b.one_sided else ("peer",)):
            yield f"is a pair, whose messages come from the peer, not from {b.origin}"
        if b.gets != b.sends[::-1]:
            yield "is a pair: what one rank sends the other gets"
        if b.gaps and b.payloads != ("float64",):
            yield f"has the shape '{b.shape}', which is one of doubles: its only payload is float64"
        each: Messages = HALO_FACES if b.shape == "halo" else "one"
        if b.gaps and b.sends != (each, each):
            yield f"has the shape '{b.shape}': each of the two ranks sends {each}"
    elif (b.origin, b.sends, b.gets) != ("root", ("one", "none"), ("one", "one")):
        yield "is a cycle: one message of the root goes through all ranks"


def _problems_of_collective(b: Benchmark) -> Iterator[str]:
    if b.shape != "contiguous":
        yield f"has the shape '{b.shape}', which only messages of a pair have"
    if b.modes != ("standard",):
        yield "is a collective, whose only mode is standard"
    if b.origin == "nobody":
        yield from _silent(b, "sends nothing")
        return
    if b.origin not in ("root", "each", "sum", "neighbors"):
        yield f"is a collective, whose messages come from root, each, sum or neighbors, not from {b.origin}"
        return
    if b.through != "messages":
        yield from _problems_of_storage(b)
        return
    sends, gets = _traffic(b)
    if b.sends not in sends:
        yield f"sends {_words([b.sends])}; messages from '{b.origin}'{' apiece' * b.apiece} take {_words(sends)}"
    if b.gets not in gets:
        yield f"gets {_words([b.gets])}; messages from '{b.origin}'{' apiece' * b.apiece} take {_words(gets)}"
    held = b.origin != "root" and "none" not in b.gets
    if b.kind != ("joint" if held else "rooted"):
        yield f"is {b.kind}, but its ranks {'wait for each other' if held else 'may run ahead of each other'}"


def _problems_of_storage(b: Benchmark) -> Iterator[str]:
    one = ("one", "one")
    if (b.sends, b.gets, b.origin, b.apiece) != (one, one, "neighbors", False):
        yield f"goes through {b.through}: each rank sends one message and gets that of the rank before it"
    # Calls of a file may be over on one rank before another has begun.
    if b.kind != (kind := "rooted" if b.through == "file" else "joint"):
        yield f"goes through {b.through}, so it is {kind}, not {b.kind}"


def _traffic(b: Benchmark) -> tuple[list[tuple[Messages, Messages]], list[tuple[Messages, Messages]]]:
    """The messages that a collective can have, by who made what arrives."""
    if b.origin == "root":
        return [("all" if b.apiece else "one", "none")], [("one" if b.apiece else "none", "one")]
    sent: Messages = "one"
    if b.apiece:
        sent = NEIGHBORS if b.origin == "neighbors" else "all"
    if b.origin == "neighbors":
        return [(sent, sent)], [(NEIGHBORS, NEIGHBORS)]
    got: Messages = "all" if b.origin == "each" else "one"
    return [(sent, sent)], [(got, got), (got, "none")]


def _words(pairs: Sequence[tuple[Messages, Messages]]) -> str:
    return " or ".join(f"[{', '.join(str(one) for one in pair)}]" for pair in pairs)
