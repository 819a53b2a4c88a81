"""Weak scaling: problems that grow with the number of ranks, so that the work of each rank stays the same.

What is asked for is the problem of one rank. N ranks get the mesh whose work is nearest to N times as much: an edge is
a whole number, which the statistics take into account. Why to ask so: J. L. Gustafson, Communications of the ACM 31
(1988) 532-533.
"""

from collections.abc import Sequence
from dataclasses import replace

from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.errors import UsageError
from polympi.lab.plan.profiles import APPLICATIONS
from polympi.lab.records import WEAK


def check_growth(scaling: str, cases: Sequence[Case], ranks: Sequence[int]) -> None:
    """Make sure that the problems of a run can grow as it was asked."""
    if scaling != WEAK:
        return
    if len(ranks) < 2:
        raise UsageError("--scaling weak compares several numbers of ranks: add --ranks 1,2,4.")
    if not cases or not all(BENCHMARKS[case.benchmark].application for case in cases):
        fixed = next((case.benchmark for case in cases if not BENCHMARKS[case.benchmark].application), "startup")
        raise UsageError(
            f"--scaling weak lets problems grow with the ranks, and '{fixed}' has none: choose applications, "
            f"--bench {','.join(APPLICATIONS)}."
        )


def problems(scaling: str, cases: Sequence[Case], ranks: int) -> dict[Case, Case]:
    """The cases with this many ranks, each with the requested one: in weak scaling that of one rank, else itself."""
    if scaling != WEAK:
        return {case: case for case in cases}
    return {replace(case, size_bytes=BENCHMARKS[case.benchmark].grown(case.size_bytes, ranks)): case for case in cases}
