"""The interface ``polympi``: which loop, method and arrays each case takes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import array_collectives as collectives
import array_latency as latency
import array_ready as ready
import array_windows as windows
import library_barrier
from arena import Arena
from buffers import DTYPES, MessageBuffers
from clock import clock
from faces import Faces
from operation import Operation, UnsupportedCaseError
from pieces import traffic
from plan import POINT_TO_POINT, REDUCTIONS

import polympi as mpi

if TYPE_CHECKING:
    from common_start import CommonStart
    from operation import Call, World
    from pieces import Traffic
    from plan import Case, Plan

# A buffered message keeps its room until it has been received, so there is room for more than the one in flight.
BUFFERED_MESSAGES = 4

# For each way to complete a send: its method in each mode, and the loops of rank 0, of its events, and of rank 1.
METHODS: dict[str, dict[str, str]] = {
    "": {"standard": "send", "synchronous": "ssend", "buffered": "bsend", "ready": "rsend"},
    "nonblocking": {"standard": "isend", "synchronous": "issend", "buffered": "ibsend", "ready": "irsend"},
}
LOOPS: dict[str, tuple[Call, Call, Call]] = {
    "": (latency.blocking_a, latency.blocking_a_events, latency.blocking_b),
    "nonblocking": (latency.nonblocking_a, latency.nonblocking_a_events, latency.nonblocking_b),
}
READY_LOOPS: dict[str, tuple[Call, Call, Call]] = {
    "": (ready.ready_a, ready.ready_a_events, ready.ready_b),
    "nonblocking": (ready.ready_nonblocking_a, ready.ready_nonblocking_a_events, ready.ready_nonblocking_b),
}


class ArrayCases:
    """Operations on NumPy arrays carved out of one arena, received into others.

    Args:
        comm: all ranks.
        world: the same, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases, of which the largest sizes the arena.
    """

    def __init__(self, comm: mpi.Communicator, world: World, start: CommonStart, plan: Plan) -> None:
        self._comm = comm
        self._world = world
        self._start = start
        self._window = plan.window
        self.arena = Arena(max((self._space(case) for case in plan.cases), default=0))

    def prepare(self, case: Case) -> Operation:
        """This rank's operation for a case.

        Raises:
            UnsupportedCaseError: the payload is no array, or has no sum, or polympi has no such mode.
        """
        if case.payload not in (*DTYPES, "none"):
            raise UnsupportedCaseError(f"arrays hold bytes or doubles, not a payload '{case.payload}'")
        if case.benchmark in REDUCTIONS and case.payload != "float64":
            raise UnsupportedCaseError("only doubles are added")
        if case.mode.endswith("-persistent"):
            raise UnsupportedCaseError("polympi has no persistent requests")
        if case.benchmark in POINT_TO_POINT and self._world.rank > 1:
            return Operation()
        if case.benchmark == "faces":
            return self._faces(case)
        buffers = MessageBuffers(case, self._traffic(case), self.arena)
        loops = {
            "latency": self._latency,
            "bandwidth": self._bandwidth,
            "bibandwidth": self._bibandwidth,
            "stream": self._stream,
        }.get(case.benchmark, self._collective)(case, buffers)
        return Operation(**{"clear": buffers.clear, "check": lambda _: buffers.check(), **loops})

    def _traffic(self, case: Case) -> Traffic:
        return traffic(case, self._world.rank, self._world.size, self._window)

    def _space(self, case: Case) -> int:
        if case.benchmark == "faces":
            return Faces.space(case) if self._world.rank < 2 else 0
        return MessageBuffers.space(case, self._traffic(case))

    def _faces(self, case: Case) -> Operation:
        """A face is a view of the cube, sent and received like any other array."""
        comm, faces = self._comm, Faces(case, self._world.rank, self.arena)
        loops = self._loops("", (comm.send, comm.recv, faces.outgoing, faces.incoming))
        return Operation(**loops, clear=faces.clear, check=lambda _: faces.check())

    def _latency(self, case: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, peer = self._comm, 1 - self._world.rank
        outgoing, incoming = buffers.outgoing[0], buffers.incoming[0]
        mode, _, completion = case.mode.partition("-")
        if mode == "sendrecv":
            both = (comm.sendrecv, outgoing, incoming, peer)
            return {"batch": partial(latency.sendrecv, *both), "events": partial(latency.sendrecv_events, *both, clock)}
        send = getattr(comm, METHODS[completion][mode])
        if mode == "ready":
            return self._ready_loops(completion, (send, comm.irecv, outgoing, incoming))
        loops = self._loops(completion, (send, comm.irecv if completion else comm.recv, outgoing, incoming))
        if mode == "buffered":
            mpi.buffer_attach(BUFFERED_MESSAGES * case.size)
            loops["release"] = mpi.buffer_detach
        return loops

    def _loops(self, completion: str, given: tuple[Any, ...]) -> dict[str, Any]:
        a, a_events, b = LOOPS[completion]
        if self._world.rank == 1:
            return {"batch": partial(b, *given)}
        return {"batch": partial(a, *given), "events": partial(a_events, *given, clock)}

    def _ready_loops(self, completion: str, given: tuple[Any, ...]) -> dict[str, Any]:
        """Loops of the ready mode, with what rank 0 does before and after a series of them (see ``array_ready``)."""
        comm, outgoing = self._comm, given[2]
        a, a_events, b = READY_LOOPS[completion]
        if self._world.rank == 1:
            return {"batch": partial(b, *given, comm.send)}
        return {
            "batch": partial(a, *given),
            "events": partial(a_events, *given, clock),
            "begin": partial(comm.recv, 1, 2),
            "finish": partial(comm.send, outgoing[:0], 1, 1),
        }

    def _bandwidth(self, _: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, ack = self._comm, buffers.acknowledgement
        if self._world.rank == 1:
            return {"batch": partial(windows.bandwidth_b, comm.irecv, mpi.wait_all, comm.send, buffers.incoming, ack)}
        given = (comm.isend, mpi.wait_all, comm.recv, buffers.outgoing, ack)
        return {
            "batch": partial(windows.bandwidth_a, *given),
            "events": partial(windows.bandwidth_a_events, *given, clock),
        }

    def _bibandwidth(self, _: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, peer = self._comm, 1 - self._world.rank
        given = (comm.isend, comm.irecv, mpi.wait_all, buffers.outgoing, buffers.incoming, peer)
        return {
            "batch": partial(windows.bibandwidth, *given),
            "events": partial(windows.bibandwidth_events, *given, clock),
        }

    def _stream(self, _: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, ack = self._comm, buffers.acknowledgement
        if self._world.rank == 1:
            return {"batch": partial(windows.stream_b, comm.send, comm.recv, buffers.incoming, ack)}
        given = (comm.send, comm.recv, buffers.outgoing, ack)
        return {
            "batch": partial(windows.stream_a, *given),
            "events": partial(windows.stream_a_events, *given, clock),
        }

    def _collective(self, case: Case, buffers: MessageBuffers) -> dict[str, Any]:
        call, start = getattr(self._comm, case.benchmark), self._start
        if case.benchmark == "barrier":
            return {
                "batch": partial(library_barrier.barrier, call),
                "events": partial(library_barrier.barrier_events, call, start, clock),
            }
        given = (call, next(iter(buffers.outgoing), None), next(iter(buffers.incoming), None))
        return {
            "batch": partial(collectives.calls_into, *given),
            "events": partial(collectives.calls_into_events, *given, start, clock),
        }
