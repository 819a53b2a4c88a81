import html
import json
import re
import time

import polars as pl
import pytest
from built import built_analysis, launch, rich_run, summary_row

from polympi.lab.importers.keep import append_rows, kept_rows
from polympi.lab.importers.rows import IMPORTED_SCHEMA
from polympi.lab.report.content import imported_lines
from polympi.lab.report.html import render_html
from polympi.lab.report.markdown import render_markdown
from polympi.lab.samples.records import Refusal
from polympi.lab.statistics.analysis import analyse

NOTHING = pl.DataFrame(schema=IMPORTED_SCHEMA)
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m \"'&"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    directory = rich_run(tmp_path_factory.mktemp("page") / "run", stacks=("mpich", "openmpi"))
    return render_html(analyse(directory), kept_rows(directory.path))


def own_text(page):
    """The page without the Vega runtime, whose source has words of its own."""
    return re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)


def embedded(page, name):
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', page, flags=re.DOTALL)[1])


def test_it_is_small_and_needs_nothing_else(page):
    assert len(page.encode()) < 3_000_000
    assert not re.search(r'(?:src|href)="(?!#|data:)', own_text(page))
    assert "default-src 'none'" in page


def test_no_figure_is_missing_or_impossible(page):
    assert not re.search(r"\b(?:nan|NaN|None|inf|Infinity|undefined)\b", own_text(page))


def test_answers_come_before_tables_and_charts(page):
    places = [page.index(f'<section id="{name}"') for name in ("answers", "table", "charts", "fits", "published")]
    assert places == sorted(places)
    assert "On mpich, mpi4py adds 5" in page
    assert "On openmpi, mpi4py adds 5" in page.replace("\u00a0", " ")


def test_every_arm_is_shown_with_its_thread_level(page):
    head = re.search(r'<table class="main">\s*<thead>(.*?)</thead>', page, flags=re.DOTALL)[1]
    assert re.findall(r'(\S+)<small title="thread level">(\w+)</small>', head) == [
        ("C", "single"),
        ("mpi4py", "multiple"),
        ("mpi4py-object", "multiple"),
    ]


def test_every_chart_in_the_page_has_a_specification(page):
    used = set(re.findall(r'data-chart="([^"]+)"', page))
    assert used == set(embedded(page, "charts-data"))
    assert any(name.endswith("-ratio") for name in used)


def test_the_table_of_all_rows_holds_them_all(page):
    rows = embedded(page, "rows-data")
    keys = [column["key"] for column in rows["columns"]]
    verdicts = {row[keys.index("verdict")] for row in rows["rows"]}
    assert {"reference", "slower", "not separated"} <= verdicts
    assert f"All {len(rows['rows'])} rows" in page


def test_everything_from_outside_is_escaped():
    analysis = built_analysis(
        [summary_row(), summary_row(binding="c"), summary_row(binding=HOSTILE)],
        bindings=("c", "mpi4py", HOSTILE),
        launches=[
            launch(0, outcome="crashed", detail=HOSTILE, stderr_tail=HOSTILE, command=["mpiexec", HOSTILE]),
            launch(1, skipped=[Refusal(HOSTILE, HOSTILE)]),
        ],
        environment={
            "findings": [{"level": "warning", "title": HOSTILE, "text": HOSTILE, "advice": HOSTILE}],
            HOSTILE: {HOSTILE: HOSTILE},
        },
        withdrawn={f"mpich/{HOSTILE}": HOSTILE},
        left_out={HOSTILE: HOSTILE},
    )
    page = render_html(analysis, NOTHING)
    assert "<script>alert" not in page
    assert "<img" not in own_text(page)
    assert html.escape("</script><script>alert(1)", quote=False) in page
    assert page.count("</script>") == page.count("<script")


def test_findings_failures_and_gaps_are_shown():
    finding = {"level": "warning", "title": "More ranks than cores", "text": "4 on 2.", "advice": "Use 2."}
    analysis = built_analysis(
        [summary_row(), summary_row(binding="c")],
        ended="interrupted",
        profile="quick",
        launches=[launch(3, outcome="crashed", stderr_tail="segmentation fault at 0x0", exit_code=139)],
        environment={"findings": [finding], "host": "node7", "cpu": {"model": "X", "l3_bytes": 2_000_000}},
        left_out={"boost-mpi": "not installed"},
    )
    page = render_html(analysis, NOTHING)
    for text in (
        '<span class="badge">partial</span>',
        '<span class="badge">quick</span>',
        "More ranks than cores",
        "Use 2.",
        "segmentation fault at 0x0",
        "exit code 139",
        "boost-mpi took no part on mpich",
        "<dd>2.00 MB</dd>",
        "<dd>node7</dd>",
        "polympi run -o &#39;a directory&#39;",
        "--seed 7",
    ):
        assert text in page


def test_imported_rows_are_shown(tmp_path):
    directory = rich_run(tmp_path / "run")
    text = (
        "tool,benchmark,mode,payload,size_bytes,ranks,time_ns,time_min_ns,time_max_ns,mb_per_s,repetitions,source\n"
        "OSU,latency,standard,bytes,8,2,1234.0,,,,,osu <b>.txt\n"
    )
    (directory.path / "imported.csv").write_text(text)
    page = render_html(analyse(directory), kept_rows(directory.path))
    assert "Rows of other tools" in page
    assert "1.23 µs" in page
    assert "osu &lt;b&gt;.txt" in page


def test_imported_rows_say_what_their_time_is_and_which_file_they_are_of(tmp_path):
    run = rich_run(tmp_path / "run")
    row = {"tool": "OSU 7.4", "benchmark": "bcast", "mode": "standard", "payload": "derived bytes", "size_bytes": 8}
    rows = [
        row | {"time_ns": 1000.0, "statistic": "mean over ranks", "source": "a.txt", "content": "0123456789abcdef"},
        row | {"time_ns": 1500.0, "statistic": "max over ranks", "source": "a.txt", "content": "fedcba9876543210"},
        row | {"mb_per_s": 5.0, "source": "b.txt", "content": "0123456789abcdef"},
    ]
    append_rows(run.path, pl.DataFrame(rows, schema=IMPORTED_SCHEMA))
    kept = kept_rows(run.path)
    assert [line[3:] for line in imported_lines(kept)] == [
        ("derived bytes", "8 B", "", "1.00 µs", "mean over ranks", "", "a.txt (012345)"),
        ("derived bytes", "8 B", "", "1.50 µs", "max over ranks", "", "a.txt (fedcba)"),
        ("derived bytes", "8 B", "", "", "", "5.00 MB/s", "b.txt"),
    ]
    analysis = analyse(run)
    for written in (render_html(analysis, kept), render_markdown(analysis, kept)):
        assert "mean over ranks" in written
        assert "derived bytes" in written
        assert "never more" in written  # what sets their maximum apart from ours


def test_an_empty_run_still_makes_a_page():
    page = render_html(built_analysis(ended="interrupted"), NOTHING)
    assert "No binding was compared with C on this stack." in page


def test_rendering_takes_a_few_seconds_at_most(tmp_path):
    directory = rich_run(tmp_path / "run", blocks=30)
    analysis = analyse(directory)
    started = time.process_time()
    render_html(analysis, kept_rows(directory.path))
    assert time.process_time() - started < 6  # usually below two; other work on the machine slows it
