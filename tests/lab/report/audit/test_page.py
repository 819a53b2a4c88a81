import base64
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest
from report.audit.made_up import MESSAGE, made_up, no_calls

from polympi.lab.audit.model import Audit, Site
from polympi.lab.report.audit.figures import Figures, size_range
from polympi.lab.report.audit.grids import calls_by_rank, matrix
from polympi.lab.report.audit.page import render_page
from polympi.lab.report.audit.places import Places
from polympi.lab.report.audit.timeline import timeline

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m \"'&"
LIMIT = 2_000_000  # bytes of a page


@pytest.fixture(scope="module")
def four() -> str:
    return render_page(made_up())


def embedded(page: str, name: str):
    return json.loads(re.search(rf'id="{name}">(.*?)</script>', page, flags=re.DOTALL)[1])


def own_text(page: str) -> str:
    return re.sub(r"<(script|style)[^>]*>.*?</\1>", "", page, flags=re.DOTALL).replace("\u00a0", " ")


def test_the_page_needs_nothing_else(four):
    assert not re.search(r'(?:src|href)="(?!#|data:)', four)
    assert "url(" not in four
    assert "default-src 'none'" in four
    assert not re.search(r"\b(?:nan|None|inf|undefined)\b", own_text(four))


def test_its_first_screen_has_the_sentence_the_efficiencies_and_what_to_change(four):
    screen = re.search(r'<section id="overview">(.*?)</section>', own_text(four), flags=re.DOTALL)[1]
    text = " ".join(re.sub("<[^>]+>", " ", screen).split())
    share = 100 * Figures(made_up()).mpi_share
    assert f"MPI takes {share:.0f} % of the time; most of it, 30 %, is rank 3 arriving late at" in text
    assert "MPI_Allreduce in solver.py:42" in text
    for words in ("Parallel 52 %", "Load balance 80 %", "Serialisation 72 %", "Transfer 90 %"):
        assert words in text
    assert "20 messages" in " ".join(reversed(re.findall(r"<d[td]>([^<]+)</d[td]>", screen)))
    assert "Give rank 3 less to do before it, or begin it earlier with MPI_Iallreduce" in text
    assert "estimated from the profile" in text
    assert "Recording adds 42.0 ns per call" in text


def test_the_rows_of_its_table_are_the_calls(four):
    table = embedded(four, "rows-data")
    keys = [column["key"] for column in table["columns"]]
    rows = [dict(zip(keys, row, strict=True)) for row in table["rows"]]
    assert [row["procedure"] for row in rows] == ["MPI_Allreduce", "MPI_Recv", "MPI_Send", "MPI_Wait"]
    assert rows[0]["site"] == "solver.py:42"
    assert rows[0]["time_ns"] == pytest.approx(6.1e6)
    assert rows[0]["spread"] == pytest.approx(2.0 / (6.1 / 4), rel=1e-3)
    assert rows[2]["messages"] == 20
    assert rows[2]["bytes"] == 20 * MESSAGE
    assert rows[3]["messages"] is None


def test_bars_of_ranks_are_as_high_as_their_times(four):
    boxes = re.findall(r'<path d="([^"]+)" style="fill: ([^"]+)"', four)
    heights = np.zeros(4)
    for path, colour in boxes:
        for left, height in re.findall(r"M([\d.]+) [-\d.e]+h[\d.]+v-([\d.e-]+)h", path):
            heights[int(float(left))] += float(height) if colour != "var(--rest)" else 0
    audit = made_up()
    assert heights == pytest.approx([rank.in_mpi / rank.seconds for rank in audit.ranks], rel=1e-3)


def unpacked(data):
    raw, found, at = zlib.decompress(base64.b64decode(data["columns"])), {}, 0
    for name, kind in data["types"]:
        number = data["messages"] if name in ("send", "receive") else data["events"]
        width = int(kind[1])
        planes = np.frombuffer(raw[at : at + number * width], np.uint8).reshape(width, number)
        found[name] = np.ascontiguousarray(planes.T).view(f"<{kind}").reshape(-1)
        at += number * width
    assert at == len(raw)
    begin = np.cumsum(found["begin"].astype(np.uint64)) % 2**32
    return found | {"begin": data["first"] + begin * data["tick"], "length": found["length"] * data["tick"]}


