import re

import pytest
from built import built_analysis, launch, rich_run, summary_row
from report.forms import terminal
from synthetic import make_run

from polympi.lab.statistics.analysis import analyse

ARMS = ("c", "c-again", "mpi4py", "polympi", "c-spin")


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    return analyse(rich_run(tmp_path_factory.mktemp("terminal") / "run"))


def built(*rows):
    return built_analysis([*rows, summary_row(binding="c")], bindings=ARMS)


@pytest.mark.parametrize("width", [60, 80, 120, 300])
def test_it_fits_the_terminal(analysis, width):
    text = terminal(analysis, width)
    assert max(map(len, text.splitlines())) <= min(width, 200)
    assert " quick " in text
    assert "nan" not in text
    for binding in ("mpi4py", "mpi4py-object"):
        assert binding in text
    assert "▲1.6" in text
    assert "+5" in text


def test_the_table_of_nine_arms_fits_one_screen(tmp_path):
    effects = {"c": (0.0, 0.0, 1.0), "c-again": (0.0, 0.0, 1.0)}
    effects |= {f"a-binding-{i}": (100.0 * i, 0.0, 1.0) for i in range(1, 7)} | {"c-spin": (0.0, 0.0, 0.5)}
    lines = terminal(analyse(rich_run(tmp_path / "run", effects=effects)), 80).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("mpich"))
    last = next(number for number, line in enumerate(lines) if line.startswith("c-spin"))
    assert last - first < 26
    assert all(any(line.startswith(name) for line in lines[first:last]) for name in effects if name.startswith("a-"))


def test_the_key_stands_before_the_first_sign(analysis):
    text = terminal(analysis, 80)
    for sign, words in (("▲", "slower than C"), ("≈", "not separated from C")):
        assert text.index(sign) == text.index(f"{sign} {words}")


def test_a_row_an_arm_with_sign_ratio_bar_and_difference():
    text = terminal(
        built(
            summary_row(binding="mpi4py", c_ns=100.0, delta=700.0),
            summary_row(binding="polympi", c_ns=100.0, delta=-50.0, verdict="faster"),
            summary_row(binding="c-spin", c_ns=100.0, delta=1.0, verdict="not separated"),
        ),
        100,
    )
    lines = text.splitlines()
    rows = {line.split()[0]: (line, lines[i + 1]) for i, line in enumerate(lines) if re.match(r"\S+ +[▲▼≈]", line)}
    assert rows["mpi4py"][0].split()[1].startswith("▲8.00×")
    assert "█" in rows["mpi4py"][0]
    assert rows["mpi4py"][1].strip() == "+700 ns"
    assert "▼0.50×" in rows["polympi"][0]
    assert "░" in rows["polympi"][0]
    assert "█" not in rows["polympi"][0]
    longer, shorter = rows["mpi4py"][0].count("█"), rows["polympi"][0].count("░")
    assert abs(longer - 3 * shorter) <= 3  # 8 is 2 three times over; a bar is whole characters long
    assert "≈1.010×" in rows["c-spin"][0]


def test_arms_of_c_stand_below_the_bindings():
    text = terminal(built(summary_row(binding="c-spin"), summary_row(binding="mpi4py")), 80)
    assert text.index("mpi4py") < text.index("what C shows") < text.index("c-spin")


def test_sentences_where_there_is_room(analysis):
    narrow, wide = terminal(analysis, 80), terminal(analysis, 120)
    for text in (narrow, wide):
        assert "A message of up to 1 KiB takes 5" in text
    assert "collectives at 8 B" in " ".join(wide.split())
    assert "collectives at 8 B" not in " ".join(narrow.split())


def test_every_arm_is_shown_with_its_thread_level(analysis):
    lines = terminal(analysis, 80).splitlines()
    below = {
        line.split()[0]: lines[i + 1].split()[0] for i, line in enumerate(lines) if line.startswith(("C ", "mpi4py"))
    }
    assert below["C"] == "single"
    assert below["mpi4py"]


def test_a_run_of_one_benchmark_has_the_columns_it_can(tmp_path):
    cases = [("bandwidth", "standard", "bytes", s) for s in (8, 65536)]
    text = terminal(analyse(make_run(tmp_path / "run", cases=cases)), 80)
    head = next(line for line in text.splitlines() if "Small" in line)
    assert head.split() == ["Small", "Large", "Start-up"]


def test_a_run_without_rows_is_said_so():
    text = terminal(built_analysis(ended="interrupted", launches=[launch(0, outcome="crashed")]), 80)
    assert "No binding was compared with C." in text
    assert " partial " in text
    assert "1 of 1 launch crashed" in text


def test_names_from_outside_are_no_markup_of_the_terminal():
    text = terminal(built(summary_row(binding="[red]evil[/red]")), 80)
    assert "[red]evil[/red]" in text


def test_it_says_that_c_failed_instead_of_a_table_without_ratios():
    nothing = dict.fromkeys(
        ("ratio_to_c", "ratio_low", "ratio_high", "delta_to_c_ns", "delta_low_ns", "delta_high_ns", "floor_ratio")
    )
    failed = [launch(n, "c", "crashed", detail="it ended with code 1") for n in (0, 1)]
    text = terminal(built_analysis([summary_row(verdict="no counterpart", **nothing)], launches=failed), 100)
    assert "C failed: nothing to compare with. In its last launch it ended with code 1." in text
    assert "no counterpart" not in text
