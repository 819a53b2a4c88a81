"""The interface ``mpi4py``: which loop, method and buffers each case takes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import buffer_collectives as collectives
import buffer_latency as latency
import buffer_ready as ready
import buffer_windows as windows
import library_barrier
from arena import Arena
from buffers import DTYPES, MessageBuffers
from clock import clock
from faces import Faces
from mpi4py import MPI
from operation import Operation, UnsupportedCaseError
from pieces import traffic
from plan import POINT_TO_POINT, REDUCTIONS

if TYPE_CHECKING:
    from common_start import CommonStart
    from operation import Call, World
    from pieces import Traffic
    from plan import Case, Plan

# MPI may keep the room of a buffered message until a later call, so there is room for more than the one in flight.
BUFFERED_MESSAGES = 4

# For each way to complete a send: its method in each mode, and the loops of rank 0, of its events, and of rank 1.
METHODS: dict[str, dict[str, str]] = {
    "": {"standard": "Send", "synchronous": "Ssend", "buffered": "Bsend", "ready": "Rsend"},
    "nonblocking": {"standard": "Isend", "synchronous": "Issend", "buffered": "Ibsend", "ready": "Irsend"},
    "persistent": {
        "standard": "Send_init",
        "synchronous": "Ssend_init",
        "buffered": "Bsend_init",
        "ready": "Rsend_init",
    },
}
LOOPS: dict[str, tuple[Call, Call, Call]] = {
    "": (latency.blocking_a, latency.blocking_a_events, latency.blocking_b),
    "nonblocking": (latency.nonblocking_a, latency.nonblocking_a_events, latency.nonblocking_b),
    "persistent": (latency.persistent_a, latency.persistent_a_events, latency.persistent_b),
}
READY_LOOPS: dict[str, tuple[Call, Call, Call]] = {
    "": (ready.ready_a, ready.ready_a_events, ready.ready_b),
    "nonblocking": (ready.ready_nonblocking_a, ready.ready_nonblocking_a_events, ready.ready_nonblocking_b),
    "persistent": (ready.ready_persistent_a, ready.ready_persistent_a_events, ready.ready_persistent_b),
}


class BufferCases:
    """Operations with the upper-case methods, on NumPy arrays carved out of one arena.

    Args:
        comm: all ranks.
        world: the same, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases, of which the largest sizes the arena.
    """

    def __init__(self, comm: MPI.Intracomm, world: World, start: CommonStart, plan: Plan) -> None:
        self._comm = comm
        self._world = world
        self._start = start
        self._window = plan.window
        self.arena = Arena(max((self._space(case) for case in plan.cases), default=0))

    def prepare(self, case: Case) -> Operation:
        """This rank's operation for a case.

        Raises:
            UnsupportedCaseError: the payload is no buffer, or has no sum in MPI's sense of this protocol.
        """
        if case.payload not in (*DTYPES, "none"):
            raise UnsupportedCaseError(f"the upper-case methods send buffers, not a payload '{case.payload}'")
        if case.benchmark in REDUCTIONS and case.payload != "float64":
            raise UnsupportedCaseError("only doubles are added")
        if case.benchmark in POINT_TO_POINT and self._world.rank > 1:
            return Operation()
        if case.benchmark == "faces":
            return self._faces(case)
        buffers = MessageBuffers(case, self._traffic(case), self.arena, _attached_bytes(case))
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
        return MessageBuffers.space(case, self._traffic(case), _attached_bytes(case))

    def _faces(self, case: Case) -> Operation:
        """A face that is not contiguous goes by a derived datatype, as in C: MPI takes it from where it lies."""
        comm, faces = self._comm, Faces(case, self._world.rank, self.arena)
        edge, datatypes = len(faces.cube), []
        ends: list[Any] = [faces.outgoing, faces.incoming]
        if case.mode != "contiguous":
            datatypes = [_face_datatype(edge, faces.axis, place) for place in (0, edge - 1)]
            ends = [[faces.cube, 1, datatype] for datatype in datatypes]

        def release() -> None:
            for datatype in datatypes:
                datatype.Free()

        loops = self._loops("", (comm.Send, comm.Recv, *ends))
        return Operation(**loops, clear=faces.clear, check=lambda _: faces.check(), release=release)

    def _latency(self, case: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, peer = self._comm, 1 - self._world.rank
        outgoing, incoming = buffers.outgoing[0], buffers.incoming[0]
        mode, _, completion = case.mode.partition("-")
        if mode == "sendrecv":
            both = (comm.Sendrecv, outgoing, incoming, peer)
            return {"batch": partial(latency.sendrecv, *both), "events": partial(latency.sendrecv_events, *both, clock)}
        if mode == "buffered":
            MPI.Attach_buffer(buffers.extra)
        requests = []
        if completion == "persistent":  # requests that last as long as the case
            requests = [
                getattr(comm, METHODS[completion][mode])(outgoing, peer, 1),
                comm.Recv_init(incoming, peer, 1),
            ]
            given: tuple[Any, ...] = tuple(method for request in requests for method in (request.Start, request.Wait))
        else:
            receive = comm.Irecv if completion or mode == "ready" else comm.Recv
            given = (getattr(comm, METHODS[completion][mode]), receive, outgoing, incoming)
        choose = self._ready_loops if mode == "ready" else self._loops

        def release() -> None:
            for request in requests:
                request.Free()
            if mode == "buffered":
                MPI.Detach_buffer()

        return {**choose(completion, given, buffers), "release": release}

    def _loops(self, completion: str, given: tuple[Any, ...], _: MessageBuffers | None = None) -> dict[str, Any]:
        a, a_events, b = LOOPS[completion]
        if self._world.rank == 1:
            return {"batch": partial(b, *given)}
        return {"batch": partial(a, *given), "events": partial(a_events, *given, clock)}

    def _ready_loops(self, completion: str, given: tuple[Any, ...], buffers: MessageBuffers) -> dict[str, Any]:
        """Loops of the ready mode, with what rank 0 does before and after a series of them (see ``buffer_ready``)."""
        comm, empty = self._comm, buffers.empty
        a, a_events, b = READY_LOOPS[completion]
        if self._world.rank == 1:
            return {"batch": partial(b, *given, comm.Send, empty)}
        return {
            "batch": partial(a, *given),
            "events": partial(a_events, *given, clock),
            "begin": partial(comm.Recv, empty, 1, 2),
            "finish": partial(comm.Send, empty, 1, 1),
        }

    def _bandwidth(self, _: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, waitall, ack = self._comm, MPI.Request.Waitall, buffers.acknowledgement
        if self._world.rank == 1:
            return {"batch": partial(windows.bandwidth_b, comm.Irecv, waitall, comm.Send, buffers.incoming, ack)}
        given = (comm.Isend, waitall, comm.Recv, buffers.outgoing, ack)
        return {
            "batch": partial(windows.bandwidth_a, *given),
            "events": partial(windows.bandwidth_a_events, *given, clock),
        }

    def _bibandwidth(self, _: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, peer = self._comm, 1 - self._world.rank
        given = (comm.Isend, comm.Irecv, MPI.Request.Waitall, buffers.outgoing, buffers.incoming, peer)
        return {
            "batch": partial(windows.bibandwidth, *given),
            "events": partial(windows.bibandwidth_events, *given, clock),
        }

    def _stream(self, _: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, ack = self._comm, buffers.acknowledgement
        if self._world.rank == 1:
            return {"batch": partial(windows.stream_b, comm.Send, comm.Recv, buffers.incoming, ack)}
        given = (comm.Send, comm.Recv, buffers.outgoing, ack)
        return {
            "batch": partial(windows.stream_a, *given),
            "events": partial(windows.stream_a_events, *given, clock),
        }

    def _collective(self, case: Case, buffers: MessageBuffers) -> dict[str, Any]:
        comm, start = self._comm, self._start
        call = getattr(comm, case.benchmark.capitalize())
        if case.benchmark == "barrier":
            return {
                "batch": partial(library_barrier.barrier, call),
                "events": partial(library_barrier.barrier_events, call, start, clock),
            }
        if case.benchmark == "bcast":
            buffer = (*buffers.outgoing, *buffers.incoming)[0]
            return {"events": partial(collectives.one_buffer_events, call, buffer, start, clock)}
        outgoing, incoming = next(iter(buffers.outgoing), None), next(iter(buffers.incoming), None)
        return {
            "batch": partial(collectives.two_buffers, call, outgoing, incoming),
            "events": partial(collectives.two_buffers_events, call, outgoing, incoming, start, clock),
        }


def _face_datatype(edge: int, axis: int, place: int) -> MPI.Datatype:
    """The face of a cube of doubles at a place along an axis."""
    face, start = [edge] * 3, [0] * 3
    face[axis], start[axis] = 1, place
    return MPI.DOUBLE.Create_subarray([edge] * 3, face, start).Commit()


def _attached_bytes(case: Case) -> int:
    if not case.mode.startswith("buffered"):
        return 0
    return BUFFERED_MESSAGES * (case.size + int(MPI.BSEND_OVERHEAD))
