"""How applications scale, in every form of the report."""

from dataclasses import replace

import polars as pl
import pytest
from built import built_analysis, summary_row
from report.forms import html, markdown, section, terminal

from polympi.lab.catalogue import problem_bytes
from polympi.lab.report.charts import Palette, speedup_over_ranks
from polympi.lab.report.comparisons import comparisons
from polympi.lab.report.csvfiles import write_csv
from polympi.lab.report.scaling import scaling_note, scaling_tables
from polympi.lab.statistics.scaling import ScalingRow


def a_row(ranks=2, speedup=1.8, binding="c", spread=0.1, **other):
    low, high = (None, None) if ranks == 1 or speedup is None else (speedup - spread, speedup + spread)
    size = problem_bytes(33, 3)
    figures = {"stack": "mpich", "scaling": "strong", "binding": binding, "benchmark": "wave", "mode": "blocking"}
    figures |= {"payload": "problem", "asked_bytes": size, "size_bytes": size, "work": 1.0, "ranks": ranks}
    figures |= {"processors": 2, "launches": 9, "base_ranks": 1}
    figures |= {"median_ns": 36000.0 / (speedup or 1), "ci_low_ns": 15000.0, "ci_high_ns": 25000.0, "blocks": 9}
    figures |= {"speedup": speedup, "speedup_low": low, "speedup_high": high, "confidence": 0.96}
    for name, value in (("", speedup), ("_low", low), ("_high", high)):
        figures[f"efficiency{name}"] = None if value is None else value / ranks
    figures |= {"communication": 0.25, "communication_low": 0.2, "communication_high": 0.3}
    return ScalingRow(**figures | other)


ROWS = [
    *(a_row(ranks, speedup) for ranks, speedup in ((1, 1.0), (2, 1.8), (4, 1.2))),
    *(a_row(ranks, speedup, "mpi4py") for ranks, speedup in ((1, 1.0), (2, 1.5), (4, 1.1))),
]


@pytest.fixture
def analysis():
    rows = [summary_row(binding="c"), summary_row()]
    return replace(built_analysis(rows, profile="quick"), scaling=ROWS)


def test_a_table_says_time_speed_up_efficiency_and_communication_with_intervals() -> None:
    [table] = scaling_tables(ROWS)
    assert (table.stack, table.title) == ("mpich", "wave (blocking), 33³")
    assert [(line.binding, line.first) for line in table.lines[2:4]] == [("c", False), ("mpi4py", True)]
    assert table.lines[1].figures == (
        *("2", "20.0 µs (15.0–25.0 µs)", "1.80 (1.70–1.90)", "90 % (85–95 %)", "25 % (20–30 %)"),
    )
    assert table.lines[0].figures[2] == "1.00"
    assert table.lines[1].short == ("2", "20.0 µs", "1.80", "90 %", "25 %")
    assert [line.figures[0] for line in table.lines[:3]] == ["1", "2", "4 (oversubscribed)"]


def test_the_answer_is_of_the_most_ranks_that_have_a_processor_each() -> None:
    assert scaling_tables(ROWS)[0].answer == (
        "With 2 ranks instead of 1: C 1.80 × as fast (efficiency 90 %) and mpi4py 1.50 × as fast (efficiency 75 %). "
        "Oversubscribed: 4 ranks share 2 processors and wait for each other."
    )
    alone = [replace(row, processors=1) for row in ROWS if row.binding == "c"]
    assert scaling_tables(alone)[0].answer.startswith("With 4 ranks instead of 1: C 1.20 × as fast (efficiency 30 %). ")
    assert "2 and 4 ranks share 1 processor" in scaling_tables(alone)[0].answer
    unknown = scaling_tables([replace(row, processors=None) for row in ROWS])[0]
    assert unknown.answer.startswith("With 4 ranks")
    assert "versubscribed" not in unknown.answer


WEAK_ROWS = [
    a_row(ranks, speedup, scaling="weak", size_bytes=problem_bytes(edge, 3), median_ns=36000.0)
    for ranks, speedup, edge in ((1, 1.0, 33), (2, 1.8, 42))
]


def test_weak_scaling_says_the_problem_of_each_number_of_ranks_and_the_scaled_speed_up() -> None:
    [table] = scaling_tables(WEAK_ROWS)
    assert table.title == "wave (blocking), 33³ a rank"
    assert table.headers[2:5] == ("problem", "an iteration", "scaled speed-up")
    assert [line.short[:4] for line in table.lines] == [
        ("1", "33³", "36.0 µs", "1.00"),
        ("2", "42³", "36.0 µs", "1.80"),
    ]
    assert table.lines[1].figures[1:3] == ("42³", "36.0 µs (15.0–25.0 µs)")
    assert table.answer == (
        "With 2 ranks instead of 1, each with as much work, in the same time: C 1.80 × the work (efficiency 90 %)."
    )
    assert "(weak scaling)" in scaling_note(WEAK_ROWS)
    assert "(strong scaling)" in scaling_note(ROWS)


