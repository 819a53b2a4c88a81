"""Hosts and their differences in sentences."""

from collections import Counter
from collections.abc import Mapping, Sequence

MOST_NAMED = 8  # hosts in a sentence; the others are counted


def hosts_words(names: Sequence[str], of: int | None = None) -> str:
    """Names in a sentence: ``a``, ``a and b``, ``a, b and 5 more``; ``all hosts`` where these are all ``of`` them."""
    if of is not None and len(names) == of and of > 2:
        return f"all {of} hosts"
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def by_value(values: Mapping[str, str | None], unknown: str = "not known") -> dict[str, list[str]]:
    """Which hosts have which value, the most frequent first; among equally frequent ones, that of the first host."""
    shown = {name: unknown if value is None else value for name, value in values.items()}
    counts = Counter(shown.values())
    return {
        value: [name for name, one in shown.items() if one == value]
        for value in sorted(counts, key=lambda one: -counts[one])  # stable: in the order of the hosts otherwise
    }


def who_has_what(values: Mapping[str, str | None]) -> str | None:
    """A sentence without its beginning that says which hosts have which value; None if all have the same."""
    groups = by_value(values)
    if len(groups) < 2:
        return None
    return "; ".join(f"{value} on {hosts_words(names)}" for value, names in groups.items())
