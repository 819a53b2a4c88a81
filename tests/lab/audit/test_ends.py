"""What is in the files however a process ends, and whatever the recorder can't do."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from recorded import Job, compiled, record

from polympi.lab.audit.analyse import analyse
from polympi.lab.audit.layout import ANY_SOURCE, MAX_COMMUNICATORS, MAX_PENDING, State
from polympi.lab.stacks.stack import Stack


@pytest.fixture(scope="module")
def program(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(compiled(stack, "ends.c", tmp_path_factory.mktemp("ends")))


def alone(stack: Stack, program: str, how: str, folder: Path, **variables: str) -> Job:
    """A process without a launcher."""
    return record(stack, 0, [program, how], folder, variables=variables)


@pytest.mark.parametrize(("how", "last"), [("abort", State.ABORTED), ("kill", State.RUNNING)])
def test_a_rank_that_waits_says_for_whom_after_the_job_was_killed(
    stack: Stack, program: str, tmp_path: Path, how: str, last: State
) -> None:
    waiting, ended = record(stack, 2, [program, how], tmp_path).ranks
    now = waiting.segments[0]["current"]
    assert waiting.state == State.RUNNING
    assert ended.state == last
    assert (now["inside"], waiting.procedures[now["procedure"]]) == (1, "MPI_Recv")
    assert (now["peer"], now["tag"], now["bytes"], now["communicator"]) == (ANY_SOURCE, 77, 4, 0)
    (pending,) = waiting.pending()
    assert (pending["peer"], pending["tag"], pending["bytes"]) == (1, 78, 4)
    assert waiting.procedures[pending["procedure"]] == "MPI_Irecv"


def test_a_process_that_exits_without_finalizing_says_so(stack: Stack, program: str, tmp_path: Path) -> None:
    (one,) = alone(stack, program, "exit", tmp_path).ranks
    assert one.state == State.EXITED


FINALIZING = {"finalize fails": (State.FAILED, "failed"), "finalize exits": (State.EXITED, "finalizing")}


@pytest.mark.parametrize("how", FINALIZING)
def test_an_end_in_finalize_is_told_from_one_without_it(stack: Stack, program: str, tmp_path: Path, how: str) -> None:
    (one,) = alone(stack, program, how, tmp_path).ranks
    (rank,) = analyse(tmp_path).ranks
    succeeds = stack.family == "openmpi" and how == "finalize fails"  # its MPI_Finalize ignores what a callback returns
    assert (one.state, rank.ended) == ((State.FINALIZED, "finalized") if succeeds else FINALIZING[how])


def test_a_child_after_fork_leaves_the_file_alone(stack: Stack, program: str, tmp_path: Path) -> None:
    (one,) = alone(stack, program, "fork", tmp_path).ranks
    assert one.state == State.RUNNING  # the parent was killed; its child has exited before
    assert one.count("MPI_Barrier") == 1


def test_each_thread_has_a_segment_until_another_continues_it(stack: Stack, program: str, tmp_path: Path) -> None:
    (one,) = alone(stack, program, "threads", tmp_path).ranks
    assert one.state == State.FINALIZED
    assert 1 <= len(one.segments) <= 4
    assert (one.count("MPI_Irecv"), one.count("MPI_Wait"), one.count("MPI_Send")) == (3000, 3000, 3000)
    threads = range(len(one.segments))
    received = [call for thread in threads for name in ("MPI_Irecv", "MPI_Wait") for call in one.calls(name, thread)]
    assert sum(int(call.values["messages_received"]) for call in received) == 3000
    assert all(one.pending(thread) == [] for thread in threads)
    assert sum(int(one.peers(thread)[0]["messages_received"]) for thread in threads) == 3000


def test_more_requests_than_there_is_room_for_are_counted(stack: Stack, program: str, tmp_path: Path) -> None:
    (one,) = alone(stack, program, "requests", tmp_path).ranks
    (posted,) = one.calls("MPI_Irecv")
    assert posted.values["messages_received"] == 3000
    assert one.segments[0]["dropped_pending"] == 3000 - MAX_PENDING
    assert one.pending() == []


def test_communicators_without_room_share_the_last_place(stack: Stack, program: str, tmp_path: Path) -> None:
    (one,) = alone(stack, program, "communicators", tmp_path).ranks
    assert one.state == State.FINALIZED
    assert len(one.communicators) == MAX_COMMUNICATORS
    assert one.count("MPI_Barrier") == one.count("MPI_Comm_free") == 5000


def test_a_timeline_keeps_its_last_events(stack: Stack, program: str, tmp_path: Path) -> None:
    (one,) = alone(stack, program, "requests", tmp_path, POLYMPI_AUDIT_EVENTS="300").ranks
    segment = one.segments[0]
    assert (one.header["timeline"], segment["ring"]) == (300, 300)
    assert segment["events"] == 3000 * 3 + 2
    assert max(int(event.values["end"]) for event in one.events()) == segment["current"]["since"]


def test_without_a_folder_the_program_runs_and_a_sentence_says_why(stack: Stack, program: str, tmp_path: Path) -> None:
    job = alone(stack, program, "requests", tmp_path / "there", POLYMPI_AUDIT=str(tmp_path / "not there"))
    assert (job.code, job.ranks) == (0, [])
    assert job.stderr.splitlines() == [
        "polympi audit: this process isn't recorded, as its file can't be made: No such file or directory"
    ]


def test_files_that_are_not_to_be_kept_are_gone(stack: Stack, program: str, tmp_path: Path) -> None:
    job = alone(stack, program, "exit", tmp_path, POLYMPI_AUDIT_FORGET="1")
    assert (job.code, job.stderr, job.ranks) == (0, "", [])


def test_a_process_that_never_starts_mpi_has_no_file(stack: Stack, tmp_path: Path) -> None:
    job = record(stack, 0, [sys.executable, "-c", "print(6 * 7)"], tmp_path)
    assert (job.code, job.stdout, job.stderr, job.ranks) == (0, "42\n", "", [])


@pytest.mark.system
def test_a_full_disk_shortens_the_timeline(stack: Stack, program: str, tmp_path: Path) -> None:
    """A file system of 3 MB has room for the profile, and for fewer events than the program makes."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to mount a file system")
    kept, disk = tmp_path / "kept", tmp_path / "disk"
    disk.mkdir()
    script = f"mount -t tmpfs -o size=3000k audit {disk} && {program} communicators && cp {disk}/*.audit {kept}"
    job = record(stack, 0, ["unshare", "-m", "sh", "-ec", script], kept, variables={"POLYMPI_AUDIT": str(disk)})
    assert job.code == 0, job.stderr
    (one,) = job.ranks
    segment = one.segments[0]
    assert one.state == State.FINALIZED
    assert one.count("MPI_Comm_free") == 5000
    assert segment["ring"] < segment["events"] == 3 * 5000 + 1
    assert max(int(event.values["end"]) for event in one.events()) == segment["current"]["since"]
