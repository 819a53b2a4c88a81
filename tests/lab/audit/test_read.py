"""Files of ranks: what they say, and what is said of bad ones."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from audit.written import TICKS_PER_S, WORLD, Written, ticks

from polympi.lab.audit import layout
from polympi.lab.audit.analyse import analyse
from polympi.lab.audit.clock import clock_of
from polympi.lab.audit.files import RankFile
from polympi.lab.audit.job import read_job
from polympi.lab.audit.layout import Role, State
from polympi.lab.audit.look import look, progress_of
from polympi.lab.audit.model import Site
from polympi.lab.audit.processes import Processes
from polympi.lab.audit.sites import SiteNames
from polympi.lab.errors import ResultError


def test_layout_is_that_of_the_header_file() -> None:
    """Sizes, of which the C compiler pads none."""
    assert (layout.EVENT.itemsize, layout.ENTRY.itemsize, layout.CURRENT.itemsize) == (56, 224, 72)


def test_a_rank_is_read(tmp_path: Path) -> None:
    one = Written(0, 2, communicators=((WORLD, 0, "MPI_COMM_WORLD", 0), (5, WORLD, "halo", 2)))
    one.call("MPI_Send", 1.0, 1.5, peer=1, tag=3)
    file = RankFile(one.write(tmp_path))
    assert (file.rank, file.state, file.host) == (0, State.FINALIZED, "far")
    assert SiteNames().of(file) == [Site("/home/ann/heat.py", "step", 12), Site("/home/ann/heat.py", "sum", 30)]
    (segment,) = file.segments
    (event,) = segment.events()
    assert file.procedure(int(event["procedure"])) == "MPI_Send"
    assert float(clock_of(file).seconds(event["end"] - event["begin"])) == pytest.approx(0.5)


def test_the_ring_keeps_the_newest_in_their_order(tmp_path: Path) -> None:
    one = Written(0, 1, ring=8)
    for number in range(21):
        one.call("MPI_Barrier", number, number + 0.5, number=number)
    (segment,) = RankFile(one.write(tmp_path)).segments
    assert segment.events()["number"].tolist() == list(range(13, 21))
    assert segment.events(7)["number"].tolist() == list(range(14, 21))
    assert segment.events(3)["number"].tolist() == [18, 19, 20]
    assert segment.lost == 13


def test_clocks_of_hosts_are_compared(tmp_path: Path) -> None:
    first, second = Written(0, 2), Written(1, 2, offset_s=100.0)
    clocks = [clock_of(RankFile(one.write(tmp_path))) for one in (first, second)]
    assert float(clocks[0].ns(ticks(2.0))) == pytest.approx(float(clocks[1].ns(ticks(2.0))), abs=1)
    assert clocks[0].ns_per_tick == pytest.approx(1e9 / TICKS_PER_S)


def test_of_several_jobs_the_newest_is_read(tmp_path: Path) -> None:
    Written(0, 1, pid=1, world=1, started_ns=10).write(tmp_path)
    Written(0, 1, pid=2, world=2, started_ns=20, communicators=((2, 0, "", 0),)).write(tmp_path)
    job = read_job(tmp_path)
    assert [int(file.header["pid"]) for file in job.files] == [2]
    assert job.notes == ("The folder has files of 2 jobs; this is the one that began last.",)


def _cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda path: path.unlink(),
            "has no file of a rank: the program did not start MPI, or it is linked statically",
        ),
        (lambda path: _cut(path, 50), "is cut short"),
        (lambda path: _cut(path, layout.HEADER.itemsize + 10), "is cut short: it lacks a part of its table"),
        (lambda path: _cut(path, path.stat().st_size - 10), "is cut short: it lacks what a thread has written"),
        (lambda path: path.write_bytes(b"x" * 10_000), "was not written by 'polympi audit'"),
    ],
    ids=["none", "no header", "no tables", "no segment", "another file"],
)
def test_bad_files_are_a_sentence(spoil, words: str, tmp_path: Path) -> None:
    spoil(Written(0, 1).write(tmp_path))
    with pytest.raises(ResultError) as error:
        analyse(tmp_path)
    assert words in str(error.value)
    assert str(error.value).count(". ") == 0


def test_other_versions_and_mixed_jobs_are_refused(tmp_path: Path) -> None:
    Written(0, 1, header={"version": 9}).write(tmp_path)
    with pytest.raises(ResultError, match="another version of polympi"):
        read_job(tmp_path)
    for pid in (1, 1000):
        Written(0, 2, pid=pid).write(tmp_path)
    with pytest.raises(ResultError, match="mixes files of several jobs"):
        read_job(tmp_path)
    with pytest.raises(ResultError, match="There is no folder"):
        read_job(tmp_path / "nowhere")


def test_the_state_of_a_rank_is_read(tmp_path: Path) -> None:
    one = Written(
        *(0, 2),
        state=State.RUNNING,
        begun={0: 6},
        current={"inside": 1, "procedure": "MPI_Barrier", "number": 5, "progress": 9, "since": ticks(4.0)},
        pending=[{"procedure": "MPI_Irecv", "peer": 1, "tag": 3, "site": 1, "since": ticks(2.0)}],
        peers={1: (2, 16, 1, 8)},
    )
    one.call("MPI_Send", 1.0, 1.5, peer=1, tag=3)
    one.event("MPI_Irecv", 1.0, 1.5, 1, 4, role=Role.RECEIVES)
    one.write(tmp_path)
    job = read_job(tmp_path)
    standing = look(job, SiteNames(), Processes()).standings[0]
    assert standing.call is not None
    assert (standing.inside, standing.call.procedure, standing.call.number) == (True, "MPI_Barrier", 5)
    assert [(op.procedure, op.peer, op.tag, op.site) for op in standing.pending] == [("MPI_Irecv", 1, 3, "heat.py:30")]
    assert [op.tag for op in standing.sent] == [3]
    assert [op.tag for op in standing.received] == [4]
    assert (standing.begun, standing.sent_to[1], standing.received_from[1]) == ({WORLD: 6}, 2, 1)
    assert progress_of(job) == ((9, 1, 0),)
    assert job.missing == (1,)


def test_who_computes_between_polls_does_not_wait(tmp_path: Path) -> None:
    """The last poll was long ago, at 4 s of a clock that has gone on since."""
    current = {"procedure": "MPI_Iprobe", "peer": 1, "polls": 9, "first_poll": ticks(1.0), "since": ticks(4.0)}
    Written(0, 1, state=State.RUNNING, current=current, started_ns=time.time_ns() - 60 * 10**9).write(tmp_path)
    standing = look(read_job(tmp_path), SiteNames(), Processes()).standings[0]
    assert (standing.polls, standing.outside) == (0, True)
    recent = {**current, "since": ticks(59.9)}
    Written(0, 1, state=State.RUNNING, current=recent, started_ns=time.time_ns() - 60 * 10**9).write(tmp_path)
    standing = look(read_job(tmp_path), SiteNames(), Processes()).standings[0]
    assert (standing.polls, standing.outside) == (9, False)


def test_finalize_is_no_collective_that_others_wait_for(tmp_path: Path) -> None:
    Written(0, 1, begun={0: 6}).write(tmp_path)
    assert look(read_job(tmp_path), SiteNames(), Processes()).standings[0].begun == {WORLD: 5}


def test_processes_are_looked_at(tmp_path: Path) -> None:
    import os
    import socket

    from polympi.lab.audit.standing import Activity

    processes = Processes()
    assert processes.look("elsewhere", os.getpid(), 0).activity == Activity.UNKNOWN
    assert processes.look(socket.gethostname(), os.getpid(), 0).activity == Activity.RUNNING
    assert processes.look(socket.gethostname(), 2**22 + 1, 0).activity == Activity.GONE


def test_arrays_have_a_value_for_each_rank(tmp_path: Path) -> None:
    for rank in range(2):
        one = Written(rank, 2, in_mpi=2.0 + rank, peers={1 - rank: (3, 30, 3, 30)})
        one.entry("MPI_Send", 3, 2.0 + rank, sent=3, size=10)
        one.write(tmp_path)
    audit = analyse(tmp_path)
    (calls,) = audit.calls
    assert (calls.procedure, calls.communicator, calls.site.line) == ("MPI_Send", "world", 12)
    assert calls.calls.tolist() == [3, 3]
    assert calls.seconds.tolist() == pytest.approx([2.0, 3.0])
    assert calls.longest == pytest.approx(1.0)
    assert calls.sizes[4] == 6
    assert np.array_equal(audit.messages, [[0, 3], [3, 0]])
    assert audit.message_bytes.sum() == 60
    assert audit.call_cost == pytest.approx(5e-8)
    assert [rank.ended for rank in audit.ranks] == ["finalized", "finalized"]
