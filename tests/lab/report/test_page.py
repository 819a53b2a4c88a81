import json
import re
import time
from dataclasses import replace
from html import escape, unescape

import msgspec
import polars as pl
import pytest
from built import built_analysis, launch, rich_run, summary_row
from report.forms import html, markdown
from synthetic import make_run

from polympi.lab.importers.keep import append_rows, kept_rows
from polympi.lab.importers.rows import IMPORTED_SCHEMA
from polympi.lab.records import Environment, Finding, Launching, Refusal
from polympi.lab.report.content import imported_lines
from polympi.lab.report.html import render_html
from polympi.lab.report.markdown import render_markdown
from polympi.lab.statistics.analysis import analyse

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m \"'&"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    directory = rich_run(tmp_path_factory.mktemp("page") / "run", stacks=("mpich", "openmpi"))
    return render_html(analyse(directory), kept_rows(directory.path))


def own_text(page):
    """The page without the Vega runtime, whose source has its own words."""
    return re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)


def embedded(page, name):
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', page, flags=re.DOTALL)[1])


def test_it_is_small_and_needs_nothing_else(page):
    assert len(page.encode()) < 3_000_000
    assert not re.search(r'(?:src|href)="(?!#|data:)', own_text(page))
    assert "default-src 'none'" in page


def test_no_figure_is_missing_or_impossible(page):
    assert not re.search(r"\b(?:nan|NaN|None|inf|Infinity|undefined)\b", own_text(page))


def test_the_overview_comes_before_tables_and_charts(page):
    places = [page.index(f'<section id="{name}"') for name in ("overview", "table", "charts", "fits", "published")]
    assert places == sorted(places)


def overview_rows(page, stack="mpich"):
    table = re.search(rf'<table class="screen"[^>]*data-name="overview-{stack}".*?</table>', page, flags=re.DOTALL)[0]
    found = re.findall(r'<tr role="row" data-binding="([^"]*)">(.*?)</tr>', table, flags=re.DOTALL)
    return {name: re.findall(r"<td.*?</td>", row, flags=re.DOTALL) for name, row in found}


def test_the_overview_has_a_row_a_binding_and_a_bar_a_case(page):
    for stack in ("mpich", "openmpi"):
        rows = overview_rows(page, stack)
        assert list(rows) == ["mpi4py", "mpi4py-object"]
        for cells in rows.values():
            labels = [re.search(r'data-label="([^"]*)"', cell)[1] for cell in cells]
            assert labels == ["Small message", "Large message", "Object", "Collective", "Start-up"]
            for cell in cells:
                assert re.search(r'<svg class="bar v-[a-z-]+" aria-hidden="true">', cell)
                assert re.search(r'aria-label="(slower|not separated|faster|ambiguous)"', cell)
    small, large, *_ = overview_rows(page)["mpi4py"]
    assert re.search(r"▲</span>1\.6\d&#8239;×</b> <span class=\"delta\">\+5\d\d\u00a0ns</span>", small)
    assert "4\u00a0MiB" in large.replace(" MiB", "\u00a0MiB")


def test_bars_and_intervals_lie_where_their_figures_do(page):
    rows = embedded(page, "rows-data")
    keys = [column["key"] for column in rows["columns"]]
    bars = []
    for cells in overview_rows(page).values():
        for cell in cells:
            row = dict(zip(keys, rows["rows"][int(re.search(r'data-row="(\d+)"', cell)[1])], strict=True))
            low, high = map(float, re.search(r'"reach" x1="([\d.]+)%" x2="([\d.]+)%"', cell).groups())
            ratio = float(re.search(r'cx="([\d.]+)%"', cell)[1])
            assert low <= ratio <= high
            bars.append((row["ratio_to_c"], ratio))
    assert len(bars) == 10
    assert [place for _, place in sorted(bars)] == sorted(place for _, place in bars)


def test_three_sentences_a_binding_and_the_rest_folds(page):
    shown = re.sub(r"<details.*?</details>", "", own_text(page), flags=re.DOTALL)
    articles = re.findall(r'<article data-binding="([^"]*)">(.*?)</article>', shown, flags=re.DOTALL)
    assert [name for name, _ in articles] == ["mpi4py", "mpi4py-object"] * 2
    assert all(text.count("<p>") == 3 for _, text in articles)
    folded = page.replace("\u00a0", " ")
    assert "On mpich, mpi4py adds 5" in folded
    assert "On mpich, mpi4py adds 5" not in shown.replace("\u00a0", " ")


def test_the_key_stands_before_the_first_sign(page):
    body = own_text(page)
    key = body.index('<ul class="key"')
    assert all(body.index(sign) > key for sign in "▲≈×")
    assert {"slower than C", "not separated from C"} <= set(re.findall(r"</span></span> ([^<]+)</li>", body))


