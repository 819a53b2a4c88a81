"""What memory allows an application: a pass over arrays of the same size, measured in the same blocks.

An application that the catalogue says is limited by another benchmark takes it along: C then shows with as many ranks
how long the machine needs for the bytes that an iteration has to move.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from polympi.lab.catalogue import BENCHMARKS, Case


def limit_of(case: Case) -> Case | None:
    """The case that shows what memory allows another one; None if the catalogue names none."""
    limited_by = BENCHMARKS[case.benchmark].limited_by
    if limited_by is None:
        return None
    benchmark, mode = limited_by
    return replace(case, benchmark=benchmark, mode=mode)


def limits_of(cases: Iterable[Case]) -> list[Case]:
    """The cases that show what memory allows some of these, each once."""
    return list(dict.fromkeys(limit for case in cases if (limit := limit_of(case)) is not None))


def with_limits(cases: Sequence[Case]) -> list[Case]:
    """The cases, followed by those that measure what memory allows them."""
    return list(dict.fromkeys([*cases, *limits_of(cases)]))


def limits_grown(grown: Mapping[Case, Case]) -> dict[Case, Case]:
    """The cases of weak scaling with what shows what memory allows them, which grows as they do."""
    limits = {limit_of(case): limit_of(of_one) for case, of_one in grown.items()}
    return {**grown, **{limit: of_one for limit, of_one in limits.items() if limit and of_one}}
