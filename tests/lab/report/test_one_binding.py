"""A report about one binding: what it keeps of the run, and what it advises."""

from __future__ import annotations

import pytest
from built import built_analysis, summary_row
from commands import refusal
from report.forms import html, markdown
from synthetic import make_run

from polympi.lab.conclusions.advice import advice
from polympi.lab.conclusions.rows import rows_of
from polympi.lab.errors import UsageError
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.one_binding import about

ARMS = ("c", "c-again", "c-multiple", "mpi-other", "mpi4py", "mpi4py-object", "rust")
LANGUAGES = dict.fromkeys(("c", "c-again", "c-multiple"), "C") | {"mpi4py": "Python", "rust": "Rust"}


def arm(binding: str, small: float, large: float, verdict: str = "slower") -> list[dict[str, object]]:
    """A message of 8 B that takes so much more than 800 ns, and one of 1 MiB so much more than 20 us."""
    return [
        summary_row(8, 800.0, small, verdict, binding=binding),
        summary_row(2**20, 20_000.0, large, "slower" if large > 1e3 else "not separated", binding=binding),
    ]


def analysis(*rows: list[dict[str, object]]) -> Analysis:
    return built_analysis([row for some in rows for row in some], bindings=ARMS, languages=LANGUAGES)


def test_the_arms_of_a_binding_and_of_c_are_kept() -> None:
    reduced = about(analysis(*(arm(name, 100, 0) for name in ARMS)), "mpi4py")
    kept = {"c", "c-again", "c-multiple", "mpi4py", "mpi4py-object"}
    assert set(reduced.summary["binding"]) == kept
    assert set(reduced.run.stacks[0].bindings) == kept
    assert set(about(reduced, "mpi4py-object").summary["binding"]) == kept - {"mpi4py"}


@pytest.mark.parametrize("binding", ["c", "c-multiple", "mpi5", "mpi", ""])
def test_other_names_are_refused(binding: str) -> None:
    with pytest.raises(UsageError):
        about(analysis(arm("mpi4py", 1, 1)), binding)


def test_every_planted_cost_has_its_advice_and_nothing_else_has() -> None:
    def said(*rows: list[dict[str, object]]) -> list[str]:
        return advice(rows_of(analysis(*rows)), ["mpi4py", "mpi4py-object"])

    nothing = arm("mpi4py", 0, 0, "not separated")
    assert said(nothing, arm("mpi4py-object", 0, 0, "not separated")) == []
    assert said(nothing, arm("mpi4py-object", 0, 60_000, "not separated")) == [
        "Where data lie in memory as they are sent, send them as mpi4py does, not as mpi4py-object: at 1 MiB that "
        "takes 1.000 times C's time instead of 4.00."
    ]
    assert said(arm("mpi4py", 400, 0)) == [
        "Each message of 8 B takes 400 ns more than in C, and from 1 MiB on the difference is under 10 % of C's time: "
        "send few large messages instead of many small ones."
    ]
    assert said(arm("mpi4py", 400, 60_000)) == [
        "Each message of 8 B takes 400 ns more than in C: send few large messages instead of many small ones."
    ]
    assert said(nothing, arm("c-multiple", 200, 0)) == [
        "If one thread alone calls MPI, ask for a lower thread level: MPI_THREAD_MULTIPLE alone costs C 200 ns at 8 B "
        "(1.25 times)."
    ]


def test_the_page_says_so(tmp_path) -> None:
    reduced = about(analyse(make_run(tmp_path / "run")), "mpi4py")
    for page in html(reduced), markdown(reduced):
        assert "mpi4py on this machine" in page


def test_forms_that_are_of_all_bindings_are_refused(tmp_path) -> None:
    make_run(tmp_path / "run")
    assert "--csv" in refusal("report", str(tmp_path / "run"), "--binding", "mpi4py", "--csv")
    assert not [*tmp_path.glob("run/*.csv")]
