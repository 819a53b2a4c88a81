"""The page, the Markdown and the terminal of a projection."""

import io
import re

import pytest
from rich.console import Console

from polympi.lab.projection.against import Miss
from polympi.lab.projection.model import BUILT, CALLED, ArmCosts, Line, Network, Projected, Projection, Row, Span
from polympi.lab.report.projection.page import render_page
from polympi.lab.report.projection.tables import arm_table, cost_table
from polympi.lab.report.projection.terminal import print_against, print_projection
from polympi.lab.report.projection.write import render_markdown

HOSTILE = "</script><b>|x"
NETWORK = Network(
    name="n", origin=HOSTILE, latency_ns=1000.0, bandwidth_mb_per_s=1000.0, send=[(0, 1.0)], receive=[(0, 1.0)]
)


def _span(low: float, median: float, high: float) -> Span:
    return Span(low=Line(per_call_ns=low), median=Line(per_call_ns=median), high=Line(per_call_ns=high))


def _row(ranks: int, style: str, added: float, pattern: str = "bcast") -> Row:
    return Row(
        stack="mpich", binding="objects", ranks=ranks, pattern=pattern, size_bytes=8, style=style, c_ns=1000.0,
        time_ns=1000.0 + added, low_ns=1000.0 + 0.9 * added, high_ns=1000.0 + 1.2 * added, model_ns=1000.0 + added,
        simulated=ranks < 64,
    )  # fmt: skip


@pytest.fixture
def projection() -> Projection:
    twice = {"calls": {"bcast": 2}, "collectives": {"bcast": _span(4, 5, 6)}}
    arms = [
        ArmCosts(binding="objects", payload="bytes", message=_span(90, 100, 120), **twice),  # type: ignore[arg-type]
        ArmCosts(binding="quick", payload="bytes", message=_span(0, 0, 0), shown=False, saves=True),
    ]
    rows = [
        *[_row(ranks, CALLED, 1005.0) for ranks in (4, 64)],
        _row(4, BUILT, 200.0),
        _row(64, BUILT, 600.0),
        *[_row(ranks, BUILT, 40.0, "ring") for ranks in (4, 64)],
        *[_row(ranks, BUILT, -30.0, "latency") for ranks in (4, 64)],
    ]
    stack = Projected(stack="mpich", family="mpich", selector="mpich", network=NETWORK, arms=arms, seconds={4: 0.1})
    return Projection(
        polympi="1", run=HOSTILE, created="now", simulator="SimGrid 3", ranks=[4, 64], stacks=[stack], rows=rows
    )


MISSES = [
    Miss("mpich", "c", "latency", 8, 1000.0, 1000.0, True),
    Miss("mpich", "objects", "bcast", 8, 2000.0, 1000.0, False),
    Miss("mpich", "objects", "barrier", 0, 900.0, 1000.0, False),
]


def test_a_cell_has_the_time_what_is_added_and_its_interval(projection: Projection) -> None:
    stack = projection.stacks[0]
    table = arm_table(projection, stack, stack.arms[0])
    cells = {(line[0], line[1]): line for line in table.lines}
    assert cells["bcast, 8 B", "called"][2:] == (
        "1.00 µs +100 % (90 to 121)",
        "~1.00 µs +100 % (90 to 121)",
        "10.1",
        "not yet",
        "",
    )
    assert cells["bcast, 8 B", "built"][4:6] == ("6.0", "not yet")
    assert cells["ring, a hop, 8 B", ""][5] == "4"
    assert cells["ping-pong, 8 B", ""][2] == "1.00 µs −3.0 % (−3.6 to −2.7)"
    assert cost_table(stack).lines[0][-1] == "bcast 5.00 ns and 2 calls of C"


def test_the_page_needs_nothing_else_and_escapes_what_comes_from_outside(projection: Projection) -> None:
    page = render_page(projection, MISSES)
    body = page.split('<script type="application/json"')[0]
    assert HOSTILE not in page
    assert "&lt;/script&gt;&lt;b&gt;|x" in page
    assert not re.search(r'(src|href)="(?!data:)', body)
    assert body.count("data-chart=") == 3  # bcast, ring and ping-pong
    assert "1 of 2 figures are within 25 % of what was measured" in page
    assert "quick on mpich" not in page
    assert "quick is faster than C" in page


def test_markdown_and_terminal_say_the_same(projection: Projection) -> None:
    text = render_markdown(projection, MISSES)
    assert "| objects | bcast | 8 B | 2.00 µs | 1.00 µs | +100 % | missed |" in text
    assert "| c | latency | 8 B | 1.00 µs | 1.00 µs | +0.0 % | given |" in text
    assert "### quick" not in text
    console = Console(file=io.StringIO(), width=200)
    print_projection(projection, console)
    print_against(MISSES, console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    for words in ("1.00 µs +20 % (18 to 24)", "the largest 100 % (objects, bcast, 8 B)", "Network n: "):
        assert words in shown
    for words in ("objects adds 100 ns to a message (90.0 ns to 120 ns)", "each bcast calls MPI's 2 times"):
        assert words in shown
        assert words.replace("'", "'") in text.replace("\\", "")
