"""The noise floor: how far C seems to be from itself."""

import math
from dataclasses import replace

import pytest

from polympi.lab.statistics.floor import noise_floors, reach
from polympi.lab.statistics.intervals import MedianInterval
from polympi.lab.statistics.keys import RowKey

ALLREDUCE = RowKey("mpich", "c-again", "allreduce", "standard", "float64", 8, 2)


def _sizes(count: int, benchmark: str = "allreduce", stack: str = "mpich") -> list[RowKey]:
    return [replace(ALLREDUCE, stack=stack, benchmark=benchmark, size_bytes=8 << k) for k in range(count)]


def _interval(low: float, high: float) -> MedianInterval:
    return MedianInterval(math.log(low), math.log(high), 0.96)


def _reach(low: float, high: float) -> float:
    return math.sqrt(0.75) * math.log(high / low) / 2


def test_the_reach_is_half_the_length_wherever_the_interval_lies() -> None:
    for low, high in ((0.9, 1.05), (0.99, 1.2), (1.1, 1.3)):
        assert reach(_interval(low, high)) == pytest.approx(_reach(low, high))


def test_a_noisy_case_has_the_floor_of_its_own_noise() -> None:
    quiet, noisy = _interval(0.99, 1.01), _interval(0.34, 2.55)
    *others, last = _sizes(6)
    floors = noise_floors(dict.fromkeys(others, quiet) | {last: noisy})
    assert floors[last] == pytest.approx(_reach(0.34, 2.55))
    assert all(floors[key] == pytest.approx(_reach(0.99, 1.01)) for key in others)


def test_a_lucky_case_among_noisy_siblings_has_the_floor_that_is_usual_there() -> None:
    first, *others = _sizes(7)
    floors = noise_floors({first: _interval(0.999, 1.001)} | dict.fromkeys(others, _interval(0.8, 1.5)))
    assert floors[first] == pytest.approx(_reach(0.8, 1.5))


def test_a_large_message_has_no_floor_of_small_ones() -> None:
    sizes = _sizes(20, "latency")
    noise = {key: _interval(0.5, 2.8) if key.size_bytes < 2**14 else _interval(0.98, 1.02) for key in sizes}
    floors = noise_floors(noise)
    assert floors[sizes[0]] == pytest.approx(_reach(0.5, 2.8))
    assert floors[sizes[-1]] == pytest.approx(_reach(0.98, 1.02))


def test_modes_and_payloads_of_a_benchmark_share_their_noise_and_other_benchmarks_and_stacks_do_not() -> None:
    modes = [replace(ALLREDUCE, mode=mode, payload=p) for mode in ("standard", "ready") for p in ("bytes", "int")]
    quiet = _sizes(4, "latency") + _sizes(4, stack="openmpi")
    floors = noise_floors(dict.fromkeys(modes, _interval(0.5, 1.1)) | dict.fromkeys(quiet, _interval(0.98, 1.02)))
    assert {round(floors[key], 6) for key in modes} == {round(_reach(0.5, 1.1), 6)}
    assert {round(floors[key], 6) for key in quiet} == {round(_reach(0.98, 1.02), 6)}


@pytest.mark.parametrize(("cases", "floor"), [(3, _reach(0.9, 1.5)), (4, _reach(0.99, 1.02))])
def test_a_benchmark_of_few_cases_shares_the_noise_of_the_whole_stack(cases: int, floor: float) -> None:
    noisy = dict.fromkeys(_sizes(8, "latency"), _interval(0.9, 1.5))
    few = dict.fromkeys(_sizes(cases, "barrier"), _interval(0.99, 1.02))
    floors = noise_floors(noisy | few)
    assert {round(floors[key], 6) for key in few} == {round(floor, 6)}


def test_no_case_has_no_floor() -> None:
    assert noise_floors({}) == {}
