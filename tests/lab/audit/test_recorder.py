"""What the recorder writes about programs in C."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from recorded import Job, Recorded, compiled, record

from polympi.lab.audit.layout import ANY_SOURCE, NO_COMMUNICATOR, NO_PEER, NOBODY, Role, State
from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi]
RANKS = 3
LOCAL = {  # what the program asks of MPI without moving anything
    "MPI_Comm_rank",
    "MPI_Comm_size",
    "MPI_Comm_group",
    "MPI_Group_incl",
    "MPI_Type_contiguous",
    "MPI_Type_commit",
}


@pytest.fixture(scope="module")
def job(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Job:
    """The program of many checks, with an independent count of its calls."""
    folder = tmp_path_factory.mktemp("many")
    shim = compiled(stack, "shim.c", folder, "-shared", "-fPIC", "-ldl")
    program = compiled(stack, "many.c", folder)
    return record(stack, RANKS, [str(program)], folder / "audit", before=shim)


@pytest.fixture
def ranks(job: Job) -> list[Recorded]:
    assert job.code == 0, job.stderr
    assert [one.rank for one in job.ranks] == [0, 1, 2]
    return job.ranks


def total(one: Recorded, field: str, *procedures: str) -> int:
    """The sum of a field over entries of procedures, or of all."""
    return sum(int(call.values[field]) for call in one.calls() if not procedures or call.procedure in procedures)


def test_all_ranks_finalize_in_the_same_world(ranks: list[Recorded]) -> None:
    assert {one.state for one in ranks} == {State.FINALIZED}
    assert len({int(one.header["world"]) for one in ranks}) == 1
    assert all(one.header["ranks"] == RANKS and one.pending() == [] for one in ranks)
    assert all(one.header["program"].endswith(b"/many") and b"libmpi" in one.header["library"] for one in ranks)


def test_calls_and_bytes_are_those_of_an_independent_count(job: Job, ranks: list[Recorded]) -> None:
    counted = sorted((json.loads(line) for line in job.stdout.splitlines()), key=str)
    seen = [
        {
            **{name: one.count(name) for name in counted[0] if name != "bytes"},
            "bytes": total(one, "bytes_sent", "MPI_Send", "MPI_Isend"),
        }
        for one in ranks
    ]
    assert sorted(seen, key=str) == counted


def test_every_message_has_two_ends(ranks: list[Recorded]) -> None:
    sent = [
        [tuple(int(x) for x in (peer["messages_sent"], peer["bytes_sent"])) for peer in one.peers()] for one in ranks
    ]
    received = [
        [tuple(int(x) for x in (peer["messages_received"], peer["bytes_received"])) for peer in one.peers()]
        for one in ranks
    ]
    put = [[(1, 4) if to == (rank + 1) % RANKS else (0, 0) for to in range(RANKS)] for rank in range(RANKS)]
    without = [[(s[0] - p[0], s[1] - p[1]) for s, p in zip(*both, strict=True)] for both in zip(sent, put, strict=True)]
    assert without == [[received[there][here] for there in range(RANKS)] for here in range(RANKS)]
    assert sent[0][1] == (8 + 4 + 5 + 1 + 1, 8 * 64 + 4 * 4 + 1000 + 24 + 4)


def test_messages_of_the_ring_are_found_whatever_completes_them(ranks: list[Recorded]) -> None:
    for one in ranks:
        (posted,) = one.calls("MPI_Irecv")
        assert (posted.values["calls"], posted.values["messages_received"], posted.values["bytes_received"]) == (
            8,
            8,
            512,
        )
        arrived = [event.values for event in one.events("MPI_Irecv") if event.values["role"] == Role.RECEIVES]
        assert [int(event["tag"]) for event in arrived] == list(range(8))
        assert {int(event["peer"]) for event in arrived} == {(one.rank + RANKS - 1) % RANKS}
        assert all(event["begin"] < event["end"] and event["bytes"] == 64 for event in arrived)


def test_unsuccessful_tests_are_polls_and_no_events(ranks: list[Recorded]) -> None:
    for one in ranks:
        tests = ("MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome")
        found = sum(len(one.events(name)) for name in tests)
        assert 1 + 1 + 2 + 1 <= found <= sum(one.count(name) for name in tests)
        progress = int(one.segments[0]["current"]["progress"])
        calls = [event for event in one.events() if event.values["role"] & Role.CALL]
        assert progress == sum(event.procedure not in LOCAL for event in calls)


def test_receives_say_who_sent(ranks: list[Recorded]) -> None:
    received = [event.values for event in ranks[1].events("MPI_Recv")]
    assert [(int(event["peer"]), int(event["tag"]), int(event["bytes"])) for event in received] == [
        (0, 7, 100 * k) for k in range(4)
    ]
    (matched,) = ranks[1].events("MPI_Mrecv")
    assert (matched.values["peer"], matched.values["bytes"], matched.communicator) == (0, 400, 0)
    exchanged = [event.values for event in ranks[1].events("MPI_Sendrecv")]
    assert sorted((int(event["role"]), int(event["peer"])) for event in exchanged) == [
        (Role.CALL | Role.SENDS, 2),
        (Role.RECEIVES, 0),
    ]


def test_a_message_to_nobody_is_a_call_without_a_message(ranks: list[Recorded]) -> None:
    to_nobody = [event.values for event in ranks[0].events("MPI_Send") if event.values["peer"] == NOBODY]
    assert len(to_nobody) == 1
    assert ranks[0].count("MPI_Send") == 5 + 1 + 3
    assert total(ranks[0], "messages_sent", "MPI_Send") == 5 + 3


def test_collectives_have_roots_numbers_and_bytes(ranks: list[Recorded]) -> None:
    sizes = {
        "MPI_Bcast": [(0, 40), (0, 40), (40, 0)],
        "MPI_Allreduce": [(16, 16)] * 3,
        "MPI_Gather": [(8, 0), (8, 24), (8, 0)],
        "MPI_Allgatherv": [(4, 24), (8, 24), (12, 24)],
        "MPI_Alltoall": [(36, 36)] * 3,
        "MPI_Neighbor_allgather": [(4, 8)] * 3,
    }
    for name, expected in sizes.items():
        assert [(total(one, "bytes_sent", name), total(one, "bytes_received", name)) for one in ranks] == expected, name
        numbers = [[int(event.values["number"]) for event in one.events(name)] for one in ranks]
        assert numbers[0] == numbers[1] == numbers[2], name
    (cast,) = ranks[0].events("MPI_Bcast")
    assert (cast.values["root"], cast.values["role"]) == (2, Role.CALL | Role.COLLECTIVE)


def test_communicators_have_the_same_identity_on_all_their_ranks(ranks: list[Recorded]) -> None:
    seen: dict[int, list[tuple[int, ...]]] = {}
    for one in ranks:
        ids = [int(made["id"]) for made in one.communicators]
        assert len(set(ids)) == len(ids)
        for made in one.communicators:
            seen.setdefault(int(made["id"]), []).append(
                tuple(int(made[name]) for name in ("size", "first_rank", "collectives", "freed"))
            )
    assert all(len(set(says)) == 1 and len(says) == says[0][0] for says in seen.values()), seen
    # the world; three of one rank; the parts; the copy, the inverse and the ring; the one of a group; the window
    assert sorted(says[0][0] for says in seen.values()) == sorted([3, 1, 1, 1, 2, 1, 3, 3, 3, 2, 3])
    names = {one.rank: {one.text(int(made["name"])) for made in one.communicators} for one in ranks}
    assert names == {0: {"", "even", "window"}, 1: {"", "odd", "window"}, 2: {"", "even", "window"}}


def test_peers_are_ranks_of_the_world(ranks: list[Recorded]) -> None:
    (sent,) = [event.values for event in ranks[2].events("MPI_Send")]
    assert (sent["peer"], sent["tag"]) == (0, 40)
    (put,) = ranks[2].events("MPI_Put")
    assert (put.values["peer"], put.values["bytes"]) == (0, 4)


def test_a_datatype_whose_handle_is_used_again_has_its_own_size(ranks: list[Recorded]) -> None:
    typed = [int(event.values["bytes"]) for event in ranks[0].events("MPI_Send") if event.values["peer"] == 2]
    assert typed == [10, 20, 30]


def test_times_lie_between_the_moments_of_the_clock(ranks: list[Recorded]) -> None:
    for one in ranks:
        first, last = int(one.header["first"]["ticks"]), int(one.header["last"]["ticks"])
        assert all(first <= event.values["begin"] <= event.values["end"] <= last for event in one.events())
        inside = sum(int(call.values["ticks"]) for call in one.calls())
        assert inside == int(one.segments[0]["in_mpi"]) < last - first
        assert one.header["last"]["ns"] > one.header["first"]["ns"]
        assert one.header["cost_ticks"] > 0


def test_calls_without_a_communicator_say_so(ranks: list[Recorded]) -> None:
    assert {call.communicator for call in ranks[0].calls("MPI_Type_commit")} == {NO_COMMUNICATOR}
    assert {int(event.values["peer"]) for event in ranks[0].events("MPI_Type_commit")} == {NO_PEER}
    assert ANY_SOURCE < NO_PEER


def test_a_session_is_recorded_without_the_world(stack: Stack, tmp_path: Path) -> None:
    job = record(stack, 2, [str(compiled(stack, "session.c", tmp_path))], tmp_path / "audit")
    assert job.code == 0, job.stderr
    assert [(one.rank, one.header["ranks"], one.state) for one in job.ranks] == [
        (0, 2, State.FINALIZED),
        (1, 2, State.FINALIZED),
    ]
    assert len({(int(one.communicators[1]["id"]), int(one.header["world"])) for one in job.ranks}) == 1
    assert [int(one.peers()[1 - one.rank]["messages_received"]) for one in job.ranks] == [1, 1]


def test_the_standard_abi_is_recorded(mpich: Stack, tmp_path: Path) -> None:
    """MPICH has a second library, whose constants and statuses are those of MPI 5."""
    standard = msgspec.structs.replace(mpich, mpicc=f"{mpich.mpicc}_abi")
    job = record(standard, RANKS, [str(compiled(standard, "many.c", tmp_path))], tmp_path / "audit")
    assert job.code == 0, job.stderr
    assert all(b"libmpi_abi" in one.header["library"] and one.pending() == [] for one in job.ranks)
    received = [event.values for event in job.ranks[1].events("MPI_Recv")]
    assert [(int(event["peer"]), int(event["tag"]), int(event["bytes"])) for event in received] == [
        (0, 7, 100 * k) for k in range(4)
    ]
    assert [total(one, "bytes_received", "MPI_Irecv") for one in job.ranks] == [512] * RANKS
