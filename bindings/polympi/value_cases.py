"""The interface ``polympi-object``: which loop, method and objects each case takes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import library_barrier
import object_collectives as collectives
import value_latency as latency
import value_ready as ready
import value_windows as windows
from arena import Arena, space
from clock import clock
from objects import PAYLOADS, SUMMABLE, check_objects, expected_objects, make_object
from operation import Operation, UnsupportedCaseError
from pieces import traffic
from plan import POINT_TO_POINT, REDUCTIONS

import polympi as mpi

if TYPE_CHECKING:
    from common_start import CommonStart
    from operation import Call, World
    from plan import Case, Plan

ROOM = 4096  # what an object may be longer as a message than the bytes that C sends

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


class ValueCases:
    """Operations on any object, received as a new one.

    Args:
        comm: all ranks.
        world: the same, as the harness sees them.
        start: the common start of collective calls.
        plan: its window is that of the windowed benchmarks.
    """

    def __init__(self, comm: mpi.Communicator, world: World, start: CommonStart, plan: Plan) -> None:
        self._comm = comm
        self._world = world
        self._start = start
        self._window = plan.window
        self.arena = Arena(space([1]))
        (self._acknowledgement,) = self.arena.carve([1])

    def prepare(self, case: Case) -> Operation:
        """This rank's operation for a case.

        Raises:
            UnsupportedCaseError: the payload is no object, or has no sum, or polympi has no such mode.
        """
        if case.payload not in PAYLOADS:
            raise UnsupportedCaseError(f"what is sent is an object, not a payload '{case.payload}'")
        if case.benchmark in REDUCTIONS and case.payload not in SUMMABLE:
            raise UnsupportedCaseError("only numbers and arrays are added")
        if case.mode.endswith("-persistent"):
            raise UnsupportedCaseError("polympi has no persistent requests")
        if case.benchmark in POINT_TO_POINT and self._world.rank > 1:
            return Operation()
        given = traffic(case, self._world.rank, self._world.size, self._window)
        objects = [make_object(case, piece) for piece in given.outgoing]
        expected = expected_objects(case, given.incoming)
        loops = {
            "latency": self._latency,
            "bandwidth": self._bandwidth,
            "bibandwidth": self._bibandwidth,
            "stream": self._stream,
        }.get(case.benchmark, self._collective)(case, objects)

        def check(received: Any) -> str:
            # In bibandwidth what the sends return comes after what was received.
            in_window = case.benchmark == "bibandwidth"
            return check_objects(received[: self._window] if in_window else received, expected)

        return Operation(**{"check": check, **loops})

    def _latency(self, case: Case, objects: list[Any]) -> dict[str, Any]:
        comm, obj = self._comm, objects[0]
        mode, _, completion = case.mode.partition("-")
        if mode == "sendrecv":
            both = (comm.sendrecv, obj, 1 - self._world.rank)
            return {"batch": partial(latency.sendrecv, *both), "events": partial(latency.sendrecv_events, *both, clock)}
        send = getattr(comm, METHODS[completion][mode])
        if mode == "ready":
            return self._ready_loops(completion, (send, comm.irecv, obj))
        given = (send, comm.irecv if completion else comm.recv, obj)
        release = {}
        if mode == "buffered":
            mpi.buffer_attach(BUFFERED_MESSAGES * (case.size + ROOM))
            release = {"release": mpi.buffer_detach}
        a, a_events, b = LOOPS[completion]
        if self._world.rank == 1:
            return {"batch": partial(b, *given), **release}
        return {"batch": partial(a, *given), "events": partial(a_events, *given, clock), **release}

    def _ready_loops(self, completion: str, given: tuple[Any, ...]) -> dict[str, Any]:
        """Loops of the ready mode, with what rank 0 does before and after a series of them (see ``value_ready``)."""
        comm = self._comm
        a, a_events, b = READY_LOOPS[completion]
        if self._world.rank == 1:
            return {"batch": partial(b, *given, comm.send)}
        return {
            "batch": partial(a, *given),
            "events": partial(a_events, *given, clock),
            "begin": partial(comm.recv, 1, 2),
            "finish": partial(comm.send, None, 1, 1),
        }

    def _bandwidth(self, _: Case, objects: list[Any]) -> dict[str, Any]:
        comm, ack = self._comm, self._acknowledgement
        if self._world.rank == 1:
            return {"batch": partial(windows.bandwidth_b, comm.irecv, mpi.wait_all, comm.send, self._window, ack)}
        given = (comm.isend, mpi.wait_all, comm.recv, objects, ack)
        return {
            "batch": partial(windows.bandwidth_a, *given),
            "events": partial(windows.bandwidth_a_events, *given, clock),
        }

    def _bibandwidth(self, _: Case, objects: list[Any]) -> dict[str, Any]:
        comm = self._comm
        given = (comm.isend, comm.irecv, mpi.wait_all, objects, 1 - self._world.rank)
        return {
            "batch": partial(windows.bibandwidth, *given),
            "events": partial(windows.bibandwidth_events, *given, clock),
        }

    def _stream(self, _: Case, objects: list[Any]) -> dict[str, Any]:
        comm, ack = self._comm, self._acknowledgement
        if self._world.rank == 1:
            given = (comm.recv, comm.send, self._window, ack)
            return {
                "batch": partial(windows.stream_b, *given),
                "keep_all": partial(windows.stream_b_keeping_all, *given),
            }
        sends = (comm.send, comm.recv, objects, ack)
        return {
            "batch": partial(windows.stream_a, *sends),
            "events": partial(windows.stream_a_events, *sends, clock),
        }

    def _collective(self, case: Case, objects: list[Any]) -> dict[str, Any]:
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
