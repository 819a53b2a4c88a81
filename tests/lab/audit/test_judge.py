"""Verdicts on states that are made up: who is the reason that others wait."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from audit.made_up import WORLD, finalized, inside, job, op, outside, running

from polympi.lab.audit.judge import judge
from polympi.lab.audit.layout import ANY_SOURCE, ANY_TAG, State
from polympi.lab.audit.roll_call import call_roll, lines
from polympi.lab.audit.standing import Activity, Process, Situation
from polympi.lab.audit.verdict import Kind


@dataclass(frozen=True)
class Case:
    situation: Situation
    kind: Kind
    ranks: tuple[int, ...]
    waiting: tuple[int, ...]
    words: str = ""
    hang: bool = True


def barrier(number: int = 4, communicator: int = WORLD, **more: object):
    return op("Barrier", number=number, communicator=communicator, **more)


def bcast(root: int, size: int = 8, name: str = "Bcast"):
    return op(name, number=4, root=root, bytes=size)


CASES = {
    "two receives first": Case(
        job(inside(0, op("Recv", 1, 5)), inside(1, op("Recv", 0, 5))),
        Kind.CYCLE,
        (0, 1),
        (),
        "rank 0 waits in MPI_Recv",
    ),
    "three in a ring": Case(
        job(*(inside(rank, op("Recv", (rank + 1) % 3, 5)) for rank in range(3))), Kind.CYCLE, (0, 1, 2), ()
    ),
    "two large sends": Case(
        job(inside(0, op("Send", 1, 5, bytes=10**6)), inside(1, op("Send", 0, 5, bytes=10**6))), Kind.CYCLE, (0, 1), ()
    ),
    "wrong tag": Case(
        job(
            inside(0, barrier(), sent=(op("Send", 1, 7), op("Send", 1, 5)), sent_to={1: 2}),
            inside(1, op("Recv", 0, 7), received=(op("Recv", 0, 7),), received_from={0: 1}),
        ),
        Kind.WRONG_TAG,
        (1, 0),
        (0,),
        "for tag 7 from rank 0; the last message of rank 0 to it, not received, has tag 5",
    ),
    "wrong tag of a rank that has ended": Case(
        job(
            inside(0, op("Finalize"), sent=(op("Send", 1, 5),), sent_to={1: 1}),
            inside(1, op("Recv", ANY_SOURCE, 7)),
        ),
        Kind.WRONG_TAG,
        (1, 0),
        (0,),
    ),
    "wrong tag of a large message": Case(
        job(inside(0, op("Send", 1, 5)), inside(1, op("Recv", 0, 7))), Kind.WRONG_TAG, (1, 0), (0,)
    ),
    "a message on another communicator": Case(
        job(
            inside(0, barrier(), sent=(op("Send", 1, 5, communicator=12),)),
            inside(1, op("Recv", 0, 5)),
            communicators={12: (0, 1)},
        ),
        Kind.WRONG_COMMUNICATOR,
        (1, 0),
        (0,),
        "tag 5 on c12",
    ),
    "a message taken by an earlier receive": Case(
        job(
            inside(0, barrier(), sent=(op("Send", 1, 5),)),
            inside(1, op("Recv", 0, 5), pending=(op("Irecv", 0, ANY_TAG, seconds=20, site="a.py:1"),)),
        ),
        Kind.TAKEN,
        (1,),
        (0,),
        "MPI_Irecv at a.py:1",
    ),
    "other collectives": Case(
        job(inside(0, bcast(0)), inside(1, bcast(0)), inside(2, op("Allreduce", number=4, site="b.py:9"))),
        Kind.MISMATCH,
        (2,),
        (0, 1),
        "Number 5 of the collectives on world is MPI_Bcast at a.py:3 on ranks 0 and 1 and MPI_Allreduce at b.py:9 on "
        "rank 2",
    ),
    "another collective that a rank has left": Case(
        job(
            inside(0, barrier(5), collectives={(WORLD, 4): bcast(0)}, begun={WORLD: 6}),
            inside(1, op("Allreduce", number=4)),
            inside(2, op("Allreduce", number=4)),
        ),
        Kind.MISMATCH,
        (0,),
        (1, 2),
    ),
    "other roots": Case(
        job(inside(0, bcast(1)), inside(1, bcast(0)), inside(2, bcast(0))), Kind.ROOTS, (0,), (1, 2), "1 on rank 0"
    ),
    "other sizes": Case(
        job(inside(0, bcast(0)), inside(1, bcast(0)), inside(2, bcast(0, 16))), Kind.COUNTS, (2,), (0, 1), "16 bytes"
    ),
    "one elsewhere": Case(
        job(*(inside(rank, barrier()) for rank in range(16)), inside(16, op("Recv", 0, 5))),
        Kind.ELSEWHERE,
        (16,),
        tuple(range(16)),
        "which rank 16 has not begun: rank 16 is in MPI_Recv at a.py:3 (rank 0, tag 5)",
    ),
    "crossed communicators": Case(
        job(
            inside(0, barrier(communicator=12)),
            inside(1, barrier(communicator=13)),
            communicators={12: (0, 1), 13: (0, 1)},
        ),
        Kind.CROSSED,
        (0, 1),
        (),
    ),
    "rows and columns": Case(
        job(
            inside(0, barrier(communicator=12)),
            inside(1, barrier(communicator=15)),
            inside(2, barrier(communicator=14)),
            inside(3, barrier(communicator=13)),
            communicators={12: (0, 1), 13: (2, 3), 14: (0, 2), 15: (1, 3)},
        ),
        Kind.CROSSED,
        (0, 1, 2, 3),
        (),
    ),
    "one has finalized": Case(
        job(finalized(0), inside(1, op("Recv", 0, 5))), Kind.FINALIZED, (0,), (1,), "Rank 0 is past MPI_Finalize"
    ),
    "one is in finalize": Case(
        job(inside(0, op("Finalize")), inside(1, barrier())), Kind.FINALIZED, (0,), (1,), "Rank 0 is in MPI_Finalize"
    ),
    "one was killed": Case(
        job(outside(0, barrier(3), process=Process(activity=Activity.GONE)), inside(1, barrier())),
        Kind.GONE,
        (0,),
        (1,),
        "ended without MPI_Finalize",
    ),
    "one has left": Case(job(outside(0, barrier(3), state=State.EXITED), inside(1, barrier())), Kind.GONE, (0,), (1,)),
    "one was killed in finalize": Case(
        job(inside(0, op("Finalize"), process=Process(activity=Activity.GONE)), inside(1, barrier())),
        Kind.GONE,
        (0,),
        (1,),
        "Rank 0 has ended in MPI_Finalize, which had not returned; rank 1 waits",
    ),
    "finalize has failed": Case(
        job(outside(0, op("Finalize"), state=State.FAILED), inside(1, barrier())),
        Kind.GONE,
        (0,),
        (1,),
        "Rank 0 has failed in MPI_Finalize; rank 1 waits",
    ),
    "one is stopped": Case(
        job(
            inside(0, barrier()),
            inside(1, op("Recv", 2)),
            outside(2, barrier(), process=Process(activity=Activity.STOPPED)),
        ),
        Kind.STOPPED,
        (2,),
        (0, 1),
        "stopped by a signal",
    ),
    "one computes": Case(
        job(inside(0, barrier()), outside(1, barrier(3), process=running(0.97))),
        Kind.COMPUTING,
        (1,),
        (0,),
        "Rank 1 is computing (97% of a processor), outside MPI for 10 s, after MPI_Barrier at a.py:3; rank 0 waits",
        hang=False,
    ),
    "one computes, and others have sent another tag": Case(
        job(inside(0, op("Recv", 1, 7)), outside(1, op("Send", 0, 5), sent=(op("Send", 0, 5),))),
        Kind.COMPUTING,
        (1,),
        (0,),
        hang=False,
    ),
    "one reads": Case(
        job(
            inside(0, barrier()),
            outside(1, op("Init"), process=Process("h", 1, Activity.READING, 0.0, "read of /tmp/f")),
        ),
        Kind.READING,
        (1,),
        (0,),
        "in a read of /tmp/f",
        hang=False,
    ),
    "one has not started": Case(job(inside(0, barrier()), size=2), Kind.NOT_STARTED, (1,), (0,), hang=False),
    "nobody sends": Case(
        job(inside(0, op("Recv", ANY_SOURCE, 9)), inside(1, barrier()), inside(2, barrier())),
        Kind.NOBODY_SENDS,
        (0,),
        (1, 2),
        "any rank, tag 9",
    ),
    "nobody sends, as two others wait for each other": Case(
        job(inside(0, op("Recv", ANY_SOURCE, 9)), inside(1, op("Recv", 2, 1)), inside(2, op("Recv", 1, 1))),
        Kind.CYCLE,
        (1, 2),
        (0,),
    ),
    "probe loop": Case(
        job(outside(0, op("Iprobe", 1, 9), polls=10**6, polling=12.0), inside(1, op("Recv", 0, 9))),
        Kind.POLLING,
        (0,),
        (1,),
        "rank 0 polls in MPI_Iprobe",
    ),
    "probe loop for any rank": Case(
        job(outside(0, op("Iprobe", ANY_SOURCE, 9), polls=10**6, polling=12.0), inside(1, barrier())),
        Kind.POLLING,
        (0,),
        (1,),
    ),
    "a collective begun and never waited for": Case(
        job(
            inside(0, op("Wait"), pending=(op("Ibarrier", number=4),), begun={WORLD: 5}),
            outside(1, op("Ibarrier"), pending=(op("Ibarrier", number=4, site="b.py:1"),), begun={WORLD: 5}),
        ),
        Kind.UNFINISHED,
        (1,),
        (0,),
        "Rank 1 has begun MPI_Ibarrier at b.py:1",
        hang=False,
    ),
    "a request for which nothing was sent": Case(
        job(inside(0, op("Waitall"), pending=(op("Isend", 1, 1), op("Irecv", 1, 5))), inside(1, op("Finalize"))),
        Kind.FINALIZED,
        (1,),
        (0,),
        "rank 0 waits in MPI_Waitall at a.py:3 for MPI_Irecv",
    ),
    "a wait inside a lock": Case(
        job(
            inside(0, op("Recv", 1, 5), locked=(op("Win_lock", 0, site="b.py:7"),)),
            inside(1, op("Win_unlock", 0)),
        ),
        Kind.LOCKED,
        (0,),
        (1,),
        "which rank 0 has locked (MPI_Win_lock at b.py:7)",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_reason_is_named(case: Case) -> None:
    verdict = judge(case.situation)
    assert verdict is not None
    found = verdict.kind, verdict.ranks, verdict.waiting, verdict.hang
    assert found == (case.kind, case.ranks, case.waiting, case.hang), verdict.sentence
    assert case.words in verdict.sentence


def test_who_computes_waits_for_nobody() -> None:
    assert judge(job(outside(0, barrier()), outside(1, barrier()))) is None


def test_a_message_on_its_way_is_no_reason() -> None:
    """Its sender is in the call that sends it, and its receiver in the one that takes it."""
    sent = job(inside(0, op("Send", 1, 5)), inside(1, op("Recv", 0, 5)))
    verdict = judge(sent)
    assert verdict is None or not verdict.hang, verdict


def test_receives_of_any_rank_wait_for_those_that_compute() -> None:
    verdict = judge(job(inside(0, op("Recv", ANY_SOURCE, 9)), outside(1, barrier()), inside(2, op("Recv", 0))))
    assert verdict is not None
    assert (verdict.kind, verdict.ranks) == (Kind.COMPUTING, (1,))


def test_ranks_in_the_same_place_are_one_line() -> None:
    roll = call_roll(CASES["one elsewhere"].situation)
    assert [place.ranks for place in roll.places] == [tuple(range(16)), (16,)]
    text = "\n".join(lines(roll, "Roll call"))
    assert "ranks 0-15: in MPI_Barrier at a.py:3 (number 5 of world) for 10 s" in text
    assert "Hang (elsewhere): Ranks 0-15 are in MPI_Barrier" in text