def test_arms_of_c_stand_below_the_bindings(tmp_path):
    effects = {name: (100.0 * i, 0.0, 1.0) for i, name in enumerate(("c", "c-again", "c-spin", "mpi4py"))}
    directory = make_run(tmp_path / "run", effects=effects)
    page = html(analyse(directory))
    assert list(overview_rows(page)) == ["mpi4py", "c-spin"]
    assert page.index('data-binding="mpi4py"') < page.index("What C itself shows") < page.index('data-binding="c-spin"')


def test_a_cell_that_does_not_exist_says_why():
    dicts = [summary_row(24, payload="dict", binding=binding) for binding in ("c", "mpi4py-object")]
    analysis = built_analysis(
        [summary_row(8, binding=binding) for binding in ("c", "mpi4py", "mpi4py-object")] + dicts,
        bindings=("c", "mpi4py", "mpi4py-object"),
        not_covered={"mpi4py": [Refusal("latency/standard/dict/24", "It sends <buffers>.")]},
    )
    cell = overview_rows(html(analysis))["mpi4py"][1]
    assert 'tabindex="0" data-tip="It sends &lt;buffers&gt;." aria-label="not measured: It sends' in cell
    assert "–" in cell


@pytest.mark.parametrize(("residual", "words"), [(0.26, '26 % <b class="poor">poor fit</b>'), (0.24, "24 %")])
def test_a_poor_fit_is_marked_in_words(tmp_path, residual, words):
    cases = [("latency", "standard", "bytes", size) for size in (8, 64, 1024, 65536)]
    analysis = analyse(make_run(tmp_path / "run", cases=cases))
    fits = [
        replace(fit, segments=tuple(replace(s, largest_residual=residual) for s in fit.segments))
        for fit in analysis.fits
        if fit.binding != "c-again"
    ]
    page = html(replace(analysis, fits=fits))
    assert page.count(f"<td>{words}</td>") == sum(len(fit.segments) for fit in fits) > 0
    datasets = embedded(page, "charts-data")["mpich-latency-standard-bytes-fit"]["datasets"]
    assert {record["fit"] for record in datasets["rows"]} == {"poor fit" if residual > 0.25 else "good"}
    assert len(datasets["poor"]) == (sum(len(fit.segments) for fit in fits) if residual > 0.25 else 0)


def test_every_table_can_be_named_and_saved(page):
    names = re.findall(r'<table[^>]*data-name="([^"]+)"', own_text(page))
    assert len(names) == own_text(page).count("<table")
    assert {"overview-mpich", "bindings-openmpi", "all-rows"} <= set(names)


def test_every_arm_is_shown_with_its_thread_level(page):
    head = re.search(r'<table class="main" data-name="bindings-[^>]*>\s*<thead>(.*?)</thead>', page, flags=re.DOTALL)[1]
    assert re.findall(r'([^\s>]+)<small title="thread level">(\w+)</small>', head) == [
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
        environment=Environment(
            metadata={HOSTILE: {HOSTILE: HOSTILE}}, findings=[Finding("warning", HOSTILE, HOSTILE, HOSTILE)]
        ),
        withdrawn={f"mpich/{HOSTILE}": HOSTILE},
        left_out={HOSTILE: HOSTILE},
    )
    page = html(analysis)
    assert "<script>alert" not in page
    assert "<img" not in own_text(page)
    assert escape("</script><script>alert(1)", quote=False) in page
    assert page.count("</script>") == page.count("<script")


def test_findings_failures_and_gaps_are_shown():
    finding = Finding("warning", "More ranks than cores", "4 on 2.", "Use 2.")
    analysis = built_analysis(
        [summary_row(), summary_row(binding="c")],
        ended="interrupted",
        profile="quick",
        launches=[launch(3, outcome="crashed", stderr_tail="segmentation fault at 0x0", exit_code=139)],
        environment=Environment(
            metadata={"host": "node7", "cpu": {"model": "X", "l3_bytes": 2_000_000}}, findings=[finding]
        ),
        left_out={"boost-mpi": "not installed"},
    )
    page = html(analysis)
    for text in (
        '<span class="badge">partial</span>',
        '<span class="badge">quick</span>',
        "More ranks than cores",
        "Use 2.",
        "segmentation fault at 0x0",
        "exit code 139",
        "boost-mpi did not run on mpich",
        "<dd>2.00 MB</dd>",
        "<dd>node7</dd>",
        "polympi run -o &#39;a directory&#39;",
        "--seed 7",
    ):
        assert text in page


FEW = [summary_row(binding=binding) for binding in ("c", "mpi4py")]


def test_what_a_binding_was_built_from_is_next_to_it():
    given = {"mpi4py": {"liby": "v1-4-g80c3305d", "libz": "sha256 0123456789ab"}}
    said = "It was built from the sources of liby (v1-4-g80c3305d) and libz (sha256 0123456789ab)."
    assert said in html(built_analysis(FEW, sources=given))
    assert "built from the sources" not in html(built_analysis(FEW))


