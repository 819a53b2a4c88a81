"""The order in which a report lists bindings: by language, those that the user chose first."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from polympi.lab.arms import AGAIN, REFERENCE
from polympi.lab.records import RunRecord

# Lines that a reader can tell apart in one chart, and columns of a table that fit a page.
MOST_AT_ONCE = 8


def is_arm_of_c(binding: str) -> bool:
    """Whether an arm is C again in some other way (``c-multiple``, ``c-spin``): it shows what a choice costs."""
    return binding.startswith(f"{REFERENCE}-")


def languages_of(run: RunRecord) -> dict[str, str]:
    """The language of each arm, as far as the run says."""
    return {name: language for planned in run.stacks for name, language in planned.languages.items()}


def in_order(run: RunRecord, names: Collection[str]) -> list[str]:
    """Names of arms in the order of a report.

    C and its A/A arm, then the bindings, then the other arms of C. Bindings of a language stand together. Those that
    were asked for by name come first, then the usual ones, then the others in the order of the run; a language stands
    where the first of its bindings does.
    """
    listed = set(names)
    ranked = [name for name in dict.fromkeys([*run.chosen, *run.usual, *names]) if name in listed]
    measure = [name for name in (REFERENCE, AGAIN) if name in listed]
    arms_of_c = [name for name in ranked if is_arm_of_c(name) and name != AGAIN]
    return [*measure, *chain.from_iterable(by_language(run, ranked).values()), *arms_of_c]


def by_language(run: RunRecord, names: Iterable[str]) -> dict[str, list[str]]:
    """The bindings among some arms by language, in the order of the names; C and its arms are none."""
    languages = languages_of(run)
    found: dict[str, list[str]] = {}
    for name in names:
        if name != REFERENCE and not is_arm_of_c(name):
            found.setdefault(languages.get(name, ""), []).append(name)
    return found


def shown_first(run: RunRecord, names: Sequence[str]) -> list[str]:
    """Of the arms compared with C, in their order, those that tables and charts show before the reader chooses.

    All, or of many the most informative ones: those that were asked for by name, or without any the usual ones; then
    the first of each language, then arms of C. At most :data:`MOST_AT_ONCE`.
    """
    if len(names) <= MOST_AT_ONCE:
        return list(names)
    usual = [name for name in run.usual if not is_arm_of_c(name)]
    firsts = [group[0] for group in by_language(run, names).values()]
    wanted = [*(run.chosen or usual), *firsts, *filter(is_arm_of_c, names)]
    kept = [name for name in dict.fromkeys(wanted) if name in names][:MOST_AT_ONCE]
    return [name for name in names if name in kept]
