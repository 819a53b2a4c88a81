import subprocess
import sys
from dataclasses import fields, replace

import numpy as np
import polars as pl
import pytest
from report.audit.made_up import MESSAGE, made_up, no_calls

from polympi.lab.audit.model import Audit, Events
from polympi.lab.errors import ResultError, UsageError
from polympi.lab.report.audit.jsonfile import read_json
from polympi.lab.report.audit.write import EXPORTERS, write_report


def same(one, other) -> bool:
    """Whether two records have equal fields, arrays included."""
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if hasattr(one, "__dataclass_fields__"):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    return one == other


@pytest.mark.parametrize(
    "audit", [made_up(), made_up(timeline=False), no_calls()], ids=("whole", "no events", "no calls")
)
def test_json_keeps_all_of_an_audit(audit: Audit, tmp_path):
    (path,) = write_report(audit, tmp_path, ["json"])
    assert same(read_json(path), audit)


def test_json_that_is_no_audit_says_what_is_wrong(tmp_path):
    path = tmp_path / "audit.json"
    path.write_text('{"polympi": "1", "format": 1}')
    with pytest.raises(ResultError, match="the field 'audit' is missing"):
        read_json(path)


def test_csv_has_a_line_per_rank_that_calls(tmp_path):
    audit = made_up()
    paths = write_report(audit, tmp_path / "new", ["csv"])
    calls, messages, ranks = (pl.read_csv(path) for path in paths)
    assert calls.schema["line"] == pl.Int64
    assert calls.height == 4 * len(audit.calls)
    late = calls.filter(pl.col("rank") == 3, pl.col("procedure") == "MPI_Allreduce")
    assert late["seconds"].item() == pytest.approx(1e-4)
    sent = calls.filter(pl.col("procedure") == "MPI_Send")
    assert sent["bytes_sent"].to_list() == [5 * MESSAGE] * 4
    assert messages.rows() == [
        (0, 1, 5, 5 * MESSAGE),
        (1, 2, 5, 5 * MESSAGE),
        (2, 3, 5, 5 * MESSAGE),
        (3, 0, 5, 5 * MESSAGE),
    ]
    assert ranks["host"].to_list() == ["node0", "node0", "node1", "node1"]


def test_csv_without_calls_has_the_same_columns(tmp_path):
    calls, messages, _ = (pl.read_csv(path) for path in write_report(no_calls(), tmp_path, ["csv"]))
    assert calls.height == messages.height == 0
    assert calls.columns[:3] == ["rank", "procedure", "file"]


def test_markdown_has_the_first_screen(tmp_path):
    (path,) = write_report(made_up(), tmp_path, ["markdown"])
    text = path.read_text()
    assert "most of it, 30 %, is rank 3 arriving late at MPI\\_Allreduce in solver.py:42.**" in text
    assert "| MPI\\_Send | solver.py:31 | 20 | 1.00 ms | 5.0 % |" in text
    assert "| Load balance | how evenly the computation is spread over the ranks | 80 % |" in text


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    (path,) = write_report(made_up(), tmp_path_factory.mktemp("perfetto"), ["perfetto"])
    return protos.Trace.FromString(path.read_bytes())


def test_perfetto_reads_every_call_with_its_name_and_time(trace):
    events: Events = made_up().events
    names = {one.iid: one.name for packet in trace.packet for one in packet.interned_data.event_names}
    texts = {
        one.iid: one.str.decode()
        for packet in trace.packet
        for one in packet.interned_data.debug_annotation_string_values
    }
    ranks = {
        packet.track_descriptor.uuid: packet.track_descriptor.thread.pid - 1
        for packet in trace.packet
        if packet.track_descriptor.HasField("thread")
    }
    begun, found = {}, []
    for packet in trace.packet:
        event = packet.track_event
        if event.type == event.TYPE_SLICE_BEGIN:
            begun[event.track_uuid] = packet
        elif event.type == event.TYPE_SLICE_END:
            first = begun.pop(event.track_uuid)
            notes = {note.name: note for note in first.track_event.debug_annotations}
            found.append(
                (
                    *(ranks[event.track_uuid], first.timestamp, packet.timestamp),
                    *(names[first.track_event.name_iid], texts[notes["site"].string_value_iid]),
                )
            )
    assert not begun
    calls = np.flatnonzero(events.role & 1)
    expected = [
        (
            *(int(events.rank[i]), round(events.begin[i] * 1e9), round(events.end[i] * 1e9)),
            *(events.procedures[events.procedure[i]], ("solver.py:31", "solver.py:42")[events.site[i]]),
        )
        for i in calls
    ]
    assert sorted(found) == sorted(expected)
    processes = [packet.track_descriptor.process.process_name for packet in trace.packet]
    assert {name for name in processes if name} == {f"rank {rank} on node{rank // 2}" for rank in range(4)}