def test_imported_rows_are_shown(tmp_path):
    text = (
        "tool,benchmark,mode,payload,size_bytes,ranks,time_ns,time_min_ns,time_max_ns,mb_per_s,repetitions,source\n"
        "OSU,latency,standard,bytes,8,2,1234.0,,,,,osu <b>.txt\n"
    )
    (tmp_path / "imported.csv").write_text(text)
    page = render_html(built_analysis(FEW), kept_rows(tmp_path))
    assert "Rows of other tools" in page
    assert "1.23 µs" in page
    assert "osu &lt;b&gt;.txt" in page


def test_imported_rows_say_what_their_time_is_and_which_file_they_are_of(tmp_path):
    row = {"tool": "OSU 7.4", "benchmark": "bcast", "mode": "standard", "payload": "derived bytes", "size_bytes": 8}
    rows = [
        row | {"time_ns": 1000.0, "statistic": "mean over ranks", "source": "a.txt", "content": "0123456789abcdef"},
        row | {"time_ns": 1500.0, "statistic": "max over ranks", "source": "a.txt", "content": "fedcba9876543210"},
        row | {"mb_per_s": 5.0, "source": "b.txt", "content": "0123456789abcdef"},
    ]
    run = make_run(tmp_path / "run", blocks=0)
    append_rows(run.path, pl.DataFrame(rows, schema=IMPORTED_SCHEMA))
    kept = kept_rows(run.path)
    assert [line[3:] for line in imported_lines(kept)] == [
        ("derived bytes", "8 B", "", "1.00 µs", "mean over ranks", "", "a.txt (012345)"),
        ("derived bytes", "8 B", "", "1.50 µs", "max over ranks", "", "a.txt (fedcba)"),
        ("derived bytes", "8 B", "", "", "", "5.00 MB/s", "b.txt"),
    ]
    analysis = built_analysis(FEW)
    for written in (render_html(analysis, kept), render_markdown(analysis, kept)):
        assert "mean over ranks" in written
        assert "derived bytes" in written
        assert "never larger" in written  # what sets their maximum apart from ours


def test_an_empty_run_still_makes_a_page():
    page = html(built_analysis(ended="interrupted"))
    assert "No binding was compared with C on this stack." in page


def test_rendering_takes_a_few_seconds_at_most(tmp_path):
    directory = rich_run(tmp_path / "run", blocks=30, events=5)
    analysis = analyse(directory)
    started = time.process_time()
    render_html(analysis, kept_rows(directory.path))
    assert (
        time.process_time() - started < 30
    )  # usually below two; what grew with the square of a run would take far more


def test_a_run_by_the_network_says_so_at_its_head_and_how_it_was_asked_for(tmp_path):
    words = "by the network, without memory that ranks share"
    analysis = analyse(make_run(tmp_path / "run", blocks=6, events=1, cases=[("barrier", "standard", "none", 0)]))
    assert words not in markdown(analysis)
    launching = Launching(variables={"UCX_TLS": "^shm", "NAME": "two words"}, by_network=True)
    by_network = replace(analysis, run=msgspec.structs.replace(analysis.run, launching=launching))
    page = own_text(html(by_network))
    assert words in page[: page.index("<section")]
    assert words in markdown(by_network).split("\n## ")[0]
    assert "Variables of the ranks" in page
    assert "'NAME=two words'" in unescape(page)


def without_c(*, compared: bool):
    """A run in which C timed out in two launches, before anything could be compared with it or after."""
    rows = (
        [summary_row(), summary_row(binding="c")] if compared else [summary_row(verdict="no counterpart", **NO_RATIO)]
    )
    failed = [
        launch(n, "c", "timed out", detail="it was still running after 60 s and was ended", load_average=10.0)
        for n in (7, 8)
    ]
    return built_analysis(
        rows, launches=[launch(0, "c"), *failed] if compared else failed, withdrawn={"mpich/c": "twice"}
    )


NO_RATIO = dict.fromkeys(
    ("ratio_to_c", "ratio_low", "ratio_high", "delta_to_c_ns", "delta_low_ns", "delta_high_ns", "floor_ratio")
)


@pytest.mark.parametrize("compared", [False, True])
def test_the_first_screen_says_that_c_failed(compared):
    for text in (own_text(html(without_c(compared=compared))), markdown(without_c(compared=compared))):
        assert "C failed" in text.partition('id="table"')[0]
        assert ("nothing to compare with" in text) != compared
        assert "was up to 10" in text
    page = own_text(html(without_c(compared=compared)))
    assert ('class="screen"' in page) == compared
    assert 'class="no-reference"' in page


def test_a_launch_of_c_that_failed_once_is_not_reported_first(page):
    once = built_analysis(
        [summary_row(), summary_row(binding="c")], launches=[launch(0, "c"), launch(1, "c", "timed out")]
    )
    assert 'class="no-reference"' not in own_text(html(once))
    assert 'class="no-reference"' not in own_text(page)
