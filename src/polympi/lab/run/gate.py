"""Measure against a baseline, in rounds, until every binding in every benchmark has an answer."""

import dataclasses
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from polympi.lab.arms import AGAIN, REFERENCE
from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.phrases import count, first_few, listing, verb
from polympi.lab.errors import UsageError
from polympi.lab.plan.cases import select_cases
from polympi.lab.run.measure import measure
from polympi.lab.run.request import Request
from polympi.lab.run.resume import bindings_of, recorded_request
from polympi.lab.run.watcher import Watcher
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison.comparable import choose_rows, why_not_comparable, why_nothing_was_compared
from polympi.lab.statistics.comparison.compare import FEWEST_LAUNCHES, compare
from polympi.lab.statistics.comparison.model import Comparison
from polympi.lab.statistics.comparison.rounds import FIRST_ROUND, MOST_ROUNDS, GroupKey, Rounds, are
from polympi.lab.statistics.model import Analysis


@dataclass(frozen=True)
class Asked:
    """What a gate is to judge, and for how long."""

    folder: Path  # new, for the rounds
    bindings: Sequence[str]  # names; empty for those of the baseline
    patterns: Sequence[str]  # of cases, likewise
    threshold: float  # the smallest relative change that counts
    time_limit_s: float | None  # for all rounds


@dataclass
class Judged:
    """What a gate found."""

    before: Analysis  # the baseline
    rounds: list[tuple[Path, Analysis]]  # what was measured, each round in its directory
    comparison: Comparison | None  # of all rounds; None if they can't be compared with the baseline
    reasons: list[str]  # why not, a sentence each
    failed: dict[str, str] = dataclasses.field(default_factory=dict)  # bindings that couldn't be measured, and why
    interrupted: bool = False


def gate(baseline: RunDirectory, asked: Asked, *, watcher: Watcher, wait: bool = False) -> Judged:
    """Measure what a baseline measured, and again what looks slower then, or is unclear; a signal ends it in order.

    Raises:
        UsageError: the baseline can't be measured again here, or the folder exists.
    """
    judged = Judged(analyse(baseline), [], None, [])
    request = _request(baseline, asked)
    rounds, began, needed_s = Rounds(), time.monotonic(), 0.0
    for number in range(MOST_ROUNDS):
        left = None if asked.time_limit_s is None else asked.time_limit_s - (time.monotonic() - began)
        if left is not None and left <= needed_s:
            break
        blocks = FIRST_ROUND * 2**number
        if number:
            watcher.reported(_again(rounds, blocks))
        one = _round(_narrowed(request, baseline, rounds.open) if number else request, number, blocks, left)
        measured = measure(one, watcher=watcher, wait=wait)
        judged.interrupted = measured.outcome.ended in ("interrupted", "host lost")
        judged.failed |= measured.outcome.withdrawn
        if not any(measured.outcome.blocks.values()):
            break
        needed_s = FEWEST_LAUNCHES * measured.seconds_a_block  # of the next round at most: fewer groups, more blocks
        after = analyse(measured.directory)
        judged.rounds.append((one.output, after))
        found = _compared(judged, after, asked, rounds.open)
        if found is not None:
            rounds.add(found)
            judged.comparison = rounds.conclude(judged.comparison or found)
        if judged.interrupted or judged.reasons or not rounds.open:
            break
    return judged


def _compared(judged: Judged, after: Analysis, asked: Asked, groups: list[GroupKey]) -> Comparison | None:
    """A round compared with the baseline; None if that is impossible: of the first round, the reasons are noted."""
    before, first = judged.before, len(judged.rounds) == 1
    if first and (reasons := why_not_comparable(before, after)):
        judged.reasons = reasons
        return None
    chosen = are(groups) if groups else pl.lit(True)
    if first:
        chosen = choose_rows(before, after, bindings=asked.bindings, patterns=asked.patterns, absolute=False)
    found = compare(before, after, chosen=chosen, threshold=asked.threshold)
    if reasons := why_nothing_was_compared(found):
        judged.reasons = reasons if first else []
        return None
    return found


def _request(baseline: RunDirectory, asked: Asked) -> Request:
    """The request of the baseline, for what is to be judged of it."""
    run = baseline.run()
    request = recorded_request(baseline)
    bindings = [name for name in asked.bindings or bindings_of(run) if name not in (REFERENCE, AGAIN)]
    if gone := sorted(set(bindings) - request.bindings.keys()):
        raise UsageError(f"polympi doesn't find {listing(gone)} now, which the baseline '{baseline.path}' measured.")
    if asked.folder.exists():
        raise UsageError(f"'{asked.folder}' exists and results are never overwritten: choose another folder with -o.")
    profile = dataclasses.replace(request.profile, demands=False)
    return dataclasses.replace(
        request,
        output=asked.folder,
        wanted=bindings,
        benches=asked.patterns or request.benches,
        profile=profile,
        tools=["none"],
    )


def _round(request: Request, number: int, blocks: int, left_s: float | None) -> Request:
    """A round of a request, with this many blocks and its own directory."""
    return dataclasses.replace(
        request,
        output=request.output / f"round-{number + 1}",
        profile=dataclasses.replace(request.profile, minimum_blocks=blocks, maximum_blocks=blocks),
        seed=secrets.randbits(32),
        time_limit_s=left_s,
    )


def _narrowed(request: Request, baseline: RunDirectory, groups: Sequence[GroupKey]) -> Request:
    """The request for what belongs to these groups: their stacks, bindings and benchmarks."""
    installations = {stack.stack: stack.installation for stack in baseline.run().stacks}
    stacks = {installations[group.stack] for group in groups}
    benchmarks = dict.fromkeys(group.benchmark for group in groups)
    cases = select_cases(request.profile, request.benches, request.sizes, max(request.ranks))
    patterns = dict.fromkeys(case.pattern for case in cases if case.benchmark in benchmarks)
    figures = [name for name in benchmarks if BENCHMARKS[name].launch_figure]
    return dataclasses.replace(
        request,
        stacks=[stack for stack in request.stacks if stack.name in stacks],
        wanted=list(dict.fromkeys(group.binding for group in groups)),
        benches=[*patterns, *figures],
    )


def _again(rounds: Rounds, blocks: int) -> str:
    """Which groups are measured again, and why."""
    suspected = rounds.suspected
    names = first_few([f"{group.binding} in {group.benchmark}" for group in suspected])
    rest = len(rounds.open) - len(suspected)
    why = [f"{names} {verb(len(suspected), 'looks', 'look')} slower"] if suspected else []
    why += [f"{count(rest, 'group')} {verb(rest, 'is', 'are')} unclear"] if rest else []
    return f"{listing(why)}: measured again, with {count(blocks, 'launch')} each"
