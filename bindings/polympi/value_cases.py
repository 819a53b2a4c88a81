"""The interface ``polympi-object``: which loop, method and objects each case takes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import object_collectives
import value_loops
from callbacks import UnsupportedCaseError, nothing
from cases import BUFFERED_MESSAGES, ROOM, ObjectCases, method, send_name
from catalogue import NONBLOCKING
from plan import NEIGHBORING

import polympi as mpi

if TYPE_CHECKING:
    from callbacks import Buffer, World
    from cases import Loops
    from common_start import CommonStart
    from plan import Case, Plan


class ValueCases(ObjectCases):
    """Callbacks for any object, received as a new one.

    Args:
        comm: all ranks.
        world: the same, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases.
    """

    timed = value_loops
    finds_collectives = True

    def __init__(self, comm: mpi.Communicator, world: World, start: CommonStart, plan: Plan) -> None:
        super().__init__(world, start, plan)
        self._comm = comm

    def refuse(self, case: Case) -> None:
        """What polympi has no call for."""
        if case.mode.endswith("-persistent"):
            raise UnsupportedCaseError("polympi has no persistent requests")

    def latency(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Ping-pong."""
        comm, obj = self._comm, objects[0]
        mode, _, completion = case.mode.partition("-")
        if mode == "sendrecv":
            return self.alike(value_loops.sendrecv, (comm.sendrecv, obj, 1 - self.world.rank))
        send = getattr(comm, send_name(mode, completion))
        if mode == "ready":
            return self._ready(completion, (send, comm.irecv, obj))
        loops = self.both(completion or "blocking", (send, comm.irecv if completion else comm.recv, obj))
        if mode == "buffered":
            mpi.buffer_attach(BUFFERED_MESSAGES * (case.size + ROOM))
            loops["release"] = mpi.buffer_detach
        return loops

    def _ready(self, completion: str, given: tuple[Any, ...]) -> Loops:
        """Loops of the ready mode, with what rank 0 does before and after a series of them (see ``value_loops``)."""
        comm = self._comm
        loops = self.both(f"ready_{completion or 'blocking'}", given, (*given, comm.send))
        if self.world.rank == 1:
            return loops
        return {**loops, "begin": partial(comm.recv, 1, 2), "finish": partial(comm.send, None, 1, 1)}

    def bandwidth(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends one way."""
        comm, (ack,) = self._comm, buffers
        of_a = (comm.isend, mpi.wait_all, comm.recv, objects, ack)
        return self.both("bandwidth", of_a, (comm.irecv, mpi.wait_all, comm.send, self.window, ack))

    def bibandwidth(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends both ways."""
        given = (self._comm.isend, self._comm.irecv, mpi.wait_all, objects, 1 - self.world.rank)
        return self.alike(value_loops.bibandwidth, given)

    def stream(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:
        """Windows of blocking sends."""
        comm, (ack,) = self._comm, buffers
        of_a = (getattr(comm, send_name(case.mode)), comm.recv, objects, ack)
        if case.mode == "ready":
            return self.both("stream_ready", of_a, (comm.irecv, mpi.wait_all, comm.send, self.window, ack))
        of_b = (comm.recv, comm.send, self.window, ack)
        loops = self.both("stream", of_a, of_b)
        if case.mode == "buffered":
            mpi.buffer_attach(BUFFERED_MESSAGES * self.window * (case.size + ROOM))
            loops["release"] = mpi.buffer_detach
        if self.world.rank == 1:
            loops["keep_all"] = partial(value_loops.stream_b_keeping_all, *of_b)
        return loops

    def ring(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """An object round all ranks; every rank sends on what it received."""
        both = (self._comm.send, self._comm.recv)
        return self.cycle((value_loops.begun, value_loops.passed_on), (*both, *objects), both)

    def collective(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """One call that takes what the rank gives and returns what it gets."""
        comm: mpi.Communicator = self._comm
        release = nothing
        if case.benchmark in NEIGHBORING:
            comm = self._comm.cart(periods=True, ndim=1)
            release = comm.free
        call = method(comm, case.benchmark.replace("-", "_"))
        if case.payload == "none":
            return self.barrier(call)
        loop = value_loops.started_calls if case.benchmark in NONBLOCKING else object_collectives.calls
        loops = self.together(loop, (call, self.given(case, objects)))
        return {**loops, "release": release}
