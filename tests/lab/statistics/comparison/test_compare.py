from dataclasses import replace

import msgspec
import pytest
from synthetic import EFFECTS, SIZES, make_run

from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.comparison import COMPARISON_SCHEMA, comparable, compare, diff_exit_code

CASES = [("latency", "standard", "bytes", s) for s in SIZES] + [("barrier", "standard", "none", 0)]
SLOWED = EFFECTS | {"mpi4py": (520.0, 0.0, 1.1)}


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    counter = iter(range(100))

    def make(seed, **options):
        return analyse(make_run(folder / str(next(counter)), seed=seed, cases=CASES, events=1, **options))

    return make


@pytest.fixture(scope="module")
def before(analysed):
    return analysed(1, blocks=10)


def test_the_same_code_on_a_machine_that_drifted_is_the_same(before, analysed):
    after = analysed(2, blocks=10, drift=0.3)
    table = compare(before, after)
    assert table.columns == list(COMPARISON_SCHEMA)
    assert set(table["binding"]) == {"mpi4py", "mpi4py-object"}
    assert "slower" not in table["verdict"].to_list()
    assert diff_exit_code(table) == 0


def test_a_planted_slowdown_is_found_and_sized(before, analysed):
    table = compare(before, analysed(3, blocks=10, effects=SLOWED))
    slowed = table.filter(binding="mpi4py", benchmark="latency", size_bytes=2**22).to_dicts()[0]
    assert slowed["verdict"] == "slower"
    assert slowed["change"] == pytest.approx(1.1, rel=0.02)
    assert slowed["change_low"] < 1.1 < slowed["change_high"]
    assert slowed["launches_before"] == slowed["launches_after"] == 10
    assert slowed["after"] / slowed["before"] == pytest.approx(1.1, rel=0.02)
    assert "slower" not in table.filter(binding="mpi4py-object")["verdict"].to_list()
    assert diff_exit_code(table) == 1


def test_the_way_back_is_faster(before, analysed):
    table = compare(analysed(3, blocks=10, effects=SLOWED), before)
    assert set(table.filter(binding="mpi4py", size_bytes=2**22)["verdict"]) == {"faster"}
    assert diff_exit_code(table) == 0


def test_a_change_below_one_per_cent_is_the_same_however_clear(analysed):
    quiet = {"drift": 0.0, "noise": 1e-4, "blocks": 12}
    table = compare(analysed(1, **quiet), analysed(2, effects=EFFECTS | {"mpi4py": (520.0, 0.0, 1.005)}, **quiet))
    large = table.filter(binding="mpi4py", size_bytes=2**22).to_dicts()[0]
    assert large["change_low"] > 1.003
    assert large["q_value"] < 0.01
    assert large["verdict"] == "same"


def test_a_change_within_both_noise_floors_is_the_same(analysed):
    """An A/A arm that shows 6 % in each run explains a change of 10 %; one that shows none does not."""
    quiet = {"noise": 0.001, "blocks": 10}
    noisy_again = {"c-again": (0.0, 0.0, 1.06)}
    change = {"mpi4py": (520.0, 0.0, 1.1)}
    floored = compare(
        analysed(1, effects=EFFECTS | noisy_again, **quiet),
        analysed(2, effects=EFFECTS | noisy_again | change, **quiet),
    )
    found = floored.filter(binding="mpi4py", size_bytes=2**22).to_dicts()[0]
    assert found["floor_ratio"] == pytest.approx(1.06**2, rel=0.01)
    assert found["change_low"] > 1.05
    assert found["verdict"] == "same"


def test_unknown_floors_leave_a_change_ambiguous(before, analysed):
    without = {k: v for k, v in SLOWED.items() if k != "c-again"}
    table = compare(before, analysed(3, blocks=10, effects=without))
    found = table.filter(binding="mpi4py", size_bytes=2**22).to_dicts()[0]
    assert (found["floor_ratio"], found["verdict"]) == (None, "ambiguous")


def test_the_change_of_c_is_told_and_not_judged(before, analysed):
    table = compare(
        before, analysed(4, blocks=10, effects={k: (a * 2, b * 2, 2.0) for k, (a, b, _) in EFFECTS.items()})
    )
    assert set(table["verdict"]) <= {"same", "ambiguous"}
    assert table.filter(benchmark="latency")["c_change"].min() > 1.7


def test_absolute_times_are_judged_when_asked(before, analysed):
    after = analysed(4, blocks=10, effects={k: (a * 2, b * 2, 2.0) for k, (a, b, _) in EFFECTS.items()})
    table = compare(before, after, absolute=True)
    assert set(table["binding"]) == {"c", "mpi4py", "mpi4py-object"}
    assert set(table.filter(benchmark="latency")["verdict"]) == {"slower"}
    eight = table.filter(binding="c", size_bytes=8).to_dicts()[0]
    assert eight["before"] == pytest.approx(800, rel=0.2)
    assert eight["change"] == pytest.approx(2, rel=0.2)


def test_absolute_times_of_two_stacks_meet(before, analysed):
    other = analysed(5, blocks=10, stacks=("openmpi",))
    assert comparable(before, other)
    assert comparable(before, other, absolute=True) == []
    assert set(compare(before, other, absolute=True)["stack"]) == {"mpich → openmpi"}


def test_too_few_launches_are_not_judged(before, analysed):
    short = analysed(6, blocks=5, effects=SLOWED)
    table = compare(before, short)
    assert set(table["verdict"]) == {"too few launches"}
    (reason,) = comparable(before, short)
    assert "6 launches" in reason
    assert diff_exit_code(table, comparable(before, short)) == diff_exit_code(table) == 2


def test_runs_without_a_common_row_are_not_comparable(before, analysed):
    (reason,) = comparable(before, analysed(7, effects={k: EFFECTS[k] for k in ("c", "c-again")}))
    assert "no row in common" in reason


def changed(analysis, **run):
    return replace(analysis, run=msgspec.structs.replace(analysis.run, **run))


def with_library(analysis, library):
    return changed(analysis, stacks=[msgspec.structs.replace(s, library=library) for s in analysis.run.stacks])


def test_what_makes_runs_incomparable_is_said_in_sentences(before):
    assert comparable(before, before) == []
    assert comparable(before, changed(before, ranks=4)) == ["One run has 2 ranks, the other 4."]
    assert "32" in comparable(before, changed(before, window=32))[0]
    other_machine = replace(before, environment={"cpu": {"model": "Abacus"}})
    assert comparable(before, other_machine) == ["The processors differ: 'Synthetic' and 'Abacus'."]
    assert comparable(before, other_machine, absolute=True) == []
    assert "mpich 2.0" in comparable(before, with_library(before, "mpich 2.0"))[0]
    assert comparable(before, with_library(before, "mpich 2.0"), absolute=True) == []


def test_null_comparisons_are_rarely_slower_or_faster(analysed):
    verdicts = []
    for seed in range(8):
        verdicts += compare(analysed(100 + seed), analysed(200 + seed, drift=0.2))["verdict"].to_list()
    assert len(verdicts) > 150
    assert sum(v in {"slower", "faster"} for v in verdicts) <= 0.05 * len(verdicts)
