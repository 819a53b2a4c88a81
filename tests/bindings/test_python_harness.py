"""The harness that Python bindings share: plans, patterns, buffers, objects, starts, runs."""

from __future__ import annotations

import select
import subprocess
import sys
import time
from array import array
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "bindings" / "harness" / "python"))

import last_words
import plan as plans
from arena import HUGE_PAGE, STRIDE, Arena
from buffers import MessageBuffers
from callbacks import Callbacks, UnsupportedCaseError
from clock import cost_ns, resolution_ns
from common_start import UNTIMED, LoadedStart, StartError, start_cost_ns
from faces import Faces
from footprint import footprint
from halos import Halo
from last_words import MOST_S
from library_barrier import barrier
from object_collectives import calls
from objects import check_objects, expected_objects, make_object
from pattern import PERIOD, byte_pattern, first_difference
from pieces import Piece, traffic
from plan import Case, Plan, PlanError, parse_plan, read_plan
from runner import run_plan
from samples import SampleError, SampleFile
from timed_loops import from_common_start

from polympi.lab import catalogue
from polympi.lab.protocol import read_samples


def make_case(benchmark: str = "latency", payload: str = "bytes", size: int = 8, mode: str = "standard") -> Case:
    return Case(3, benchmark, mode, payload, size, warmup=2, batches=3, iterations=4, events=5)


# Plans


def test_a_plan_is_read_as_written() -> None:
    line = "case 7 latency ready-persistent float64 80 1 2 3 4"
    plan = parse_plan(f"polympi-plan 2\nwindow 16\npages plain\nstart /a b/s.so\n{line}\nend\n")
    case = Case(7, "latency", "ready-persistent", "float64", 80, 1, 2, 3, 4)
    assert plan == Plan(16, (case,), "plain", "/a b/s.so")
    assert plan.cases[0].iterations_in_all == 1 + 2 * 3 + 4


def test_the_harness_knows_what_the_catalogue_has() -> None:
    measured = [b for b in catalogue.BENCHMARKS.values() if not b.launch_figure]
    assert tuple(b.name for b in measured) == plans.BENCHMARKS
    assert tuple(b.name for b in measured if b.messages) == plans.POINT_TO_POINT
    assert tuple(b.name for b in measured if b.application) == plans.APPLICATIONS
    assert tuple(b.name for b in measured if not b.from_common_start) == plans.TIMED_ON_ROOT
    assert tuple(b.name for b in measured if b.timed_singly) == plans.ROOTED
    assert {*plans.TIMED_ON_ROOT, *plans.HELD_TOGETHER, *plans.ROOTED} == set(plans.BENCHMARKS)


def test_a_plan_without_what_its_cases_need_is_refused_in_a_sentence() -> None:
    with pytest.raises(PlanError, match=r"^The plan has no window, .*\.$"):
        parse_plan("polympi-plan 2\nstart /s.so\ncase 0 bandwidth standard bytes 8 1 1 1 1\nend\n")
    with pytest.raises(PlanError, match=r"^The plan does not name the library .*\.$"):
        parse_plan("polympi-plan 2\nwindow 64\nend\n")


def test_a_plan_that_is_not_there_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"cannot be read: No such file or directory\.$"):
        read_plan(str(tmp_path / "plan"))
    (tmp_path / "plan").write_bytes(b"\xff")
    with pytest.raises(PlanError, match=r"cannot be read: it is not ASCII text\.$"):
        read_plan(str(tmp_path / "plan"))


# Patterns, buffers, objects


