"""What a comparison of two runs says, in sentences."""

import math
from collections import Counter
from collections.abc import Sequence
from statistics import median

from polympi.lab.conclusions.phrases import MINUS, count, first_few, listing, percent, verb
from polympi.lab.statistics.comparison.model import SAME, UNKNOWN, Comparison, GroupChange
from polympi.lab.statistics.comparison.verdicts import MOST_LAUNCHES
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import counts
from polympi.lab.statistics.verdicts import FASTER, SLOWER


def answer(comparison: Comparison) -> str:
    """The overall answer, in one sentence that begins with its verdict; the comparison needs at least one group."""
    slower = [group for group in comparison.groups if group.verdict == SLOWER]
    unknown = [group for group in comparison.groups if group.verdict == UNKNOWN]
    if slower:
        return f"Slower: {_named(slower, comparison)}; {_tally(comparison)}."
    if unknown:
        return (
            f"Unknown: nothing was found slower, but a change of {percent(comparison.threshold)} cannot be ruled "
            f"out for {_named(unknown, comparison)}; {_tally(comparison)}; {_remedy(unknown)}."
        )
    verdict = "Faster" if any(group.verdict == FASTER for group in comparison.groups) else "Same"
    return f"{verdict}: nothing became slower by {percent(comparison.threshold)} or more; {_tally(comparison)}."


def unknown_sentence(comparison: Comparison) -> str | None:
    """Unknown groups in addition to slower ones, and how many launches would be enough; None without any."""
    unknown = [group for group in comparison.groups if group.verdict == UNKNOWN]
    if not unknown or all(group.verdict != SLOWER for group in comparison.groups):
        return None
    return f"Unknown: {_named(unknown, comparison)}; {_remedy(unknown)}."


def drift_sentence(comparison: Comparison) -> str | None:
    """By how much C itself changed, in the typical benchmark and at most; None where C has no times."""
    changes = {
        (group.stack, group.benchmark): group.c_change for group in comparison.groups if group.c_change is not None
    }
    if not changes:
        return None
    far = max(changes, key=lambda name: max(changes[name], 1 / changes[name]))
    typical = f"C itself, and so the machine, changed by {relative(median(changes.values()))}"
    if len(changes) == 1:
        return f"{typical}."
    return f"{typical} in the typical benchmark, and at most by {relative(changes[far])}, in {far[1]}."


def reference_sentence(comparison: Comparison) -> str | None:
    """Which changes are C's: the ratio changed, and the binding's own time did not; None where times were judged."""
    limit = math.log1p(comparison.threshold)
    of_c = [
        group
        for group in comparison.groups
        if group.verdict in (SLOWER, FASTER)
        and group.c_change is not None
        and abs(math.log(group.change)) > limit
        and abs(math.log(group.change * group.c_change)) < limit
    ]
    if comparison.absolute or not of_c:
        return None
    names = _named(of_c, comparison)
    return f"Look at C first: its own time changed and that of the binding did not, for {names}."


def floor_sentence(comparison: Comparison) -> str | None:
    """That nothing could be called slower or faster, where no A/A arm shows the noise; None where one does."""
    if any(group.floor_ratio is not None for group in comparison.groups):
        return None
    return "The noise is unknown: C did not run twice in enough blocks of both runs, so that no change can be believed."


def unused_launches(name: str, analysis: Analysis) -> str | None:
    """The launches of a run that did not count, and why; None if all did."""
    planned = [launch for launch in analysis.launches if launch.block is not None]
    unused = Counter(launch.outcome for launch in planned if not counts(launch))
    if not unused:
        return None
    why = listing(f"{number} {outcome}" for outcome, number in unused.items())
    return f"{unused.total()} of {count(len(planned), 'launch')} of '{name}' did not count ({why})."


def relative(factor: float) -> str:
    """A factor as a change in percent, with its sign: ``+20 %``, ``−3.1 %``."""
    return f"{MINUS if factor < 1 else '+'}{percent(abs(factor - 1))}"


def _named(groups: Sequence[GroupChange], comparison: Comparison) -> str:
    many_stacks = len({group.stack for group in comparison.groups}) > 1
    return first_few([_name(group, many_stacks) for group in groups])


def _name(group: GroupChange, many_stacks: bool) -> str:
    name = f"{group.binding} in {group.benchmark}" + (f" on {group.stack}" if many_stacks else "")
    if group.verdict != SLOWER:
        return name
    if group.rows > 1 and 0 < group.rows_slower < group.rows:
        return f"{name} ({group.rows_slower} of {group.rows} rows, typically {relative(group.change)})"
    return f"{name} ({relative(group.change)})"


def _tally(comparison: Comparison) -> str:
    verdicts = Counter(group.verdict for group in comparison.groups)
    parts = [f"{verdicts[name]} {name}" for name in (SLOWER, FASTER, SAME, UNKNOWN) if verdicts[name]]
    return f"{listing(parts)} of {count(len(comparison.groups), 'group')} (a binding in a benchmark)"


def _remedy(unknown: Sequence[GroupChange]) -> str:
    needed = [group.launches_needed for group in unknown if group.launches_needed is not None]
    beyond = len(unknown) - len(needed)
    if not needed:
        return f"more than {MOST_LAUNCHES} launches a run would be needed"
    enough = f"{max(needed)} launches a run would probably be enough"
    if not beyond:
        return enough
    return f"{enough} for {len(needed)} of them, {beyond} {verb(beyond, 'needs', 'need')} more than {MOST_LAUNCHES}"