def test_every_report_shows_weak_scaling(analysis) -> None:
    weak = replace(analysis, scaling=WEAK_ROWS)
    assert "| 2 | 42³ | 36.0 µs (15.0–25.0 µs) | 1.80 (1.70–1.90) |" in markdown(weak)
    page = section(html(weak), "scaling")
    assert "<th>scaled speed-up</th>" in page
    assert "42³" in page
    text = terminal(weak, 80)
    assert "42³" in text.split("Scaling of wave (blocking), 33³ a rank on mpich")[1]
    chart = speedup_over_ranks(WEAK_ROWS, Palette(["c"])).to_dict()
    assert [row["ranks_text"] for row in chart["datasets"]["rows"]] == ["1, 33³", "2, 42³"]


def test_a_missing_figure_is_a_dash_and_an_interval_across_units_names_both() -> None:
    [table] = scaling_tables([a_row(4, None, communication=None, communication_low=None)])
    assert table.lines[0].figures[2:] == ("–", "–", "–")
    assert table.answer == "No block was measured with several numbers of ranks."
    assert not table.drawn
    [table] = scaling_tables([a_row(2, ci_low_ns=900.0, ci_high_ns=1100.0)])
    assert table.lines[0].figures[1].endswith("(900 ns–1.10 µs)")


def test_every_report_has_the_table_where_something_scales(analysis, tmp_path) -> None:
    without = replace(analysis, scaling=[])
    page = html(analysis)
    assert 'data-chart="scaling-0"' in section(page, "scaling")
    assert "4 (oversubscribed)" in section(page, "scaling")
    assert 'href="#scaling"' in page
    assert '"scaling-0":' in page
    assert not {'id="scaling"', 'href="#scaling"'} & set(html(without).split())
    line = "| mpi4py | 2 | 24.0 µs (15.0–25.0 µs) | 1.50 (1.40–1.60) | 75 % (70–80 %) | 25 % (20–30 %) |"
    assert line in markdown(analysis).split("## Scaling")[1]
    assert "## Scaling" not in markdown(without)
    assert [path.name for path in write_csv(analysis, tmp_path)] == ["summary.csv", "memory.csv", "scaling.csv"]
    frame = pl.read_csv(tmp_path / "scaling.csv")
    assert frame.filter(binding="mpi4py", ranks=2)["speedup"].to_list() == [1.5]
    assert frame.filter(ranks=1)["speedup_low"].to_list() == [None, None]
    assert [path.name for path in write_csv(without, tmp_path)] == ["summary.csv", "memory.csv"]


@pytest.mark.parametrize(("width", "words"), [(80, "1.80        90 %"), (120, "1.80 (1.70–1.90)")])
def test_the_terminal_shows_intervals_where_there_is_room(analysis, width: int, words: str) -> None:
    text = terminal(analysis, width)
    assert words in text.split("Scaling of wave (blocking), 33³ on mpich")[1]
    assert max(map(len, text.splitlines())) <= width


def test_the_chart_has_the_ideal_line_and_hollow_points_beyond_the_processors() -> None:
    chart = speedup_over_ranks(ROWS, Palette(["c", "mpi4py"])).to_dict()
    assert chart["datasets"]["ideal"] == [{"ranks": n, "ideal": float(n)} for n in (1, 2, 4)]
    drawn = {(row["binding"], row["ranks"]): row for row in chart["datasets"]["rows"]}
    assert drawn["c", 4]["oversubscribed"]
    assert not drawn["c", 2]["oversubscribed"]
    assert (drawn["c", 2]["speedup"], drawn["c", 2]["low"], drawn["c", 2]["high"]) == (1.8, 1.7, pytest.approx(1.9))
    [points] = [layer for layer in chart["layer"] if layer["mark"]["type"] == "point"]
    assert points["encoding"]["fillOpacity"] == {"value": 0, "condition": {"test": "!datum.oversubscribed", "value": 1}}


def published(rows, shown=("mpi4py",)):
    """What is published for a run that scales so, by the name of the published table."""
    run = replace(built_analysis([summary_row(binding="c")]), scaling=rows)
    return {one.source.name: one for one in comparisons(run, Palette(["c", "mpi4py"]), shown)}


def products(length=2**18, **other):
    size = problem_bytes(length, 1)
    changes = {"benchmark": "inner-product", "mode": "standard", "asked_bytes": size, "size_bytes": size}
    return [replace(row, **changes | other) for row in ROWS]


def test_published_speed_ups_of_the_inner_product_stand_next_to_ours() -> None:
    one = published(products())["inner_product_speedup"]
    assert one.statement == (
        "Published: with 16 processes instead of one C is 8.83 × as fast and pypar 4.60 ×, "
        "and with 64 processes 5.06 × as fast and pypar 4.32 ×. Here, with 2 ranks: c 1.80 × and mpi4py 1.50 ×."
    )
    assert one.headers == ("processes", "published: C", "published: pypar", "c, here", "mpi4py, here")
    assert one.lines[0] == ("2", "1.95", "1.73", "1.80", "1.50")
    assert one.lines[1][0] == "4, oversubscribed here"
    assert one.lines[-1] == ("64", "5.06", "4.32", "–", "–")
    assert published(products(), shown=())["inner_product_speedup"].headers[-1] == "c, here"
    shared = published(products(processors=1))["inner_product_speedup"]
    assert "Here, with 4 ranks: c 1.20 ×" in shared.statement


@pytest.mark.parametrize(
    "rows", [ROWS, products(length=1000), products(base_ranks=2), products(scaling="weak"), products()[:1]]
)
def test_what_is_something_else_has_no_published_speed_ups(rows) -> None:
    assert published(rows) == {}