def test_the_timeline_in_the_page_has_every_event_and_message():
    audit = made_up(4, 5)
    events = audit.events
    data = timeline(Figures(audit)).data
    columns = unpacked(data)
    order = np.lexsort((events.begin, events.rank))
    assert data["ranks"] == [[rank, 20] for rank in range(4)]
    assert columns["begin"] == pytest.approx(events.begin[order], abs=1e-8)
    assert columns["length"] == pytest.approx((events.end - events.begin)[order], abs=1e-8)
    assert columns["role"].tolist() == events.role[order].tolist()
    assert columns["bytes"].tolist() == events.bytes[order].tolist()
    names = [data["procedures"][data["calls"][call][0]] for call in columns["call"]]
    assert names == [events.procedures[i] for i in events.procedure[order]]
    assert data["messages"] == len(events.sends) == 20
    assert {names[i] for i in columns["send"]} == {"MPI_Send"}
    assert {names[i] for i in columns["receive"]} == {"MPI_Recv"}
    assert columns["peer"][columns["send"][0]] == 1


def test_where_there_is_no_room_the_longest_events_stay():
    audit = made_up(8, 400)
    figures = Figures(audit)
    whole = timeline(figures)
    assert whole.left_out == ""
    thin = timeline(figures, room=len(whole.data["columns"]) // 3)
    assert len(thin.data["columns"]) <= len(whole.data["columns"]) // 3
    assert 1000 <= thin.shown < whole.shown
    assert re.match(rf"It has the {thin.shown:,} longest of 12,800 events; those left out take \d", thin.left_out)
    assert unpacked(thin.data)["length"].min() > 4e-5  # the sends, which are shortest, are gone first


def test_an_event_that_ends_before_it_begins_has_no_length():
    audit = made_up(2, 2)
    end = audit.events.end.copy()
    end[5] = audit.events.begin[5] - 1e-3
    length = unpacked(timeline(Figures(replace(audit, events=replace(audit.events, end=end)))).data)["length"]
    assert length.min() == 0
    assert length.max() < 1e-3


def test_a_timeline_of_threads_has_a_lane_for_each():
    audit = made_up(2, 3)
    thread = np.where(audit.events.procedure == 2, 77, 5)
    columns = unpacked(timeline(Figures(replace(audit, events=replace(audit.events, thread=thread)))).data)
    assert sorted(set(columns["lane"].tolist())) == [0, 1]


@pytest.mark.parametrize(("ranks", "steps"), [(1024, 3), (64, 400)])
def test_a_page_of_many_ranks_stays_small(ranks, steps):
    page = render_page(made_up(ranks, steps))
    assert len(page.encode()) < LIMIT
    data = embedded(page, "audit-data")
    assert data["matrix"]["block"] == 1
    assert len(data["matrix"]["cells"]) == ranks
    assert data["timeline"]["events"] == ranks * steps * 4


def test_times_without_any_pattern_fit_as_well():
    audit = made_up(64, 400)
    rng = np.random.default_rng(1)
    late = np.sort(audit.events.begin + rng.exponential(1e-5, len(audit.events.begin)))
    noisy = replace(audit.events, begin=late, end=late + rng.exponential(1e-4, len(late)))
    noisy = replace(noisy, bytes=rng.integers(0, 10**6, len(late)))
    page = render_page(replace(audit, events=noisy))
    assert len(page.encode()) < LIMIT
    assert embedded(page, "audit-data")["timeline"]["events"] > 80_000


def test_a_matrix_with_too_many_pairs_is_one_of_blocks():
    full = np.ones((300, 300), np.int64)
    audit = replace(made_up(4), messages=full, message_bytes=8 * full)
    found = matrix(audit)
    assert found["block"] == 2
    assert len(found["cells"]) == 150 * 150
    assert {tuple(cell[2:]) for cell in found["cells"]} == {(4, 32)}


def test_times_by_rank_are_those_of_the_calls():
    found = calls_by_rank(Figures(made_up()))
    assert found["labels"][0] == ["MPI_Allreduce", "solver.py:42"]
    assert found["values"][0] == pytest.approx([2e-3, 2e-3, 2e-3, 1e-4])


def edge_cases() -> dict[str, Audit]:
    cut = made_up()
    last = "in MPI_Recv at a.py:3 (rank 1, tag 5)"
    ranks = (cut.ranks[0], *(replace(rank, ended="cut", last=last) for rank in cut.ranks[2:]))
    unknown = replace(cut.ranks[1], clock_error=None)
    return {
        "no calls": no_calls(),
        "no events": made_up(timeline=False),
        "one rank": made_up(1),
        "missing ranks": replace(cut, ranks=ranks, missing=(1,), events=None),
        "a clock unknown": replace(cut, ranks=(cut.ranks[0], unknown, *cut.ranks[2:])),
        "nothing ran": replace(no_calls(), seconds=0.0, ranks=(replace(no_calls().ranks[0], seconds=0.0),)),
        "no rank": replace(no_calls(), ranks=(), missing=(0,), messages=np.zeros((0, 0), int)),
    }


@pytest.mark.parametrize("name", edge_cases())
def test_any_audit_makes_a_page(name):
    page = render_page(edge_cases()[name])
    assert not re.search(r"\b(?:nan|None|inf|undefined)\b", own_text(page))
    assert page.count("</script>") == page.count("<script")


def test_ranks_that_were_cut_are_reported_first():
    text = own_text(render_page(edge_cases()["missing ranks"]))
    first = text.index("2 ranks had not ended: ranks 2 and 3 in MPI_Recv at a.py:3 (rank 1, tag 5).")
    assert first < text.index("Nothing was recorded of rank 1.") < text.index("MPI takes")
    assert "The clocks of some ranks were not compared" in own_text(render_page(edge_cases()["a clock unknown"]))


def test_everything_from_outside_is_escaped():
    audit = made_up()
    site = Site(HOSTILE, HOSTILE, 3)
    calls = tuple(replace(one, site=site, communicator=HOSTILE) for one in audit.calls)
    ranks = tuple(replace(rank, host=HOSTILE, last=HOSTILE) for rank in audit.ranks)
    page = render_page(
        replace(
            *(audit,),
            program=HOSTILE,
            library=HOSTILE,
            folder=HOSTILE,
            calls=calls,
            ranks=ranks,
            findings=tuple(replace(one, calls=calls[0]) for one in audit.findings),
            communicators=tuple(replace(one, name=HOSTILE) for one in audit.communicators),
            events=replace(audit.events, sites=(site,) * 3),
            notes=(HOSTILE,),
        )
    )
    assert "<script>alert" not in page
    assert "<img" not in own_text(page)
    assert page.count("</script>") == page.count("<script")


def test_sizes_are_ranges_in_units_that_people_read():
    assert [size_range(k) for k in (0, 1, 2, 10, 11, 20, 21, 31)] == [
        *("0 B", "1 B", "2 to 3 B", "512 to 1023 B", "1 to 2 KiB", "512 to 1024 KiB", "1 to 2 MiB", "1 to 2 GiB"),
    ]
    assert Figures(made_up()).sizes[-1] == ("8 to 16 KiB", 40)


def test_files_of_one_name_keep_the_folders_that_distinguish_them():
    audit = made_up()
    other = replace(audit.calls[1], site=Site("/home/ann/other/solver.py", "f", 1))
    rows = Figures(replace(audit, calls=(audit.calls[0], other))).rows
    assert {row.where for row in rows} == {"heat/solver.py:42", "other/solver.py:1"}
    module = Site("/usr/lib/python3/mpi4py/MPI.mpich.cpython-311-x86_64-linux-gnu.so", "", None)
    assert Places([module]).short(module) == "MPI.mpich.so"
