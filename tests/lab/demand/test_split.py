"""What a binding's time consists of, in runs that are made of known effects."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from synthetic import c_time_ns, make_run
from typer.testing import CliRunner, Result

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import Case
from polympi.lab.cli.app import application
from polympi.lab.conclusions.demands import calls_of_ranks, sent_words, split_sentence, splits
from polympi.lab.demand.payload import payload_difference
from polympi.lab.demand.split import Split
from polympi.lab.demands import Demand, Instructions, RankDemand
from polympi.lab.errors import LabError
from polympi.lab.report.exporters import write_report
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse

PING_PONG = [("latency", "standard", "bytes", size) for size in (0, 8, 1024, 65536)]
DICT = ("latency", "standard", "dict", 24)
WINDOW = ("bandwidth", "standard", "bytes", 8)
SAME_WORK = {"c": (0.0, 0.0, 1.0), "c-again": (0.0, 0.0, 1.0)}
EFFECTS = SAME_WORK | {
    "c-multiple": (100.0, 0.0, 1.0),
    "c-spin": (-300.0, 0.0, 1.0),
    "mpi4py": (620.0, 0.0, 1.0),
    "polympi": (-250.0, 0.0, 1.0),
}
SENDS = {"MPI_Send": 1.0, "MPI_Recv": 1.0}
POLLS = {"MPI_Isend": 1.0, "MPI_Irecv": 1.0, "MPI_Test": 2.0}


def demand(binding: str, case: tuple[str, str, str, int], calls: dict[str, float], *sizes: int) -> Demand:
    """What both ranks ask of MPI in a ping-pong with messages of some sizes."""
    rank = RankDemand(calls=calls, messages=dict.fromkeys(sizes, 1.0))
    benchmark, mode, payload, size = case
    return Demand(
        stack="mpich", binding=binding, benchmark=benchmark, mode=mode, payload=payload, size_bytes=size,
        ranks=[rank, rank],
    )  # fmt: skip


DEMANDS = [
    *(demand("c", case, SENDS, case[3]) for case in (*PING_PONG, DICT, WINDOW)),
    *(demand("mpi4py", case, SENDS, case[3]) for case in (*PING_PONG, WINDOW)),
    demand("mpi4py", DICT, {"MPI_Send_c": 2.0, "MPI_Mprobe": 1.0, "MPI_Mrecv_c": 1.0}, 8, 1024),
    *(demand("polympi", case, POLLS, case[3]) for case in PING_PONG),
]


@pytest.fixture
def directory(tmp_path: Path) -> RunDirectory:
    made = make_run(tmp_path / "run", cases=[*PING_PONG, DICT, WINDOW], effects=EFFECTS, noise=0.001, drift=0.01)
    made.write_demands(DEMANDS)
    return made


@pytest.fixture
def found(directory: RunDirectory) -> dict[tuple[str, Case], Split]:
    return {(one.binding, one.case): one for one in splits(analyse(directory))}


def test_the_rest_is_what_a_binding_adds_to_c_that_calls_mpi_the_same_way(
    found: dict[tuple[str, Case], Split],
) -> None:
    message = found["mpi4py", Case(*PING_PONG[1])]
    assert message.like == "c-multiple"
    assert message.mpi_ns == pytest.approx(c_time_ns(8) + 100, rel=0.02)
    assert message.extra_ns == 0
    assert message.rest_ns == pytest.approx(520, rel=0.03)
    assert message.rest_interval is not None
    assert message.rest_interval.low < 520 < message.rest_interval.high
    assert (message.largest, message.separated) == ("mpi", True)
    polling = found["polympi", Case(*PING_PONG[1])]
    assert polling.like == "c-spin"
    assert polling.rest_ns == pytest.approx(50, abs=10)


def test_more_messages_take_what_they_take_in_c(found: dict[tuple[str, Case], Split]) -> None:
    two = found["mpi4py", Case(*DICT)]
    assert (two.messages, two.message_bytes) == (2, 1032)
    # 24 bytes lie between 8 and 1024, where the made-up time is a straight line.
    expected = c_time_ns(8) + c_time_ns(1024) - c_time_ns(24) + 100
    assert two.extra_ns == pytest.approx(expected, rel=0.02)
    assert two.rest_ns == pytest.approx(520 - expected, abs=30)
    assert found["mpi4py", Case(*WINDOW)].extra_ns is None


def test_the_sentence_names_the_largest_part(found: dict[tuple[str, Case], Split]) -> None:
    sentence = split_sentence(found["mpi4py", Case(*PING_PONG[1])])
    assert sentence.startswith("Of the 1.42 µs that a message of 8 B takes, the largest part is MPI: ")
    assert "; its own work +5" in sentence


def test_without_recorded_demands_nothing_is_split(tmp_path: Path) -> None:
    assert splits(analyse(make_run(tmp_path / "run", cases=PING_PONG, effects=EFFECTS))) == []


def test_what_an_arm_asks_of_mpi_in_words() -> None:
    of_c, two = demand("c", DICT, SENDS, 24), DEMANDS[11]
    assert calls_of_ranks(two) == "2 × Send + Mprobe + Mrecv"
    assert sent_words(two, of_c) == "2 messages, 1,032 bytes for 24"
    assert sent_words(of_c, of_c) == "1 message, 24 bytes"


@pytest.mark.parametrize(
    ("case", "sent", "words"),
    [
        (PING_PONG[1], 8, ""),
        (PING_PONG[1], 200, ""),
        (PING_PONG[1], 7, "rank 0 moves 7 bytes per iteration, and C moves 8"),
        (PING_PONG[1], 300, "rank 0 moves 300 bytes per iteration, more than the 8 of C with a description"),
        (DICT, 3000, ""),
        (DICT, 20, "rank 0 moves 20 bytes per iteration, and C moves 24"),
    ],
)
def test_an_arm_may_describe_its_payload_but_not_send_another(
    case: tuple[str, str, str, int], sent: int, words: str
) -> None:
    assert payload_difference(demand("c", case, SENDS, case[3]), demand("mpi4py", case, SENDS, sent)) == words


def cost(*arguments: str) -> Result:
    return CliRunner().invoke(application("cost"), ["cost", *arguments], env={"COLUMNS": "160"})


def test_the_command_prints_the_parts_and_writes_them(directory: RunDirectory) -> None:
    done = cost("mpi4py", "--of", str(directory.path))
    assert done.exit_code == 0, done.output
    assert "It asks MPI for Send + Recv (1 message, 8 bytes), and C for Send + Recv." in done.output
    assert "How it calls MPI: MPI_THREAD_MULTIPLE, as c-multiple." in done.output
    lines = list(csv.DictReader((directory.path / "cost.csv").read_text().splitlines()))
    assert {line["binding"] for line in lines} == {"mpi4py"}
    assert {line["like"] for line in lines} == {"c-multiple"}
    [of_dict] = [one for one in json.loads((directory.path / "cost.json").read_text()) if one["payload"] == "dict"]
    assert of_dict["ranks"][0]["messages"] == {"8": 1, "1024": 1}


def test_instructions_that_were_counted_are_printed_and_written_next_to_those_of_c(directory: RunDirectory) -> None:
    benchmark, mode, payload, size = PING_PONG[1]
    directory.write_instructions(
        [
            Instructions(
                stack="mpich", binding=name, benchmark=benchmark, mode=mode, payload=payload, size_bytes=size, own=own
            )
            for name, own in (("c", 21.0), ("mpi4py", 6857.0))
        ]
    )
    done = cost("mpi4py", "--of", str(directory.path))
    assert re.search(r"\b6,857 +21\b", done.output), done.output
    lines = list(csv.DictReader((directory.path / "cost.csv").read_text().splitlines()))
    counts = {
        (line["benchmark"], line["payload"], line["size_bytes"]): (line["instructions"], line["c_instructions"])
        for line in lines
    }
    assert counts["latency", "bytes", "8"] == ("6857.0", "21.0")
    assert counts["latency", "dict", "24"] == ("", "")


def test_without_valgrind_and_py_spy_a_sentence_each_says_what_is_missing(
    directory: RunDirectory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def request(*_: object) -> SimpleNamespace:
        return SimpleNamespace(stacks=[SimpleNamespace(name="mpich")], bindings=load_bindings())

    def measured(*_: object, **__: object) -> RunDirectory:
        return directory

    monkeypatch.setattr("polympi.lab.cli.cost._request", request)
    monkeypatch.setattr("polympi.lab.cli.cost._measured", measured)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    done = cost("mpi4py")
    assert done.exit_code == 0, done.output
    assert "Instructions were not counted: valgrind is not installed." in done.output
    assert directory.instructions() == []
    text = " ".join(done.output.split())
    assert "A flame graph of mpi4py on mpich was not drawn: py-spy is not installed: 'pip install py-spy'." in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mpi5py"], "There is no binding 'mpi5py'"),
        (["c"], "'c' is C, with which bindings are compared"),
        (["mpi4py", "--stack", "mpjch"], "There is no stack 'mpjch'"),
        (["mpi4py", "--benchmark", "latencies"], "There is no benchmark 'latencies'"),
        (["boost", "--of", "run"], "has no case of boost that was both timed and recorded"),
    ],
)
def test_what_cannot_be_split_is_a_sentence(
    directory: RunDirectory, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(directory.path.parent)
    done = cost(*arguments)
    assert isinstance(done.exception, LabError), done.output
    assert words in str(done.exception)


def test_the_report_shows_what_each_asks_and_the_largest_part(directory: RunDirectory) -> None:
    page, text = (path.read_text() for path in write_report(analyse(directory), directory.path, ["html", "markdown"]))
    for written in (page, text):
        assert "What each asks of MPI" in written
        assert "2 messages, 1,032 bytes for 24" in written
        assert "the largest part is MPI" in written
