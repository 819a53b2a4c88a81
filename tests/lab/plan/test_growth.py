"""Weak scaling: the problems of more ranks."""

import math

import pytest

from polympi.lab.catalogue import BENCHMARKS, Case, problem_bytes
from polympi.lab.errors import UsageError
from polympi.lab.plan.growth import check_growth, problems
from polympi.lab.plan.profiles import APPLICATIONS

WAVE = Case("wave", "blocking", "problem", problem_bytes(129, 3))
MESSAGE = Case("latency", "standard", "bytes", 8)


def grown_edge(name, edge, times):
    benchmark = BENCHMARKS[name]
    return benchmark.edge(benchmark.grown(problem_bytes(edge, benchmark.dimensions), times))


@pytest.mark.parametrize(
    ("name", "edge", "times", "wanted"),
    [
        ("wave", 129, 2, 163),  # 129 times the third root of 2 is 162.53
        ("wave", 129, 8, 258),
        ("wave", 33, 2, 42),
        ("poisson-cg", 1025, 4, 2050),
        ("inner-product", 1000, 3, 3000),
        ("matmul", 512, 8, 1024),  # its work is the third power of the edge, though it is an area
        ("sort", 16, 32, 256),  # 16 times 4 comparisons and 256 times 8
        ("wave", 129, 1, 129),
    ],
)
def test_the_work_grows_with_the_ranks(name: str, edge: int, times: int, wanted: int) -> None:
    assert grown_edge(name, edge, times) == wanted


@pytest.mark.parametrize("name", APPLICATIONS)
def test_no_other_edge_has_work_nearer_to_what_is_wanted(name: str) -> None:
    benchmark = BENCHMARKS[name]
    for edge in (3, 17, 129):
        for times in (2, 3, 5, 16):
            found, one = grown_edge(name, edge, times), problem_bytes(edge, benchmark.dimensions)
            off = [
                abs(benchmark.work_of(problem_bytes(e, benchmark.dimensions)) - times * benchmark.work_of(one))
                for e in (found, found - 1, found + 1)
            ]
            assert off[0] == min(off)


def test_different_problems_stay_different() -> None:
    for name in APPLICATIONS:
        for times in (2, 3, 4):
            edges = [grown_edge(name, edge, times) for edge in range(3, 200)]
            assert len(set(edges)) == len(edges)


def test_the_work_of_a_sort_is_that_of_its_comparisons() -> None:
    assert BENCHMARKS["sort"].work_of(8 * 1024) == 1024 * math.log2(1024)


def test_problems_grow_in_weak_scaling_only() -> None:
    [(grown, one)] = problems("weak", [WAVE], 2).items()
    assert (grown.pattern, grown.size_bytes, one) == (WAVE.pattern, problem_bytes(163, 3), WAVE)
    assert problems("strong", [WAVE], 2) == {WAVE: WAVE}


def test_what_cannot_grow_is_refused() -> None:
    with pytest.raises(UsageError, match="'latency' has none: choose applications, --bench inner-product,wave"):
        check_growth("weak", [WAVE, MESSAGE], [1, 2])
    with pytest.raises(UsageError, match="'startup' has none"):
        check_growth("weak", [], [1, 2])
    with pytest.raises(UsageError, match="several numbers of ranks: add --ranks 1,2,4"):
        check_growth("weak", [WAVE], [2])
    check_growth("weak", [WAVE], [1, 2])
    check_growth("strong", [MESSAGE], [2])
