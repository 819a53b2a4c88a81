"""The interfaces ``mpi4py-object`` and ``mpi4py-pkl5``: which loop, method and objects each case takes.

A pkl5 communicator has ``reduce`` and ``allreduce`` from the plain one, and they are measured as its user gets them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import object_collectives
import object_loops
from callbacks import UnsupportedCaseError, nothing
from cases import BUFFERED_MESSAGES, ROOM, ObjectCases, method, send_name
from catalogue import NONBLOCKING
from mpi4py import MPI
from plan import NEIGHBORING

if TYPE_CHECKING:
    from callbacks import Buffer, World
    from cases import Loops
    from common_start import CommonStart
    from plan import Case, Plan


class LowerCaseMethods(ObjectCases):
    """Callbacks with the lower-case methods, which pickle.

    Args:
        comm: all ranks; a plain communicator or one of ``mpi4py.util.pkl5``.
        world: the same, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases.
        posts_receives: whether the communicator has ``irecv``.
    """

    timed = object_loops

    def __init__(self, comm: MPI.Intracomm, world: World, start: CommonStart, plan: Plan, posts_receives: bool) -> None:
        self._comm = comm
        self._posts_receives = posts_receives
        self.finds_collectives = posts_receives  # pkl5 makes no communicators of neighbours
        super().__init__(world, start, plan)

    def refuse(self, case: Case) -> None:
        """What has no method that pickles."""
        mode, _, completion = case.mode.partition("-")
        if case.benchmark in NONBLOCKING:
            raise UnsupportedCaseError("the lower-case methods have no nonblocking collectives")
        if mode == "ready" or completion == "persistent":
            raise UnsupportedCaseError("the lower-case methods have no ready and no persistent sends")
        if not self._posts_receives and (completion or case.benchmark in ("bandwidth", "bibandwidth")):
            raise UnsupportedCaseError("pkl5 has no irecv")

    def sizes(self, case: Case) -> list[int]:
        """Bytes of the buffers for posted receives, and last, of the acknowledgement or of what is attached."""
        if case.benchmark in ("latency", "object"):
            return [case.size + ROOM, BUFFERED_MESSAGES * (case.size + ROOM)]
        if case.benchmark in ("bandwidth", "bibandwidth") and self._posts_receives:
            receives = self.world.rank == 1 or case.benchmark == "bibandwidth"
            return [*[case.size + ROOM] * (self.window * receives), 1]
        if case.benchmark == "stream" and case.mode == "buffered":
            return [1, BUFFERED_MESSAGES * self.window * (case.size + ROOM)]
        return [1]

    def latency(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:
        """Ping-pong."""
        comm, obj = self._comm, objects[0]
        mode, _, completion = case.mode.partition("-")
        if mode == "sendrecv":
            return self.alike(object_loops.sendrecv, (comm.sendrecv, obj, 1 - self.world.rank))
        send = getattr(comm, send_name(mode, completion))
        given: tuple[Any, ...] = (send, comm.irecv, obj, buffers[0]) if completion else (send, comm.recv, obj)
        loops = self.both(completion or "blocking", given)
        if mode == "buffered":
            MPI.Attach_buffer(buffers[1])
            loops["release"] = MPI.Detach_buffer
        return loops

    def bandwidth(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends one way."""
        comm, waitall = self._comm, MPI.Request.waitall
        *slots, ack = buffers
        of_a = (comm.isend, waitall, comm.Recv, objects, ack)
        return self.both("bandwidth", of_a, (comm.irecv, waitall, comm.Send, slots, ack))

    def bibandwidth(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends both ways."""
        comm, slots = self._comm, buffers[:-1]
        given = (comm.isend, comm.irecv, MPI.Request.waitall, objects, slots, 1 - self.world.rank)
        return self.alike(object_loops.bibandwidth, given)

    def stream(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:
        """Windows of blocking sends."""
        comm, ack = self._comm, buffers[0]
        of_b = (comm.recv, comm.Send, self.window, ack)
        loops = self.both("stream", (getattr(comm, send_name(case.mode)), comm.Recv, objects, ack), of_b)
        if case.mode == "buffered":
            MPI.Attach_buffer(buffers[1])
            loops["release"] = MPI.Detach_buffer
        if self.world.rank == 1:
            loops["keep_all"] = partial(object_loops.stream_b_keeping_all, *of_b)
        return loops

    def ring(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """An object round all ranks; every rank sends on what it received."""
        both = (self._comm.send, self._comm.recv)
        return self.cycle((object_loops.begun, object_loops.passed_on), (*both, *objects), both)

    def collective(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """One call that takes what the rank gives and returns what it gets."""
        comm: MPI.Intracomm = self._comm
        release = nothing
        if case.benchmark in NEIGHBORING:
            comm = self._comm.Create_cart([self.world.size], periods=[True])
            release = comm.Free
        call = method(comm, case.benchmark.replace("-", "_"))
        if case.payload == "none":
            return self.barrier(call)
        loops = self.together(object_collectives.calls, (call, self.given(case, objects)))
        return {**loops, "release": release}
