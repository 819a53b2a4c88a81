"""The interfaces ``mpi4py-object`` and ``mpi4py-pkl5``: which loop, method and objects each case takes.

A pkl5 communicator has ``reduce`` and ``allreduce`` from the plain one, and they are measured as its user gets them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import library_barrier
import object_collectives as collectives
import object_latency as latency
import object_windows as windows
from arena import UNSEEN, Arena, space
from clock import clock
from mpi4py import MPI
from objects import PAYLOADS, SUMMABLE, check_objects, expected_objects, make_object
from operation import Operation, UnsupportedCaseError
from pieces import traffic
from plan import POINT_TO_POINT, REDUCTIONS

if TYPE_CHECKING:
    from common_start import CommonStart
    from operation import Buffer, Call, World
    from plan import Case, Plan

# What a pickled payload may be longer than the bytes that C sends: the pickle of an array adds some 150 bytes, a
# buffered message MPI.BSEND_OVERHEAD (about 100), and pkl5 makes up to three messages of one.
ROOM = 4096

# MPI may keep the room of a buffered message until a later call, so there is room for more than the one in flight.
BUFFERED_MESSAGES = 4

# For each way to complete a send: its method in each mode, and the loops of rank 0, of its events, and of rank 1.
METHODS: dict[str, dict[str, str]] = {
    "": {"standard": "send", "synchronous": "ssend", "buffered": "bsend"},
    "nonblocking": {"standard": "isend", "synchronous": "issend", "buffered": "ibsend"},
}
LOOPS: dict[str, tuple[Call, Call, Call]] = {
    "": (latency.blocking_a, latency.blocking_a_events, latency.blocking_b),
    "nonblocking": (latency.nonblocking_a, latency.nonblocking_a_events, latency.nonblocking_b),
}


class ObjectCases:
    """Operations with the lower-case methods, which pickle.

    Args:
        comm: all ranks; a plain communicator or one of ``mpi4py.util.pkl5``.
        world: the same, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases, of which the largest sizes the arena (posted receives, attached buffers).
        posts_receives: whether the communicator has ``irecv``.
    """

    def __init__(self, comm: MPI.Intracomm, world: World, start: CommonStart, plan: Plan, posts_receives: bool) -> None:
        self._comm = comm
        self._world = world
        self._start = start
        self._window = plan.window
        self._posts_receives = posts_receives
        self.arena = Arena(max((space(self._sizes(case)) for case in plan.cases), default=0))

    def prepare(self, case: Case) -> Operation:
        """This rank's operation for a case.

        Raises:
            UnsupportedCaseError: the interface has no such send or receive, or the payload is no object or has no sum.
        """
        self._refuse(case)
        if case.benchmark in POINT_TO_POINT and self._world.rank > 1:
            return Operation()
        given = traffic(case, self._world.rank, self._world.size, self._window)
        objects = [make_object(case, piece) for piece in given.outgoing]
        expected = expected_objects(case, given.incoming)
        buffers = self.arena.carve(self._sizes(case))
        loops = {
            "latency": self._latency,
            "bandwidth": self._bandwidth,
            "bibandwidth": self._bibandwidth,
            "stream": self._stream,
        }.get(case.benchmark, self._collective)(case, objects, buffers)

        def clear() -> None:
            for slot in buffers[:-1]:
                slot.fill(UNSEEN)

        def check(received: Any) -> str:
            # In bibandwidth what the sends return comes after what was received.
            in_window = case.benchmark == "bibandwidth"
            return check_objects(received[: self._window] if in_window else received, expected)

        return Operation(**{"clear": clear, "check": check, **loops})

    def _refuse(self, case: Case) -> None:
        mode, _, completion = case.mode.partition("-")
        if case.payload not in PAYLOADS:
            raise UnsupportedCaseError(f"the lower-case methods send objects, not a payload '{case.payload}'")
        if case.benchmark in REDUCTIONS and case.payload not in SUMMABLE:
            raise UnsupportedCaseError("only numbers and arrays are added")
        if mode == "ready" or completion == "persistent":
            raise UnsupportedCaseError("the lower-case methods have no ready and no persistent sends")
        if not self._posts_receives and (completion or case.benchmark in ("bandwidth", "bibandwidth")):
            raise UnsupportedCaseError("pkl5 has no irecv")

    def _sizes(self, case: Case) -> list[int]:
        """Bytes of the buffers for posted receives, and last, of the acknowledgement or of what is attached."""
        if case.benchmark == "latency":
            return [case.size + ROOM, BUFFERED_MESSAGES * (case.size + ROOM)]
        if case.benchmark in ("bandwidth", "bibandwidth") and self._posts_receives:
            receives = self._world.rank == 1 or case.benchmark == "bibandwidth"
            return [*[case.size + ROOM] * (self._window * receives), 1]
        return [1]

    def _latency(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> dict[str, Any]:
        comm, obj = self._comm, objects[0]
        mode, _, completion = case.mode.partition("-")
        if mode == "sendrecv":
            both = (comm.sendrecv, obj, 1 - self._world.rank)
            return {"batch": partial(latency.sendrecv, *both), "events": partial(latency.sendrecv_events, *both, clock)}
        send = getattr(comm, METHODS[completion][mode])
        given: tuple[Any, ...] = (send, comm.irecv, obj, buffers[0]) if completion else (send, comm.recv, obj)
        release = {}
        if mode == "buffered":
            MPI.Attach_buffer(buffers[1])
            release = {"release": MPI.Detach_buffer}
        a, a_events, b = LOOPS[completion]
        if self._world.rank == 1:
            return {"batch": partial(b, *given), **release}
        return {"batch": partial(a, *given), "events": partial(a_events, *given, clock), **release}

    def _bandwidth(self, _: Case, objects: list[Any], buffers: list[Buffer]) -> dict[str, Any]:
        comm, waitall = self._comm, MPI.Request.waitall
        *slots, ack = buffers
        if self._world.rank == 1:
            return {"batch": partial(windows.bandwidth_b, comm.irecv, waitall, comm.Send, slots, ack)}
        given = (comm.isend, waitall, comm.Recv, objects, ack)
        return {
            "batch": partial(windows.bandwidth_a, *given),
            "events": partial(windows.bandwidth_a_events, *given, clock),
        }

    def _bibandwidth(self, _: Case, objects: list[Any], buffers: list[Buffer]) -> dict[str, Any]:
        comm, slots = self._comm, buffers[:-1]
        given = (comm.isend, comm.irecv, MPI.Request.waitall, objects, slots, 1 - self._world.rank)
        return {
            "batch": partial(windows.bibandwidth, *given),
            "events": partial(windows.bibandwidth_events, *given, clock),
        }

    def _stream(self, _: Case, objects: list[Any], buffers: list[Buffer]) -> dict[str, Any]:
        comm, ack = self._comm, buffers[0]
        if self._world.rank == 1:
            given = (comm.recv, comm.Send, self._window, ack)
            return {
                "batch": partial(windows.stream_b, *given),
                "keep_all": partial(windows.stream_b_keeping_all, *given),
            }
        sends = (comm.send, comm.Recv, objects, ack)
        return {
            "batch": partial(windows.stream_a, *sends),
            "events": partial(windows.stream_a_events, *sends, clock),
        }

    def _collective(self, case: Case, objects: list[Any], _: list[Buffer]) -> dict[str, Any]:
        call, start = getattr(self._comm, case.benchmark), self._start
        if case.benchmark == "barrier":
            return {
                "batch": partial(library_barrier.barrier, call),
                "events": partial(library_barrier.barrier_events, call, start, clock),
            }
        given: Any = objects[0] if objects else None
        if case.benchmark in ("scatter", "alltoall"):  # one object for each rank
            given = objects or None
        return {
            "batch": partial(collectives.calls, call, given),
            "events": partial(collectives.calls_events, call, given, start, clock),
        }
