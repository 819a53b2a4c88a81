"""Timelines made by hand, of which the answer is known."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from audit.written import PROCEDURES, Written

from polympi.lab.audit.analyse import analyse
from polympi.lab.audit.layout import NO_COMMUNICATOR, Role
from polympi.lab.audit.matching import Messages, match
from polympi.lab.audit.model import Audit, Cause


def run(folder: Path, *ranks: Written) -> Audit:
    """Write ranks, with their time in MPI from their events, and analyse them."""
    for one in ranks:
        calls = [event for event in one.events if event[9] & Role.CALL]
        one.in_mpi = sum(event[1] - event[0] for event in calls) / 2e9
        for name, site in {(event[4], event[8]) for event in calls}:
            mine = [event for event in calls if (event[4], event[8]) == (name, site)]
            length = sum(event[1] - event[0] for event in mine) / 2e9
            one.entry(PROCEDURES[name], len(mine), length, site=site)
        one.write(folder)
    return analyse(folder)


def lost(audit: Audit) -> dict[tuple[str, Cause], float]:
    return {(one.calls.procedure, one.cause): one.seconds for one in audit.findings}


def messages(*lines: tuple[int, int, int, int]) -> Messages:
    return Messages(*(np.array(column, np.int64) for column in zip(*lines, strict=True)))


def test_messages_of_a_kind_keep_their_order() -> None:
    sends = messages((0, 0, 1, 5), (0, 0, 1, 6), (0, 0, 1, 5), (1, 0, 1, 5), (0, 2, 1, 5))
    receives = messages((0, 2, 1, 5), (0, 0, 1, 5), (0, 0, 1, 5), (0, 0, 1, 6), (0, 3, 1, 5))
    sent, received = match(sends, receives)
    assert sorted(zip(sent.tolist(), received.tolist(), strict=True)) == [(0, 1), (1, 3), (2, 2), (4, 0)]


def test_the_last_messages_belong_together_where_the_first_are_lost() -> None:
    sends, receives = messages((0, 0, 1, 5), (0, 0, 1, 5)), messages(*[(0, 0, 1, 5)] * 3)
    sent, received = match(sends, receives, from_end=True)
    assert list(zip(sent.tolist(), received.tolist(), strict=True)) == [(0, 1), (1, 2)]
    sent, received = match(sends, receives)
    assert list(zip(sent.tolist(), received.tolist(), strict=True)) == [(0, 0), (1, 1)]


def test_a_probe_that_waits_for_a_message_waits_for_its_sender(tmp_path: Path) -> None:
    """Rank 1 looks from 1 to 5 s for what rank 0 sends at 4 s, and then takes it."""
    sender, receiver = Written(0, 2), Written(1, 2)
    sender.call("MPI_Send", 4.0, 4.5, peer=1, tag=3)
    receiver.call("MPI_Mprobe", 1.0, 5.0, peer=0, tag=3)
    receiver.call("MPI_Get_count", 5.0, 5.0)
    receiver.call("MPI_Mrecv", 5.0, 5.1, peer=0, tag=3)
    found = lost(run(tmp_path, sender, receiver))
    assert found["MPI_Mprobe", Cause.LATE_SENDER] == pytest.approx(3.0, rel=1e-3)
    assert ("MPI_Mrecv", Cause.LATE_SENDER) not in found


def test_a_late_sender_is_found(tmp_path: Path) -> None:
    """Rank 1 waits from 1 to 5 s, of which rank 0 computes until 4 s; the last second is transfer."""
    sender, receiver = Written(0, 2), Written(1, 2)
    sender.call("MPI_Send", 4.0, 4.5, peer=1, tag=3)
    receiver.call("MPI_Recv", 1.0, 5.0, peer=0, tag=3)
    audit = run(tmp_path, sender, receiver)
    found = lost(audit)
    assert found["MPI_Recv", Cause.LATE_SENDER] == pytest.approx(3.0)
    assert found["MPI_Recv", Cause.TRANSFER] == pytest.approx(1.0)
    finding = audit.findings[0]
    assert (finding.cause, finding.detail["rank"], finding.known) == (Cause.LATE_SENDER, 0, True)
    assert finding.share == pytest.approx(3.0 / 20.0)
    assert audit.events is not None
    assert audit.events.rank[audit.events.sends].tolist() == [0]
    assert audit.events.rank[audit.events.receives].tolist() == [1]


def test_a_wait_is_late_by_its_last_message_alone(tmp_path: Path) -> None:
    """Two requests end in one wait from 3 to 9 s; their messages are sent at 4 and 7 s."""
    receiver, senders = Written(0, 3), [Written(1, 3), Written(2, 3)]
    for one, begin in zip(senders, (4.0, 7.0), strict=True):
        one.call("MPI_Send", begin, begin + 0.1, peer=0, tag=3)
        receiver.call("MPI_Irecv", 1.0, 1.1, peer=one.rank, tag=3)
        receiver.event("MPI_Irecv", 1.0, 9.0, one.rank, 3, role=Role.RECEIVES)
    receiver.call("MPI_Waitall", 3.0, 9.0)
    found = lost(run(tmp_path, receiver, *senders))
    assert found["MPI_Waitall", Cause.LATE_SENDER] == pytest.approx(4.0)
    assert found["MPI_Waitall", Cause.TRANSFER] == pytest.approx(2.0)


def test_a_late_receiver_is_found_where_the_send_waited(tmp_path: Path) -> None:
    sender, receiver = Written(0, 2), Written(1, 2)
    sender.call("MPI_Send", 1.0, 4.5, peer=1, tag=3, bytes=10**6)
    receiver.call("MPI_Recv", 4.0, 4.5, peer=0, tag=3, bytes=10**6)
    sender.call("MPI_Send", 5.0, 5.1, peer=1, tag=3)  # is gone before its receive begins
    receiver.call("MPI_Recv", 7.0, 7.1, peer=0, tag=3)
    audit = run(tmp_path, sender, receiver)
    found = lost(audit)
    assert found["MPI_Send", Cause.LATE_RECEIVER] == pytest.approx(3.0)
    assert ("MPI_Recv", Cause.LATE_SENDER) not in found
    # The data takes half a second, which both could hide in the half second of computation that follows.
    assert found["MPI_Send", Cause.BLOCKING] == pytest.approx(0.5)


def test_a_wait_for_a_send_is_late_by_its_receiver(tmp_path: Path) -> None:
    """The wait from 2 to 5.5 s is for a large message, whose receive is begun at 5 s."""
    sender, receiver = Written(0, 2), Written(1, 2)
    sender.call("MPI_Isend", 1.0, 1.1, peer=1, tag=3, bytes=10**6)
    sender.call("MPI_Wait", 2.0, 5.5)
    receiver.call("MPI_Recv", 5.0, 5.5, peer=0, tag=3, bytes=10**6)
    audit = run(tmp_path, sender, receiver)
    assert lost(audit)["MPI_Wait", Cause.LATE_RECEIVER] == pytest.approx(3.0)
    assert lost(audit)["MPI_Wait", Cause.TRANSFER] == pytest.approx(0.5)
    assert audit.findings[0].detail["rank"] == 1


def test_ranks_wait_for_the_last_one_before_a_collective(tmp_path: Path) -> None:
    ranks = [Written(rank, 3) for rank in range(3)]
    for one, begin in zip(ranks, (1.0, 2.0, 5.0), strict=True):
        one.call("MPI_Allreduce", begin, 5.5, number=0)
    audit = run(tmp_path, *ranks)
    assert lost(audit)["MPI_Allreduce", Cause.IMBALANCE] == pytest.approx(7.0)
    assert lost(audit)["MPI_Allreduce", Cause.TRANSFER] == pytest.approx(1.5)
    assert audit.findings[0].detail["rank"] == 2


def test_calls_counted_without_their_communicator_are_found(tmp_path: Path) -> None:
    """The profile leaves communicators out where a program makes very many; the timeline has them."""
    ranks = [Written(rank, 2) for rank in range(2)]
    for one, begin in zip(ranks, (1.0, 4.0), strict=True):
        one.call("MPI_Barrier", begin, 4.0, number=0)
        one.entry("MPI_Barrier", 1, 3.0)
        entry = list(one.entries[-1])
        entry[1] = NO_COMMUNICATOR
        one.entries[-1] = tuple(entry)
        one.write(tmp_path)
    (finding,) = analyse(tmp_path).findings
    assert (finding.cause, finding.seconds, finding.calls.communicator) == (Cause.IMBALANCE, pytest.approx(3.0), "")


def test_in_a_broadcast_ranks_wait_for_the_root_alone(tmp_path: Path) -> None:
    ranks = [Written(rank, 3) for rank in range(3)]
    for one, begin, end in zip(ranks, (2.0, 1.0, 5.0), (2.1, 2.5, 5.1), strict=True):
        one.call("MPI_Bcast", begin, end, number=0, root=0)
    assert lost(run(tmp_path, *ranks))["MPI_Bcast", Cause.IMBALANCE] == pytest.approx(1.0)


def test_small_messages_in_a_row_could_be_one(tmp_path: Path) -> None:
    sender, receiver = Written(0, 2), Written(1, 2)
    for k in range(10):
        sender.call("MPI_Send", k * 0.2, k * 0.2 + 0.1, peer=1, tag=3)
    receiver.call("MPI_Recv", 9.0, 9.1, peer=0, tag=4)
    audit = run(tmp_path, sender, receiver)
    assert lost(audit)["MPI_Send", Cause.SMALL_MESSAGES] == pytest.approx(0.9)
    (finding,) = (one for one in audit.findings if one.cause is Cause.SMALL_MESSAGES)
    assert (finding.detail["rank"], finding.detail["calls"], finding.detail["mean_bytes"]) == (1, 10, 8.0)


def test_no_second_is_lost_twice(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    ranks = [Written(rank, 4, ring=4096, seconds=500.0) for rank in range(4)]
    now = np.zeros(4)
    for number in range(200):
        now += generator.random(4)
        for one in ranks:
            one.call("MPI_Isend", now[one.rank], now[one.rank] + 0.01, peer=(one.rank + 1) % 4, tag=1)
        end = now.max() + 0.1
        for one in ranks:
            one.call("MPI_Recv", now[one.rank] + 0.02, end, peer=(one.rank + 3) % 4, tag=1)
            one.call("MPI_Barrier", end, end + 0.05, number=number)
        now[:] = end + 0.05
    audit = run(tmp_path, *ranks)
    assert sum(one.seconds for one in audit.findings) <= sum(rank.in_mpi for rank in audit.ranks) + 1e-6


def test_efficiencies_of_a_run_that_waits(tmp_path: Path) -> None:
    """Rank 0 computes 4 s and sends; rank 1 receives all the time: no faster network would help."""
    sender, receiver = Written(0, 2, seconds=4.5), Written(1, 2, seconds=4.5)
    sender.call("MPI_Send", 4.0, 4.0, peer=1, tag=3)
    sender.call("MPI_Finalize", 4.5, 4.5)
    receiver.call("MPI_Recv", 0.0, 4.0, peer=0, tag=3)
    receiver.call("MPI_Finalize", 4.5, 4.5)
    found = run(tmp_path, sender, receiver).efficiency
    assert found.load_balance == pytest.approx((4.5 + 0.5) / 2 / 4.5)
    assert found.communication == pytest.approx(1.0)
    assert (found.serialisation, found.transfer) == (pytest.approx(1.0), pytest.approx(1.0))


def test_efficiencies_of_a_run_that_moves_data(tmp_path: Path) -> None:
    """Both compute 2 s, then move data for 2 s that a perfect network would take no time for."""
    ranks = [Written(rank, 2, seconds=4.0) for rank in range(2)]
    for one in ranks:
        one.call("MPI_Sendrecv", 2.0, 4.0, peer=1 - one.rank, tag=3)
        one.events[-1] = (*one.events[-1][:9], int(Role.CALL | Role.SENDS), one.events[-1][10])
        one.event("MPI_Sendrecv", 2.0, 4.0, 1 - one.rank, 3, role=Role.RECEIVES)
    found = run(tmp_path, *ranks).efficiency
    assert (found.parallel, found.load_balance, found.communication) == pytest.approx((0.5, 1.0, 0.5))
    assert found.transfer is not None
    assert found.serialisation is not None
    assert (found.transfer, found.serialisation) == pytest.approx((0.5, 1.0))


def test_ranks_that_take_turns_lose_by_waiting(tmp_path: Path) -> None:
    """Rank 1 computes from 1 to 2 s what it could only begin when rank 0 was done, who waits for it then."""
    first, second = Written(0, 2, seconds=2.0), Written(1, 2, seconds=2.0)
    first.call("MPI_Send", 1.0, 1.0, peer=1, tag=3)
    first.call("MPI_Recv", 1.0, 2.0, peer=1, tag=3)
    second.call("MPI_Recv", 0.0, 1.0, peer=0, tag=3)
    second.call("MPI_Send", 2.0, 2.0, peer=0, tag=3)
    found = run(tmp_path, first, second).efficiency
    assert (found.transfer, found.serialisation) == (pytest.approx(1.0), pytest.approx(0.5))


def test_lost_events_leave_what_the_sums_say(tmp_path: Path) -> None:
    ranks = [Written(rank, 2, ring=4) for rank in range(2)]
    for one in ranks:
        for number in range(8):
            one.call("MPI_Barrier", number, number + (0.5 if one.rank == 0 else 0.1), number=number)
    audit = run(tmp_path, *ranks)
    assert (audit.efficiency.serialisation, audit.efficiency.transfer) == (None, None)
    assert [rank.events_lost for rank in audit.ranks] == [4, 4]
    (finding,) = audit.findings
    assert (finding.cause, finding.known, finding.detail["rank"]) == (Cause.IMBALANCE, False, 1)
    assert finding.seconds == pytest.approx(3.2)


@pytest.mark.slow
def test_a_million_events_take_seconds(tmp_path: Path) -> None:
    ranks, steps = 4, 60_000
    for rank in range(ranks):
        one = Written(rank, ranks, ring=4 * steps, seconds=steps * 1e-3 + 1)
        for step in range(steps):
            begin = step * 1e-3
            one.call("MPI_Isend", begin, begin + 1e-5, peer=(rank + 1) % ranks, tag=step % 7)
            one.event("MPI_Irecv", begin, begin + 4e-4, (rank - 1) % ranks, step % 7, role=Role.RECEIVES)
            one.call("MPI_Wait", begin + 2e-4, begin + 4e-4)
            one.call("MPI_Barrier", begin + 5e-4, begin + 6e-4, number=step)
        one.entry("MPI_Wait", steps, steps * 2e-4)
        one.write(tmp_path)
    began = time.process_time()
    audit = analyse(tmp_path)
    assert audit.events is not None
    assert len(audit.events.rank) == 4 * ranks * steps
    assert len(audit.events.sends) == ranks * steps
    print(f"{time.process_time() - began:.1f} s")
