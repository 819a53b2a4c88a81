"""Performance guidelines in every form of the report."""

from dataclasses import replace

import pytest
from built import built_analysis, summary_row
from report.forms import html, markdown, section

from polympi.lab.report.guidelines import guideline_lines
from polympi.lab.statistics.guidelines import Check

SIZE = 65536


def a_check(binding="c", operation="reduce", others=("allreduce",), ratio=1.8, **other):
    figures = {
        "stack": "mpich",
        "binding": binding,
        "ranks": 2,
        "operation": (operation, "standard", SIZE),
        "others": tuple((name, "standard", SIZE) for name in others),
        "blocks": 9,
        "time_ns": 1.8e4,
        "others_ns": 1e4,
        "ratio": ratio,
        "low": ratio / 1.1,
        "high": ratio * 1.1,
        "violated": ratio > 1.2,
    }
    return Check(**figures | other)


CHECKS = [
    a_check("mpi4py", ratio=0.9),
    a_check(),
    a_check(operation="allreduce", others=("reduce", "bcast"), ratio=2.5),
    a_check("other"),
]
OF_C = (
    "2 of 2 comparisons are contradicted: allreduce of 64 KiB takes 2.50 × (2.27–2.75) as long as reduce of 64 KiB "
    "and bcast of 64 KiB; reduce of 64 KiB takes 1.80 × (1.64–1.98) as long as allreduce of 64 KiB."
)


@pytest.fixture
def analysis():
    return replace(built_analysis([summary_row(binding="c"), summary_row()], profile="quick"), guidelines=CHECKS)


def test_c_comes_first_and_the_worst_of_it() -> None:
    lines = guideline_lines(CHECKS, ("mpi4py",))
    assert [line.title for line in lines] == ["C on mpich", "Nothing contradicted on mpich"]
    assert lines[0].answer == OF_C
    assert lines[1].answer == "mpi4py, in 1 comparison."


def test_only_the_worst_are_named() -> None:
    [line] = guideline_lines([a_check(ratio=2 + n) for n in range(9)], ())
    assert "3 more" in line.answer
    assert line.answer.index("10.0 ×") < line.answer.index("5.00 ×")


def test_all_forms_say_it(analysis) -> None:
    assert OF_C in markdown(analysis)
    assert "2 of 2 comparisons" in section(html(analysis), "guidelines")
    without = replace(analysis, guidelines=[])
    assert "Performance guidelines" not in markdown(without)