def test_bytes_follow_the_formula_of_the_protocol_beyond_their_period() -> None:
    number, origin, slot, count = 41, 2, 63, PERIOD + 700
    formula = [(131 * i + 17 * (i // 256) + 37 * number + 11 * origin + 5 * slot) % 256 for i in range(count)]
    assert byte_pattern(count, number, Piece(origin, slot)).tolist() == formula


def test_the_first_difference_is_named() -> None:
    sent = byte_pattern(600, 0, Piece(0, 0))
    received = sent.copy()
    received[517] ^= 1
    assert first_difference(sent, sent) == ""
    assert first_difference(received, sent) == f"byte 517 is {received[517]} instead of {sent[517]}"


def test_buffers_of_the_arena_lie_apart_at_page_boundaries() -> None:
    arena = Arena(4 * STRIDE)
    buffers = arena.carve([1, STRIDE + 1, 0, STRIDE])
    places = [int(buffer.ctypes.data) for buffer in buffers if len(buffer)]
    assert places[0] % HUGE_PAGE == 0
    assert [place - places[0] for place in places] == [0, STRIDE, 4 * STRIDE]
    assert [len(buffer) for buffer in buffers] == [1, STRIDE + 1, 0, STRIDE]
    assert set(buffers[3].tolist()) == {0xEE}
    with pytest.raises(ValueError, match="do not fit"):
        arena.carve([HUGE_PAGE, 1])


BUFFER_CASES = [
    (benchmark, payload)
    for benchmark in plans.BENCHMARKS
    for payload in ("bytes", "float64")
    if benchmark not in ("barrier", "faces") and not (benchmark in plans.REDUCTIONS and payload == "bytes")
]


@pytest.mark.parametrize(("benchmark", "payload"), BUFFER_CASES)
@pytest.mark.parametrize("size", [0, 64])
def test_what_one_rank_sends_is_what_another_expects(benchmark: str, payload: str, size: int) -> None:
    """Delivers the pieces between three ranks as MPI would, then spoils the last element."""
    case, ranks, window = make_case(benchmark, payload, size), 3, 2
    views = [traffic(case, rank, ranks, window) for rank in range(ranks)]
    buffers = [MessageBuffers(case, view, Arena(MessageBuffers.space(case, view))) for view in views]
    for one in buffers:
        one.clear()
        assert size == 0 or not one.incoming or one.check() != ""
    sent: dict[Piece, bytes] = {}
    for view, one in zip(views, buffers, strict=True):
        contents = b"".join(buffer.tobytes() for buffer in one.outgoing)
        for piece in view.outgoing:
            length = piece.size(case, 8 if payload == "float64" else 1)
            sent[piece], contents = contents[:length], contents[length:]
        if benchmark in plans.PAIRS and benchmark in plans.REDUCTIONS and one.incoming:
            sent[view.incoming[-1]] = one.incoming[0].tobytes()  # what the others are added to
    for view, one in zip(views, buffers, strict=True):
        arrived = b"".join(sent[piece] for piece in view.incoming)
        if benchmark in plans.REDUCTIONS:
            arrived = np.frombuffer(arrived).reshape(len(view.incoming), -1).sum(axis=0).tobytes() if arrived else b""
        for k, buffer in enumerate(one.incoming):
            share = len(arrived) // len(one.incoming)
            buffer[:] = np.frombuffer(arrived[k * share : (k + 1) * share], buffer.dtype)
        assert one.check() == ""
        if one.incoming and size:
            one.incoming[-1][-1] += 1
            assert "instead of" in one.check()


def test_bytes_and_doubles_of_a_message_begin_as_the_protocol_says() -> None:
    case = make_case("bandwidth", "float64", 16)
    buffers = MessageBuffers(case, traffic(case, 0, 2, 2), Arena(1 << 16))
    assert [buffer.tolist() for buffer in buffers.outgoing] == [[3.0, 3.5], [8.0, 8.5]]


@pytest.mark.parametrize(
    ("mode", "first", "last"),
    [
        ("contiguous", (0, ...), (-1, ...)),
        ("rows", (slice(None), 0), (slice(None), -1)),
        ("elements", (..., 0), (..., -1)),
    ],
)
def test_faces_are_the_first_and_the_last_of_their_direction(mode: str, first: Any, last: Any) -> None:
    case = make_case("faces", "float64", 8 * 5 * 5, mode)
    here, there = (Faces(case, rank, Arena(Faces.space(case))) for rank in (0, 1))
    for one in (here, there):
        one.clear()
        assert one.check() != ""
        one.clear()
    assert np.shares_memory(here.outgoing, here.cube[first])
    assert here.cube[first].tolist() == (0.5 * np.arange(25) + 3).reshape(5, 5).tolist()
    there.cube[last] = here.cube[first]
    assert there.check() == ""
    there.clear()
    there.cube[last] = here.cube[first]
    there.cube[2, 2, 2] = 0
    assert there.check() == "an element next to the face was written to"
    there.clear()
    there.cube[last] = here.cube[first]
    there.cube[-1, -1, -1] += 1
    assert there.check() == "element 24 is 16.0 instead of 15.0"


def test_a_halo_continues_the_other_cube() -> None:
    case = make_case("halo", "float64", 6 * 8 * 5 * 5)
    here, there = (Halo(case, rank, Arena(Halo.space(case))) for rank in (0, 1))
    for one in (here, there):
        one.clear()
        assert one.check().startswith("element (0, 1, 1) is ")
    number = 0.5 * np.arange(7**3).reshape(7, 7, 7) + 3
    assert (here.cube[1:-1, 1:-1, 1:-1] == number[1:-1, 1:-1, 1:-1]).all()
    there.cube[0, 1:-1, 1:-1], there.cube[-1, 1:-1, 1:-1] = number[5, 1:-1, 1:-1], number[1, 1:-1, 1:-1]
    there.cube[1:-1, 0, 1:-1], there.cube[1:-1, -1, 1:-1] = number[1:-1, 5, 1:-1], number[1:-1, 1, 1:-1]
    there.cube[1:-1, 1:-1, 0], there.cube[1:-1, 1:-1, -1] = number[1:-1, 1:-1, 5], number[1:-1, 1:-1, 1]
    assert there.check() == ""
    for mine, theirs in zip(here.incoming, there.outgoing, strict=True):
        mine[:] = theirs
    assert here.check() == ""
    for place in (3, 3, 3), (0, 0, 3), (6, 6, 6), (6, 3, 3):
        kept, here.cube[place] = here.cube[place], 0
        assert here.check().startswith(f"element {place} is 0.0 instead of ")
        here.cube[place] = kept


@pytest.mark.parametrize(("payload", "size"), [("bytes", 64), ("int", 8), ("float", 8), ("dict", 24), ("array", 64)])
def test_objects_are_compared_by_value_and_type(payload: str, size: int) -> None:
    case = make_case("latency", payload, size)
    sent, other = make_object(case, Piece(0, 0)), make_object(case, Piece(1, 0))
    assert check_objects(make_object(case, Piece(0, 0)), [sent]) == ""
    assert check_objects(other, [sent]) != ""
    assert check_objects(None, [sent]) == f"object 0: a NoneType arrived instead of a {type(sent).__name__}"
    assert check_objects([sent], [sent, other]) == "1 objects arrived instead of 2"


def test_objects_that_only_look_equal_are_told_apart() -> None:
    assert check_objects(1, [1.0]) != ""
    assert check_objects(bytearray(b"a"), [b"a"]) != ""
    assert check_objects({"rank": 1.0}, [{"rank": 1}]) != ""
    assert check_objects({"rank": 1, "more": 2}, [{"rank": 1}]) != ""
    assert check_objects(np.zeros(2, np.float32), [np.zeros(2)]) != ""
    assert check_objects(np.zeros((1, 2)), [np.zeros(2)]) != ""


def test_objects_have_the_size_that_c_sends() -> None:
    assert 2**32 < make_object(make_case(payload="int"), Piece(0, 0)) < 2**63
    assert len(make_object(make_case(payload="dict", size=24), Piece(1, 63))["label"]) == 8
    assert make_object(make_case(payload="array", size=64), Piece(0, 0)).nbytes == 64


def test_a_reduction_expects_the_sum() -> None:
    case = make_case("allreduce", "float")
    pieces = traffic(case, 0, 3, 1).incoming
    assert expected_objects(case, pieces) == [sum(make_object(case, piece) for piece in pieces)]


# Clock, memory, samples


def test_the_clock_has_a_resolution_and_a_cost() -> None:
    assert resolution_ns() >= 1
    assert 1 < cost_ns() < 10_000


def test_the_footprint_is_read_in_bytes(tmp_path: Path) -> None:
    account = tmp_path / "smaps_rollup"
    account.write_text("55d0-7ffc ---p 00000000 00:00 0    [rollup]\nRss:   7 kB\nPss:   5 kB\nPss_Dirty:  1 kB\n")
    assert footprint(str(account)) == (5 * 1024, 7 * 1024)
    assert footprint(str(tmp_path / "missing")) == (0, 0)


@pytest.mark.parametrize(("read_after_s", "waits_s"), [(0.5, 0.5), (None, MOST_S)])
def test_last_words_are_waited_for_until_they_are_read_but_not_for_ever(
    read_after_s: float | None, waits_s: float
) -> None:
    """The launcher reads late, or not at all as long as the rank is there."""
    harness = str(Path(last_words.__file__).parent)
    script = f"import sys; sys.path.insert(0, {harness!r}); from last_words import tell_exception\n"
    script += "try:\n    1 / 0\nexcept Exception:\n    tell_exception()"
    started = time.monotonic()
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) as rank:
        assert rank.stderr is not None
        if read_after_s is not None:
            select.select([rank.stderr], [], [])
            time.sleep(read_after_s)
            assert rank.poll() is None  # it has written all, and waits
            assert b"ZeroDivisionError" in rank.stderr.read()
        rank.wait(60)
    assert rank.returncode == 0
    assert time.monotonic() - started > waits_s


@pytest.mark.parametrize("standard_error", ["None", "open('/dev/full', 'w')", "open('/dev/null')"])
def test_who_cannot_say_last_words_goes_on_to_end_the_job(standard_error: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", eval(standard_error))
    last_words.tell("something")


def test_a_record_stays_on_its_line(tmp_path: Path) -> None:
    samples = SampleFile(str(tmp_path / "samples"))
    samples.record("skip", 0, "two\nlines, and a dash \u2013")
    samples.times("batch", 0, [])
    samples.times("event", 0, [1, 2])
    samples.close()
    assert (tmp_path / "samples").read_text() == (
        "polympi-samples 2\nskip 0 two lines, and a dash ?\nevent 0 1 2\nend\n"
    )


def test_samples_that_cannot_be_written_are_reported() -> None:
    with pytest.raises(SampleError, match="cannot be written: No space left"):
        SampleFile("/dev/full")


# Runs


class LonelyWorld:
    """A launch of one rank, or of one that believes it is one of many."""

    def __init__(self, rank: int = 0, size: int = 1) -> None:
        self.rank, self.size = rank, size

    def maxima(self, times: array[int]) -> array[int]:
        return array("q", [time + 1000 for time in times])

    def collect(self, text: str) -> list[str]:
        return [text]

    def abort(self, code: int) -> None:
        raise SystemExit(code)


class CountingStart:
    """A common start that is over at once; a rank is late for some of them."""

    def __init__(self, late: Sequence[int] = ()) -> None:
        self.late, self.agreed, self.repeats = late, 0, 0

    def begin(self) -> None:
        pass

    def agree(self) -> int:
        self.agreed += 1
        in_time = self.agreed not in self.late
        self.repeats += not in_time
        return int(in_time)

    def wait(self) -> int:
        return 0

    def mark(self) -> None:
        pass

    def next_case(self) -> None:
        pass

    def latest(self, when: int) -> int:
        return when

    def repeated(self) -> int:
        return self.repeats

    def clock_error(self) -> int:
        return 0

    def end(self) -> None:
        pass


class Recorder:
    """Callbacks that only count."""

    def __init__(self, verdict: str = "") -> None:
        self.calls: list[tuple[str, int]] = []
        self.callbacks = Callbacks(
            batch=lambda iterations: self.calls.append(("batch", iterations)),
            events=self.events,
            check=lambda _: verdict,
            clear=lambda: self.calls.append(("clear", 0)),
            begin=lambda: self.calls.append(("begin", 0)),
            finish=lambda: self.calls.append(("finish", 0)),
            release=lambda: self.calls.append(("release", 0)),
        )

    def events(self, times: array[int]) -> None:
        self.calls.append(("events", len(times)))
        for k in range(len(times)):
            times[k] = 10 * (k + 1)

    def timed(self) -> list[tuple[str, int]]:
        """What happened after the validation pass."""
        last = max(k for k, call in enumerate(self.calls) if call == ("clear", 0))
        return self.calls[last:]


def run_one(
    case: Case, world: LonelyWorld, recorder: Recorder, folder: Path, start: CountingStart | None = None
) -> str:
    samples = SampleFile(str(folder / "samples"))
    run_plan(Plan(4, (case,)), lambda _: recorder.callbacks, world, start or CountingStart(), samples)
    samples.close()
    return (folder / "samples").read_text()


def test_rank_0_times_batches_and_events_of_two_ranks(tmp_path: Path) -> None:
    recorder = Recorder()
    text = run_one(make_case(), LonelyWorld(0, 2), recorder, tmp_path)
    batches = [("batch", 4)] * 3
    measured = [("begin", 0), ("batch", 2), *batches, ("events", 5), ("finish", 0), ("release", 0)]
    assert recorder.timed()[-len(measured) :] == measured
    read = read_samples(text, frozenset([3]))
    assert read.valid == {3}
    assert len(read.batches[3]) == 3
    assert read.events[3] == [10, 20, 30, 40, 50]


def test_rank_1_runs_as_many_iterations_as_rank_0(tmp_path: Path) -> None:
    recorder = Recorder()
    run_one(make_case(), LonelyWorld(1, 2), recorder, tmp_path)
    assert recorder.timed()[-2:] == [("batch", 2 + 3 * 4 + 5), ("release", 0)]
    assert recorder.calls.count(("batch", 1)) == 2  # it answers the validation of a batch and of an event


def test_collectives_that_hold_together_are_timed_as_batches(tmp_path: Path) -> None:
    recorder, start = Recorder(), CountingStart()
    text = run_one(make_case("allgather"), LonelyWorld(), recorder, tmp_path, start)
    assert recorder.timed()[-6:] == [("batch", 2), *[("batch", 4)] * 3, ("events", 5), ("release", 0)]
    assert start.agreed == 1 + 3 + 1  # before the batches, after each, and after the case
    read = read_samples(text, frozenset([3]))
    assert min(read.batches[3]) > 1000  # the maximum over ranks
    assert read.events[3] == [1010, 1020, 1030, 1040, 1050]


def test_a_batch_that_a_rank_began_too_late_is_made_again(tmp_path: Path) -> None:
    recorder = Recorder()
    text = run_one(make_case("allgather"), LonelyWorld(), recorder, tmp_path, CountingStart(late=[2, 3]))
    assert recorder.timed()[-8:] == [("batch", 2), *[("batch", 4)] * 5, ("events", 5), ("release", 0)]
    read = read_samples(text, frozenset([3]))
    assert len(read.batches[3]) == 3
    assert read.repeated == {3: 2}


def test_rooted_collectives_are_timed_one_by_one(tmp_path: Path) -> None:
    recorder = Recorder()
    text = run_one(make_case("bcast"), LonelyWorld(), recorder, tmp_path)
    assert recorder.timed()[-4:] == [("events", 2), ("events", 3 * 4), ("events", 5), ("release", 0)]
    times = [1000 + 10 * (k + 1) for k in range(3 * 4)]
    assert read_samples(text, frozenset([3])).batches[3] == [sum(times[:4]), sum(times[4:8]), sum(times[8:])]


LOOPS = {
    "barrier": (barrier, lambda made: [lambda: made.append(0)]),
    "objects": (calls, lambda made: [made.append, 0]),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_a_call_that_a_rank_began_too_late_is_made_again(loop: str) -> None:
    times, made = array("q", bytes(8 * 5)), []
    in_a_row, arguments = LOOPS[loop]
    from_common_start(in_a_row)(*arguments(made), CountingStart(late=[3, 4, 6]), lambda: 7, times)
    assert list(times) == [7] * 5
    assert len(made) == (len(UNTIMED) + 1) * (5 + 3)


def test_the_cost_of_a_start_is_the_median_of_starts_without_a_call() -> None:
    readings = iter([30] * 25 + [10] * 50 + [20] * 26)
    assert start_cost_ns(CountingStart(), lambda: next(readings)) == 20


def test_a_library_that_cannot_be_loaded_is_one_sentence() -> None:
    with pytest.raises(StartError, match="cannot be loaded"):
        LoadedStart("/nowhere/common_start.so")


def test_a_case_that_fails_its_validation_is_not_timed(tmp_path: Path) -> None:
    recorder = Recorder(verdict="byte 7 is 238 instead of 1")
    text = run_one(make_case("allgather"), LonelyWorld(), recorder, tmp_path)
    assert "valid 3 failed rank 0: byte 7 is 238 instead of 1\nend\n" in text
    assert recorder.timed() == [("clear", 0), ("begin", 0), ("events", 1), ("finish", 0), ("release", 0)]


@pytest.mark.parametrize(
    ("case", "ranks", "reason"),
    [
        (make_case("latency"), 1, "two ranks"),
        (make_case("barrier"), 2, "barrier does not have the payload bytes"),
        (make_case("bcast", "none", 0), 2, "payload none"),
        (make_case("faces", "array", 32, "rows"), 2, "payload array"),
        (make_case("bcast"), 2, "not today"),
    ],
)
def test_a_case_that_cannot_run_is_skipped_with_its_reason(case: Case, ranks: int, reason: str, tmp_path: Path) -> None:
    def refuse(_: Case) -> Callbacks:
        raise UnsupportedCaseError("not today")

    samples = SampleFile(str(tmp_path / "samples"))
    run_plan(Plan(4, (case,)), partial(refuse), LonelyWorld(0, ranks), CountingStart(), samples)
    samples.close()
    assert reason in read_samples((tmp_path / "samples").read_text(), frozenset([3])).skipped[3]