def test_perfetto_gets_an_arrow_per_message_that_points_forward(trace):
    leaving, arriving = {}, {}
    for packet in trace.packet:
        leaving |= dict.fromkeys(packet.track_event.flow_ids, packet)
        arriving |= dict.fromkeys(packet.track_event.terminating_flow_ids, packet)
    assert len(leaving) == 20
    assert leaving.keys() == arriving.keys()
    assert all(leaving[flow].timestamp < arriving[flow].timestamp for flow in leaving)
    assert {packet.track_event.type for packet in arriving.values()} == {trace.packet[0].track_event.TYPE_INSTANT}


def test_otf2_reads_back_calls_messages_and_collectives(tmp_path):
    otf2 = pytest.importorskip("otf2")
    audit = made_up()
    for _ in range(2):  # the second replaces the first
        (anchor,) = write_report(audit, tmp_path, ["otf2"])
    count: dict[str, int] = {}
    sent = []
    with otf2.reader.open(str(anchor)) as opened:
        assert {one.name for one in opened.definitions.location_groups} == {f"rank {rank}" for rank in range(4)}
        regions = {(one.name, one.source_file, one.begin_line_number) for one in opened.definitions.regions}
        ticks = opened.definitions.clock_properties.timer_resolution
        for location, event in opened.events:
            count[type(event).__name__] = count.get(type(event).__name__, 0) + 1
            if isinstance(event, otf2.events.MpiSend):
                sent.append((location.group.name, event.receiver, event.msg_length, event.communicator.name))
    assert ticks == 10**9
    assert ("MPI_Allreduce", "/home/ann/heat/solver.py", 42) in regions
    assert count == {
        "Enter": 60,
        "Leave": 60,
        "MpiSend": 20,
        "MpiRecv": 40,
        "MpiCollectiveBegin": 20,
        "MpiCollectiveEnd": 20,
    }
    assert set(sent) == {(f"rank {rank}", (rank + 1) % 4, MESSAGE, "world") for rank in range(4)}


@pytest.mark.parametrize("form", ["perfetto", "otf2"])
def test_a_trace_without_a_timeline_says_so(form, tmp_path):
    with pytest.raises(UsageError, match="has no timeline"):
        write_report(made_up(timeline=False), tmp_path, [form])


def test_without_the_package_otf2_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "otf2", None)
    with pytest.raises(UsageError, match=r"pip install 'polympi\[otf2\]'"):
        write_report(made_up(), tmp_path, ["otf2"])
    assert not (tmp_path / "audit.otf2").exists()


@pytest.mark.parametrize("form", [form for form in EXPORTERS if form != "otf2"])
def test_what_polympi_wrote_is_replaced_and_a_users_file_is_not(form, tmp_path):
    paths = write_report(made_up(), tmp_path, [form])
    assert write_report(made_up(8), tmp_path, [form]) == paths
    paths[0].write_text("mine\n")
    with pytest.raises(UsageError, match="was not made by polympi"):
        write_report(made_up(), tmp_path, [form])
    assert paths[0].read_text() == "mine\n"
    write_report(made_up(), tmp_path, [form], force=True)
    assert paths[0].read_bytes() != b"mine\n"


def test_a_users_folder_is_not_replaced(tmp_path):
    folder = tmp_path / "audit.otf2"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="was not made by polympi"):
        write_report(made_up(), tmp_path, ["otf2"])
    assert (folder / "notes.txt").read_text() == "mine"


def test_an_unknown_form_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(UsageError, match="no form 'pdf'"):
        write_report(made_up(), tmp_path, ["html", "pdf"])
    assert list(tmp_path.iterdir()) == []


def test_the_names_of_forms_import_nothing_heavy():
    script = "import sys, polympi.lab.report.audit.write; print({'jinja2', 'polars', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "set()"


def test_messages_whose_ends_are_out_of_order_get_no_arrow(tmp_path):
    protos = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    audit = made_up(2, 1)
    end = audit.events.end.copy()
    end[audit.events.receives[0]] = 0.0  # by a clock that is wrong
    wrong = replace(audit.events, end=end, begin=np.minimum(audit.events.begin, end))
    wrong.begin[audit.events.sends[0]] = 1e-6
    (path,) = write_report(replace(audit, events=wrong), tmp_path, ["perfetto"])
    packets = protos.Trace.FromString(path.read_bytes()).packet
    assert sum(len(packet.track_event.flow_ids) for packet in packets) == 1
