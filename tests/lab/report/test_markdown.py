import re

import pytest
from built import built_analysis, launch, rich_run, summary_row
from markdown_it import MarkdownIt
from report.forms import markdown

from polympi.lab.records import Environment, Finding
from polympi.lab.report.escape import escape
from polympi.lab.statistics.analysis import analyse

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = [
    "a | b",
    "`code`",
    "``` fence",
    "~~~ fence",
    "*bold* _thin_ ~~struck~~",
    "<b>tag</b>",
    "</details>",
    "<!-- comment",
    "--> end",
    "&lt;entity&#33;",
    "[name](javascript:alert(1))",
    "![picture](http://x/y.png)",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "2) item",
    "# heading",
    "> quote",
    "---",
    "===",
    "- - -",
    "\\| half escaped",
    "$x^2$",
    "trailing \\",
]
BROKEN = ["two\nlines", "two\r\nlines", "two\u2028lines", "two\x0blines", "two\x1b[31mlines", "two\u202elines"]


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    return analyse(rich_run(tmp_path_factory.mktemp("markdown") / "run"))


def shown(text):
    """The text a reader sees, and the kinds of element it stands in."""
    tokens = [token for block in READER.parse(text) for token in (block, *(block.children or ()))]
    return "".join(t.content for t in tokens if t.type in ("text", "text_special")), {t.type for t in tokens}


@pytest.mark.parametrize("text", HOSTILE + BROKEN)
def test_text_from_outside_is_shown_as_it_is_on_one_line_and_a_cell_stays_a_cell(text):
    seen, kinds = shown(escape(text))
    assert seen == text if text in HOSTILE else re.fullmatch(r"two .*lines", seen)
    assert kinds <= {"paragraph_open", "inline", "text", "text_special", "paragraph_close"}
    assert escape(text).isprintable()
    table = f"| a | b |\n| --- | --- |\n| {escape(text)} | last |"
    assert sum(token.type == "td_open" for token in READER.parse(table)) == 2
    assert shown(table)[0].endswith("last")


def test_figures_stay_readable():
    assert escape("+561 ns") == "+561 ns"
    assert escape("▲ 1.68 × (1.62–1.74), −12.0 ns") == "▲ 1.68 × (1.62–1.74), −12.0 ns"


@pytest.mark.parametrize("name", ["evil | name", "<img src=x>", "`tick`", "new\nline", "- dash"])
def test_a_report_with_hostile_names_keeps_its_tables(name):
    rows = [summary_row(binding=binding) for binding in ("c", name)]
    rows += [summary_row(24, payload="dict", binding=binding) for binding in ("c", "mpi4py")]
    hostile = launch(0, binding=name, outcome="crashed", detail=f"{name}\n## not a heading", threads=name)
    text = markdown(
        built_analysis(
            rows,
            bindings=("c", name, "mpi4py"),
            launches=[hostile],
            left_out={name: name},
            environment=Environment(metadata={name: {name: name}}, findings=[Finding("warning", name, name, "")]),
        )
    )
    blocks = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    tables = [READER.parse(block) for block in blocks]
    assert len(tables) == 2
    for tokens in tables:
        width = sum(token.type == "th_open" for token in tokens)
        assert width > 2
        assert sum(token.type == "td_open" for token in tokens) % width == 0
        assert {token.type for token in tokens} >= {"table_open"}
    assert "<img" not in text
    assert "\n## not" not in text


def test_the_overview_is_the_first_table_after_its_key(analysis):
    text = markdown(analysis)
    assert text.startswith("<!-- made by polympi 0.1.0 -->")
    first = re.search(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    lines = first[0].splitlines()
    assert lines[0] == (
        "|  | Small message: latency, 8 B | Large message: latency, 4 MiB | Object: latency, dict, 24 B | "
        "Collective: allreduce, float64, 8 B | Start-up: first barrier |"
    )
    assert [line.split(" | ")[0].strip("| ") for line in lines[2:]] == ["C", "mpi4py", "mpi4py-object"]
    assert text.index("▲ slower than C") < text.index("▲ 1.6") < text.index("On mpich, mpi4py adds 5")


def test_the_table_of_benchmarks_has_as_many_cells_everywhere(analysis):
    text = markdown(analysis)
    table = [line for line in text.partition("## Bindings by benchmark")[2].splitlines() if line.startswith("|")]
    assert len({line.count("|") for line in table}) == 1
    assert "| benchmark | size | C (single) | mpi4py (multiple) | mpi4py-object (multiple) |" in table
    assert any(line.startswith("| latency | 8 B |") for line in table)
    assert "nan" not in text
    assert "None" not in text


def test_a_run_without_rows_is_said_so():
    assert "No binding was compared with C." in markdown(built_analysis(ended="interrupted"))
