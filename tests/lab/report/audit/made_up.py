"""Audits of programs that nobody ran: a ring of messages, a collective for which one rank is late."""

from dataclasses import replace

import numpy as np

from polympi.lab.audit.layout import NO_PEER, NO_TAG, Role
from polympi.lab.audit.model import (
    Audit,
    Calls,
    Cause,
    Communicator,
    Efficiency,
    Events,
    Finding,
    Rank,
    Site,
)

SOLVER = "/home/ann/heat/solver.py"
EXCHANGE = Site(SOLVER, "Mesh.exchange", 31)
REDUCE = Site(SOLVER, "residual", 42)
NATIVE = Site("/opt/lib/libhalo.so", "halo_begin", None)
PROCEDURES = ("MPI_Send", "MPI_Recv", "MPI_Allreduce", "MPI_Irecv", "MPI_Wait")
SITES = (EXCHANGE, REDUCE, NATIVE)
STEP = 1e-3  # seconds
LATE = 3  # this rank computes longer
MESSAGE = 8192  # bytes


def made_up(ranks: int = 4, steps: int = 5, *, timeline: bool = True) -> Audit:
    """A program of some ranks: in each step a message to the next rank, then a sum for which one rank is late."""
    late = min(LATE, ranks - 1)
    each = np.full(ranks, steps, np.int64)
    none = np.zeros(ranks, np.int64)
    sizes = np.zeros(40, np.int64)
    sizes[MESSAGE.bit_length()] = ranks * steps
    small = np.zeros(40, np.int64)
    small[(8).bit_length()] = ranks * steps
    waits = np.full(ranks, 0.4 * STEP * steps)
    waits[late] = 0.02 * STEP * steps
    nothing = np.zeros(40, np.int64)
    calls = (
        Calls("MPI_Allreduce", REDUCE, "world", each, waits, 0.45 * STEP, none, none, none, none, small),
        Calls("MPI_Recv", EXCHANGE, "world", each, each * 1e-4, 3e-4, none, none, each, each * MESSAGE, sizes),
        Calls("MPI_Send", EXCHANGE, "world", each, each * 5e-5, 9e-5, each, each * MESSAGE, none, none, sizes),
        Calls("MPI_Wait", NATIVE, "halo", each, each * 1e-6, 2e-6, none, none, none, none, nothing),
    )
    seconds = STEP * steps
    in_mpi = sum(one.seconds for one in calls)
    messages = np.zeros((ranks, ranks), np.int64)
    for rank in range(ranks):
        messages[rank, (rank + 1) % ranks] = steps
    people = tuple(
        Rank(rank, f"node{rank // 2}", 1000 + rank, seconds, float(in_mpi[rank]), "finalized", 4 * steps, 0, 2e-7, "")
        for rank in range(ranks)
    )
    lost = float(waits.sum() - waits[late])
    total = ranks * seconds
    return Audit(
        folder="audit",
        program="python3 solver.py",
        library="MPICH 5.0.1",
        began="2026-11-30T10:00:00",
        seconds=seconds,
        ranks=people,
        missing=(),
        call_cost=4.2e-8,
        calls=calls,
        efficiency=Efficiency(0.52, 0.8, 0.65, 0.72, 0.9),
        findings=(
            Finding(calls[0], Cause.IMBALANCE, lost, lost / total, {"rank": late}),
            Finding(calls[1], Cause.LATE_SENDER, 0.02 * total, 0.02, {}, known=False),
        ),
        messages=messages,
        message_bytes=messages * MESSAGE,
        communicators=(
            Communicator("world", ranks, tuple(range(ranks)), steps, 0.1),
            Communicator("halo", ranks, tuple(range(ranks)), 0, 0.001),
        ),
        events=_events(ranks, steps, late) if timeline else None,
    )


def _events(ranks: int, steps: int, late: int) -> Events:
    """In each step of each rank a send, a receive whose request began before, and the sum."""
    lines = []
    for step in range(steps):
        for rank in range(ranks):
            start = step * STEP + 1e-6 * (rank % 7)
            done = (step + 1) * STEP - 1e-5
            begin = done - (0.02 if rank == late else 0.4) * STEP
            ends = (rank + 1) % ranks, (rank - 1) % ranks
            lines += [
                (rank, start, start + 5e-5, 0, 0, ends[0], 7, MESSAGE, 0, -1, Role.CALL | Role.SENDS),
                (rank, start, start + 1.5e-4, 3, 0, ends[1], 7, MESSAGE, 0, -1, Role.RECEIVES),
                (rank, start + 5e-5, start + 1.5e-4, 1, 0, ends[1], 7, MESSAGE, 0, -1, Role.CALL | Role.RECEIVES),
                (rank, begin, done, 2, 1, NO_PEER, NO_TAG, 8, 0, step, Role.CALL | Role.COLLECTIVE),
            ]
    lines.sort(key=lambda line: line[1])
    columns = [np.array(column) for column in zip(*lines, strict=True)]
    rank, begin, end, procedure, site, peer, tag, size, communicator, number, role = columns
    order = np.arange(len(rank))
    sends = order[procedure == 0]
    # The message of a step and a sender is received by the next rank in the same step.
    receivers = {(int(begin[i] / STEP), int(rank[i])): i for i in order[procedure == 1]}
    receives = [receivers[int(begin[i] / STEP), int(peer[i])] for i in sends]
    return Events(
        *(rank.astype(np.int64), begin, end, procedure, site, peer, tag, size, communicator, number),
        *(role.astype(np.int64), 1 + rank * 0, PROCEDURES, SITES, sends, np.array(receives, np.int64)),
    )


def no_calls() -> Audit:
    """A program of one rank that starts and ends MPI and calls nothing else."""
    one = made_up(1, 1, timeline=False)
    silent = replace(one.ranks[0], in_mpi=0.0, calls=0)
    whole = Efficiency(1.0, 1.0, 1.0, None, None)
    return replace(
        *(one,),
        ranks=(silent,),
        calls=(),
        findings=(),
        efficiency=whole,
        messages=one.messages * 0,
        message_bytes=one.messages * 0,
        communicators=(),
    )
