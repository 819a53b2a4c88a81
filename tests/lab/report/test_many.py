"""A report of twenty bindings of nine languages."""

import itertools
import re
from dataclasses import replace

import msgspec
import pytest
from report.forms import html, markdown
from synthetic import TWENTY_LANGUAGES, make_run, twenty

from polympi.lab.conclusions.order import MOST_AT_ONCE
from polympi.lab.conclusions.rows import bindings_of
from polympi.lab.report.comparisons import comparisons
from polympi.lab.report.content import content, shown_of
from polympi.lab.report.figures import figures, palette_of
from polympi.lab.statistics.analysis import analyse


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    return analyse(twenty(tmp_path_factory.mktemp("many") / "run"))


def test_languages_stand_together_and_the_usual_bindings_in_front(analysis):
    names = bindings_of(analysis)
    assert names[:2] == ["c", "c-again"]
    assert names[2:6] == ["mpi4py", "mpi4py-object", "polympi", "polympi-object"]
    assert names[-3:] == ["c-multiple", "c-spin", "c-pages"]
    languages = [TWENTY_LANGUAGES[name] for name in names[2:-3]]
    assert len(languages) == 20
    changes = sum(a != b for a, b in itertools.pairwise(languages))
    assert changes == len(set(languages)) - 1


def test_who_is_asked_for_by_name_comes_first(analysis):
    asked = replace(analysis, run=msgspec.structs.replace(analysis.run, chosen=["rust", "polympi"]))
    assert bindings_of(asked, compared=True)[:3] == ["rust", "polympi", "mpi4py"]
    assert {"rust", "polympi"} <= set(shown_of(asked))


def test_the_usual_bindings_are_shown_first_and_then_one_of_each_language(analysis):
    shown = shown_of(analysis)
    assert shown[:4] == ["mpi4py", "mpi4py-object", "polympi", "polympi-object"]
    others = [TWENTY_LANGUAGES[name] for name in shown[4:]]
    assert len(others) == len(set(others)) == MOST_AT_ONCE - 4


def test_pictures_and_published_figures_have_those_that_are_shown(analysis):
    shown = shown_of(analysis)
    drawn = {name for figure in figures(analysis, shown) for name in names_in(figure.chart)}
    assert drawn == {*shown, "c", "c-again"}
    assert {name for figure in figures(analysis) for name in names_in(figure.chart)} > drawn
    said = " ".join(one.statement for one in comparisons(analysis, palette_of(analysis), shown))
    assert "polympi-object" in said
    assert "boost-python" not in said


def names_in(chart):
    datasets = chart.to_dict(validate=False)["datasets"].values()
    return {record["binding"] for records in datasets for record in records if "binding" in record}


def test_a_chart_with_a_line_for_each_binding_says_how_high_one_is(analysis):
    few, every = (
        next(f.chart for f in figures(analysis, arms) if f.name.endswith("-latency-standard-bytes-launches"))
        for arms in (shown_of(analysis), None)
    )
    fewer = len(every.usermeta["bindings"]) - len(few.usermeta["bindings"])
    assert fewer > 0
    assert few.height == every.height - fewer * every.usermeta["each"]


def test_one_figure_says_what_each_language_costs(analysis):
    (stack,) = content(analysis).stacks
    assert len(stack.languages.bindings) == 20
    assert len(stack.languages.columns) == 3
    small, *_ = stack.languages.answers
    assert small.startswith("8 B: ")
    same, *others = small.removesuffix(".").split("; ")
    assert "Rust" in same
    assert same.endswith("not separated from C")
    assert [re.match(r"[^ ]+", part)[0] for part in others][-1] == "R"


def test_the_page_shows_few_at_first_and_the_figure_all(analysis):
    page = html(analysis)
    figure = re.search(r'<table class="languages".*?</table>', page, flags=re.DOTALL)[0]
    assert len(re.findall(r'data-arm="', figure)) == 20
    assert "≈ C" in figure
    assert 1 < len(re.findall(r"data-chip=\"[^\"]+\" data-first", page)) <= MOST_AT_ONCE


def test_markdown_has_no_table_wider_than_a_page(analysis):
    text = markdown(analysis)
    widest = max(line.count("|") for line in text.splitlines() if line.startswith("|"))
    assert widest <= MOST_AT_ONCE + 4
    assert all(name in text for name in TWENTY_LANGUAGES)


def test_one_language_needs_no_figure_of_languages(tmp_path):
    page = html(analyse(make_run(tmp_path / "run")))
    assert 'id="languages"' not in page
