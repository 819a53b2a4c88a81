"""A name that is not known, and what may have been meant."""

import difflib
from collections.abc import Iterable


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like this one; None if none is like it."""
    by_lower = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(name.lower(), list(by_lower), n=1)
    return by_lower[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The question "did you mean", with a blank in front; empty if no known name is like this one."""
    found = closest(name, known)
    return f" Did you mean '{found}'?" if found else ""
