"""What is taken along to show what memory allows."""

from polympi.lab.catalogue import BENCHMARKS, Case, problem_bytes
from polympi.lab.plan.growth import problems
from polympi.lab.plan.limits import limit_of, limits_grown, limits_of, with_limits

SIZE = problem_bytes(129, 3)
WAVES = [Case("wave", mode, "problem", SIZE) for mode in BENCHMARKS["wave"].modes]
TRIAD = Case("triad", "in-place", "problem", SIZE)
SORT = Case("sort", "standard", "problem", 80)


def test_a_wave_takes_along_a_triad_of_arrays_as_large() -> None:
    assert limit_of(WAVES[0]) == TRIAD
    assert BENCHMARKS["triad"].edge(TRIAD.size_bytes) == 129**3
    assert BENCHMARKS["triad"].allows("problem", SIZE)
    assert [limit_of(case) for case in (SORT, TRIAD)] == [None, None]


def test_every_limit_in_the_catalogue_is_a_mode_of_an_application() -> None:
    limited = [b for b in BENCHMARKS.values() if b.limited_by]
    assert [b.name for b in limited] == ["wave"]
    for one in limited:
        assert one.limited_by is not None
        benchmark, mode = one.limited_by
        assert mode in BENCHMARKS[benchmark].modes
        assert BENCHMARKS[benchmark].application


def test_a_limit_is_there_once() -> None:
    assert limits_of([*WAVES, SORT]) == [TRIAD]
    assert with_limits([*WAVES, SORT]) == [*WAVES, SORT, TRIAD]
    assert with_limits([*WAVES, TRIAD]) == [*WAVES, TRIAD]
    assert with_limits([SORT]) == [SORT]


def test_in_weak_scaling_the_limit_grows_with_the_wave() -> None:
    grown = limits_grown(problems("weak", [WAVES[0], SORT], 2))
    wave, _, triad = grown
    assert (triad.pattern, triad.size_bytes) == (TRIAD.pattern, wave.size_bytes)
    assert grown[triad] == TRIAD
