import io
import re
from dataclasses import replace

import pytest
from report.audit.made_up import made_up, no_calls
from rich.console import Console

from polympi.lab.audit.model import Cause, Finding
from polympi.lab.report.audit import words
from polympi.lab.report.audit.changes import matched, print_changes
from polympi.lab.report.audit.figures import Figures
from polympi.lab.report.audit.terminal import print_audit


def printed(show, *audits, width=120) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    show(*audits, console)
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_an_audit_fits_a_screen(width):
    text = printed(print_audit, made_up(), width=width)
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= width
    flat = " ".join(text.split())
    assert "is rank 3 arriving late at MPI_Allreduce in solver.py:42." in flat
    assert "5.00 ms on 4 ranks: 80 calls, 20 messages with 164 kB." in flat
    assert "Load balance 80 %" in flat
    assert flat.index("1. Rank 3") < flat.index("2. Waiting for late messages")


def test_without_calls_there_is_still_something_to_say():
    assert printed(print_audit, no_calls()).startswith("No MPI call was recorded.")


def with_findings(*pairs):
    audit = made_up()
    found = tuple(Finding(audit.calls[1], cause, 1e-3, share, detail) for cause, share, detail in pairs)
    return Figures(replace(audit, findings=found))


def test_the_sentence_depends_on_how_much_there_is_to_gain():
    small = with_findings((Cause.TRANSFER, 0.1, {}))
    assert "; the largest part, 10 %, is data on its way at MPI_Recv in solver.py:31." in words.headline(small)
    audit = replace(small.audit, ranks=tuple(replace(rank, in_mpi=0.02 * rank.seconds) for rank in small.audit.ranks))
    assert words.headline(Figures(audit)).startswith("MPI takes 2.0 % of the time, so there is little to gain; ")
    assert words.headline(with_findings()) == "MPI takes 46 % of the time."


@pytest.mark.parametrize("cause", Cause)
@pytest.mark.parametrize("detail", [{}, {"rank": 7}], ids=("somebody", "rank 7"))
def test_every_cause_has_its_words_and_advice(cause, detail):
    figures = with_findings((cause, 0.4, detail))
    (finding,) = figures.audit.findings
    said = f"{words.cause(finding, figures)}. {words.advice(finding)}"
    assert "MPI_Recv in solver.py:31" in said
    names_rank = cause in (Cause.IMBALANCE, Cause.LATE_SENDER, Cause.LATE_RECEIVER, Cause.SMALL_MESSAGES)
    assert ("rank 7" in said) == (names_rank and bool(detail))


def test_advice_names_the_nonblocking_variant_where_there_is_one():
    audit = made_up()
    procedures = ("MPI_Bcast_c", "MPI_Neighbor_alltoallw", "MPI_Reduce_scatter_block", "MPI_Comm_split")
    said = [
        words.advice(Finding(replace(audit.calls[0], procedure=name), Cause.IMBALANCE, 1.0, 0.1)) for name in procedures
    ]
    found = [re.search(r"MPI_I\w+", text) for text in said]
    assert [match and match[0] for match in found] == [
        *("MPI_Ibcast", "MPI_Ineighbor_alltoallw", "MPI_Ireduce_scatter_block", None),
    ]


def test_little_data_is_not_called_much():
    small, large = (with_findings((Cause.TRANSFER, 0.4, {"mean_bytes": size})).audit.findings[0] for size in (8.0, 1e6))
    assert "Each call moves only 8 B" in words.advice(small)
    assert words.advice(large).startswith("Send less")


def test_the_end_of_mpi_is_no_data_on_its_way():
    audit = made_up()
    end = replace(audit.calls[0], procedure="MPI_Finalize")
    finding = Finding(end, Cause.TRANSFER, 1.0, 0.2, {"mean_bytes": 0.0})
    assert words.cause(finding, Figures(audit)) == "MPI's own work at MPI_Finalize in solver.py:42"
    assert "in a longer run it is a smaller share" in words.advice(finding)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/opt/heat --steps 3", "heat"),
        ("python3.11 -u 'my solver.py' 4", "my solver.py"),
        ("python3 -m heat.run", "heat.run"),
        ("/usr/bin/python3", "python3"),
        ("", "program"),
    ],
)
def test_a_program_is_called_by_its_name_and_a_script_by_its_own(command, name):
    assert words.program_name(replace(made_up(), program=command)) == name


def test_a_call_that_moved_to_another_line_is_the_same_call():
    before = made_up()
    moved = replace(before.calls[0].site, line=50)
    slower = replace(before.calls[0], site=moved, seconds=2 * before.calls[0].seconds)
    after = replace(before, calls=(slower, *before.calls[1:]), seconds=1.4 * before.seconds)
    first, *rest = matched(Figures(before).sites, Figures(after).sites)
    assert (first.before.where, first.after.where) == ("solver.py:42", "solver.py:50")
    assert first.seconds == pytest.approx(6.1e-3)
    assert all(change.seconds == 0 for change in rest)
    text = printed(print_changes, before, after)
    assert "It is 1.40× slower; MPI takes 46 % of the time, as before." in text
    assert "solver.py:50, was 42" in text
    assert "+6.10 ms" in text
    assert "MPI_Send" not in text


def test_of_two_calls_of_a_function_each_keeps_its_place():
    base = made_up()
    near, far = (replace(base.calls[0], site=replace(base.calls[0].site, line=line)) for line in (10, 20))
    before = replace(base, calls=(near, far))
    later = [replace(one, site=replace(one.site, line=one.site.line + 3)) for one in (far, near)]
    after = replace(base, calls=tuple(later))
    pairs = {(c.before.where, c.after.where) for c in matched(Figures(before).sites, Figures(after).sites)}
    assert pairs == {("solver.py:10", "solver.py:13"), ("solver.py:20", "solver.py:23")}


def test_a_site_is_one_whatever_communicators_it_uses():
    audit = made_up()
    other = replace(audit.calls[0], communicator="rows", longest=0.7)
    figures = Figures(replace(audit, calls=(other, *audit.calls)))
    assert len(figures.rows) == 5
    first, *rest = figures.sites
    assert len(rest) == 3
    assert (first.where, first.count, first.calls.longest) == ("solver.py:42", 40, 0.7)
    assert first.seconds == pytest.approx(2 * 6.1e-3)
    assert printed(print_audit, figures.audit).count("MPI_Allreduce  solver.py:42") == 1  # in the table


def test_calls_of_one_audit_only_are_new_or_gone():
    audit = made_up()
    fewer = replace(audit, calls=audit.calls[1:])
    assert "solver.py:42, gone" in printed(print_changes, audit, fewer)
    assert "solver.py:42, new" in printed(print_changes, fewer, audit)


def test_nothing_changed_is_said_so():
    text = printed(print_changes, made_up(), made_up())
    assert "as fast as before" in text
    assert "No site's time changed noticeably." in text
    assert "The first ran on 4 ranks, the second on 8." in printed(print_changes, made_up(), made_up(8))
