"""A study is a selection that a run can make: its bindings are shipped, and its patterns mean cases."""

import pytest

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import BENCHMARKS, Case
from polympi.lab.plan.cases import select_cases
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.plan.studies import STUDIES, get_study

QUICK = PROFILES["quick"]
MODULES = STUDIES["modules"].applied_to(QUICK)


@pytest.mark.parametrize("name", STUDIES)
def test_its_bindings_are_shipped_and_each_does_some_of_its_cases(name: str) -> None:
    study, shipped = get_study(name), load_bindings()
    cases = select_cases(study.applied_to(QUICK), [], None, 2)
    for binding in study.bindings:
        assert any(shipped[binding].why_not(case) is None for case in cases), binding
    for case in cases:
        assert any(shipped[binding].why_not(case) is None for binding in study.bindings), case


def test_every_module_has_a_ping_pong_of_the_sizes_of_the_published_table() -> None:
    shipped = load_bindings()
    for binding in STUDIES["modules"].bindings:
        sizes = {
            payload: [
                case.size_bytes
                for case in select_cases(MODULES, [], None, 2)
                if (case.benchmark, case.payload) == ("latency", payload) and shipped[binding].why_not(case) is None
            ]
            for payload in ("float64", "array")
        }
        of_one = sizes["float64"] or sizes["array"]
        assert (min(of_one), max(of_one)) == (8, 8 * 2**20), binding
        assert len(of_one) >= 8


def test_a_study_has_the_sizes_and_a_profile_how_often() -> None:
    assert (MODULES.minimum_blocks, MODULES.batches, MODULES.name) == (9, QUICK.batches, "quick")
    cases = select_cases(MODULES, [], None, 2)
    communicating = {"latency", "bcast", "reduce", "allreduce"}
    assert {c.benchmark for c in cases} == communicating | {"inner-product", "wave", "poisson-cg"}
    assert max(c.size_bytes for c in cases if c.benchmark == "bcast") == 2**20
    longer = select_cases(STUDIES["modules"].applied_to(PROFILES["publish"]), [], None, 2)
    assert [case for case in longer if not BENCHMARKS[case.benchmark].application] == [
        case for case in cases if not BENCHMARKS[case.benchmark].application
    ]


def test_short_profiles_solve_equations_on_one_mesh_and_long_ones_on_two() -> None:
    for profile, waves, others in (("quick", [129], [1025]), ("standard", [129, 257], [1025, 2049])):
        cases = select_cases(STUDIES["modules"].applied_to(PROFILES[profile]), [], None, 2)
        for name, modes, edges in (("wave", 2, waves), ("poisson-cg", 2, others)):
            found = [case for case in cases if case.benchmark == name]
            assert len({case.mode for case in found}) == modes
            assert sorted({BENCHMARKS[name].edge(case.size_bytes) for case in found}) == edges


def test_what_the_user_asks_for_counts_more() -> None:
    asked = select_cases(MODULES, ["latency/standard/float64"], [8, 16], 2)
    assert asked == [Case("latency", "standard", "float64", size) for size in (8, 16)]
    assert {c.size_bytes for c in select_cases(MODULES, ["gather/standard/float64"], None, 2)} == set(QUICK.few_sizes)
    assert select_cases(QUICK, ["latency/standard/float64"], None, 2) != select_cases(
        MODULES, ["latency/standard/float64"], None, 2
    )
