"""The tables of two runs compared, and their forms."""

import re

import msgspec
from changes_made_up import comparison, group, row

from polympi.lab.report.changes import DiffDocument, group_table, render_changes, render_json, rest_sentence, row_table

SLOWER = group(benchmark="bcast", verdict="slower", change=1.5, change_low=1.4, change_high=1.6, rows_slower=2)
UNKNOWN = group(benchmark="barrier", verdict="unknown", change_low=None, change_high=None, launches_needed=31)
HOPELESS = group(benchmark="startup", verdict="unknown")
SLOW_ROW = row(benchmark="bcast", payload="int", verdict="slower", before=1.5, after=2.25)


def test_what_became_slower_stands_first_and_the_same_only_on_request() -> None:
    found = comparison(group(), HOPELESS, UNKNOWN, SLOWER)
    table = group_table(found, every=False)
    assert [line.verdict for line in table.lines] == ["slower", "unknown", "unknown"]
    cells = dict(zip(table.headers, table.lines[0].cells, strict=True))
    assert cells == {
        "binding": "mpi4py",
        "benchmark": "bcast",
        "change": "+50 %",
        "interval": "+40 to +60 %",
        "C itself": "+1.0 %",
        "rows": "2 slower of 10",
        "verdict": "slower",
    }
    assert [line.cells[-1] for line in table.lines[1:]] == ["unknown (>100)", "unknown (31)"]
    assert len(group_table(found, every=True).lines) == 4
    assert (rest_sentence(found) or "").startswith("1 group is the same")
    assert rest_sentence(comparison(SLOWER)) is None


def test_rows_that_changed_are_listed_with_what_they_were() -> None:
    found = comparison(SLOWER, rows=(row(), SLOW_ROW))
    (line,) = row_table(found, every=False).lines
    assert line.cells[:5] == ("mpi4py", "bcast, int", "8 B", "1.50×", "2.25×")
    assert len(row_table(found, every=True).lines) == 2
    times = comparison(SLOWER, rows=(row(verdict="slower", before=1500.0, after=3000.0),), absolute=True)
    assert row_table(times, every=False).lines[0].cells[3:5] == ("1.50 µs", "3.00 µs")


def test_several_stacks_are_a_column() -> None:
    found = comparison(SLOWER, group(stack="openmpi", verdict="slower"))
    assert group_table(found, every=False).headers[0] == "stack"
    assert [line.cells[0] for line in group_table(found, every=False).lines] == ["mpich", "openmpi"]


def test_markdown_escapes_what_comes_from_outside() -> None:
    evil = "a|b`c`<img src=x>\n# d"
    found = comparison(group(binding=evil, verdict="slower"), rows=(row(binding=evil, verdict="slower"),))
    text = render_changes(found, "run|`1` → <b>run</b>", [f"Slower: {evil}.", "C itself\nchanged."], every=False)
    assert not re.search(r"<(?!/?details>|/?summary>)", text)
    assert not re.search(r"(?<!\\)`", text)
    assert not any(line.startswith("# ") for line in text.splitlines())
    for line in text.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in {8, 9}


def test_markdown_folds_what_is_the_same() -> None:
    text = render_changes(comparison(group(), SLOWER), "a → b", ["Slower: x."], every=False)
    above, below = text.split("<details>", 1)
    assert "**Slower: x.**" in above
    assert "bcast" in above
    assert "latency" not in above
    assert "latency" in below


def test_json_holds_everything_and_can_be_read_back() -> None:
    found = comparison(SLOWER, UNKNOWN, rows=(SLOW_ROW,))
    document = DiffDocument(
        before="a",
        after="b",
        exit_code=1,
        answer="Slower: x.",
        absolute=False,
        threshold=found.threshold,
        groups=found.groups,
        rows=found.rows,
    )
    text = render_json(document)
    assert text.endswith("}\n")
    assert msgspec.json.decode(text, type=DiffDocument) == document
    plain = msgspec.json.decode(text)
    assert plain["format"] == 1
    assert plain["groups"][1]["change_low"] is None
