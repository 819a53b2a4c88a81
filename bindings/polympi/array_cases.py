"""The interface ``polympi``: which loop, method and arrays each case takes."""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import array_loops
import numpy as np
from applications import load_application
from arena import space
from callbacks import UnsupportedCaseError
from cases import BUFFERED_MESSAGES, READING, SEVERAL_HOSTS, BufferCases, method, send_name
from catalogue import CALLS, NONBLOCKING, THROUGH, UNEVEN
from plan import NEIGHBORING

import polympi as mpi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from applications import Application
    from buffers import MessageBuffers
    from callbacks import World
    from cases import Loops
    from common_start import CommonStart
    from faces import Faces
    from halos import Halo
    from layouts import Layouts
    from plan import Case, Plan


class ArrayCases(BufferCases):
    """Callbacks for arrays, received into others.

    Args:
        comm: all ranks.
        world: the same, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases.
        kernel: what applications compute with: ``numpy`` or ``numba``.
    """

    timed = array_loops
    finds_collectives = True

    def __init__(
        self, comm: mpi.Communicator, world: World, start: CommonStart, plan: Plan, kernel: str = "numpy"
    ) -> None:
        super().__init__(world, start, plan)
        self._comm = comm
        self._kernel = kernel

    def refuse(self, case: Case) -> None:
        """What polympi has no call for, or what is the same with compiled kernels."""
        if self._kernel != "numpy":
            raise UnsupportedCaseError("only applications have kernels that are compiled")
        if case.mode.endswith("-persistent"):
            raise UnsupportedCaseError("polympi has no persistent requests")
        if case.benchmark == "datatype" and case.mode not in ("contiguous", "vector"):
            raise UnsupportedCaseError("polympi sends arrays: these elements can't be a view of one")
        if THROUGH.get(case.benchmark) == "memory":
            with self._comm.split_by_host() as near:
                one_host = near.size == self.world.size
            if not one_host:
                raise UnsupportedCaseError(SEVERAL_HOSTS)

    def faces(self, case: Case, cube: Faces) -> Loops:  # noqa: ARG002
        """A face is a view of the cube, sent and received like any other array."""
        return self.both("blocking", (self._comm.send, self._comm.recv, cube.outgoing, cube.incoming))

    def latency(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Ping-pong."""
        comm, peer = self._comm, 1 - self.world.rank
        outgoing, incoming = buffers.outgoing[0], buffers.incoming[0]
        mode, _, completion = case.mode.partition("-")
        if mode == "sendrecv":
            return self.alike(array_loops.sendrecv, (comm.sendrecv, outgoing, incoming, peer))
        send = getattr(comm, send_name(mode, completion))
        if mode == "ready":
            return self._ready(completion, (send, comm.irecv, outgoing, incoming))
        receive = comm.irecv if completion else comm.recv
        loops = self.both(completion or "blocking", (send, receive, outgoing, incoming))
        if mode == "buffered":
            mpi.buffer_attach(BUFFERED_MESSAGES * case.size)
            loops["release"] = mpi.buffer_detach
        return loops

    def _ready(self, completion: str, given: tuple[Any, ...]) -> Loops:
        """Loops of the ready mode, with what rank 0 does before and after a series of them (see ``array_loops``)."""
        comm, outgoing = self._comm, given[2]
        loops = self.both(f"ready_{completion or 'blocking'}", given, (*given, comm.send))
        if self.world.rank == 1:
            return loops
        return {**loops, "begin": partial(comm.recv, 1, 2), "finish": partial(comm.send, outgoing[:0], 1, 1)}

    def bandwidth(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends one way."""
        comm, ack = self._comm, buffers.acknowledgement
        of_a = (comm.isend, mpi.wait_all, comm.recv, buffers.outgoing, ack)
        return self.both("bandwidth", of_a, (comm.irecv, mpi.wait_all, comm.send, buffers.incoming, ack))

    def bibandwidth(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends both ways."""
        comm, peer = self._comm, 1 - self.world.rank
        given = (comm.isend, comm.irecv, mpi.wait_all, buffers.outgoing, buffers.incoming, peer)
        return self.alike(array_loops.bibandwidth, given)

    def stream(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Windows of blocking sends."""
        comm, ack = self._comm, buffers.acknowledgement
        of_a = (getattr(comm, send_name(case.mode)), comm.recv, buffers.outgoing, ack)
        if case.mode == "ready":
            return self.both("stream_ready", of_a, (comm.irecv, mpi.wait_all, comm.send, buffers.incoming, ack))
        loops = self.both("stream", of_a, (comm.send, comm.recv, buffers.incoming, ack))
        if case.mode == "buffered":
            mpi.buffer_attach(BUFFERED_MESSAGES * self.window * case.size)
            loops["release"] = mpi.buffer_detach
        return loops

    def plan(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Many small arrays both ways, agreed on once."""
        return self._planned([(array, 1) for array in buffers.incoming], [(array, 1) for array in buffers.outgoing])

    def halo(self, case: Case, halo: Halo) -> Loops:  # noqa: ARG002
        """Faces and ghost layers are views of the cube, and parts of a plan like other arrays."""
        ends = ([(layer, 1 + face) for face, layer in enumerate(side)] for side in (halo.incoming, halo.outgoing))
        return self._planned(*ends)

    def _planned(self, receives: Sequence[tuple[Any, int]], sends: Sequence[tuple[Any, int]]) -> Loops:
        """The loops of a plan of these arrays, with their tags; both ranks agree on it before the first iteration."""
        peer, made = 1 - self.world.rank, self._comm.plan()
        for array, tag in receives:
            made.recv(array, peer, tag)
        for array, tag in sends:
            made.send(array, peer, tag)
        made.agree()
        return {**self.alike(array_loops.exchanges, (made,)), "release": made.free}

    def datatype(self, case: Case, laid: Layouts) -> Loops:
        """Elements at equal distances are a view, sent and received like any other array."""
        step = 2 if case.mode == "vector" else 1
        ends = [message.reshape(-1)[::step] for message in (laid.outgoing, laid.incoming)]
        return self.both("blocking", (self._comm.send, self._comm.recv, *ends))

    def application(self, case: Case) -> Application:
        """The program that is among the examples."""
        if self._kernel != "numpy" and case.benchmark in ("matmul", "sort"):
            raise UnsupportedCaseError("it computes by one function of NumPy: there is nothing to compile")
        given = {} if self._kernel == "numpy" else {"kernel": self._kernel}  # not every application has another
        return load_application(case, self._comm, **given)

    def ring(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A message round all ranks; every rank sends on the array that it received into."""
        both, arrived = (self._comm.send, self._comm.recv), buffers.incoming[0]
        return self.cycle(
            (array_loops.begun, array_loops.passed_on), (*both, *buffers.outgoing, arrived), (*both, arrived)
        )

    def access(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call by rank 0 on a window over the messages of rank 1."""
        comm, fenced = self._comm, case.mode == "fence"
        held = ExitStack()
        pair = held.enter_context(comm.subset([0, 1]))
        window = held.enter_context(pair.window(buffers.messages if self.world.rank == 1 else None))
        if not fenced:
            held.enter_context(window.lock_all())
        of_a = (method(window, CALLS[case.benchmark].lower()), window.fence if fenced else window.flush)
        of_b = (window.fence,) if fenced else (comm.raw.send, comm.raw.recv, buffers.empty)
        ends: tuple[Any, Any] = (window.fence, window.fence)
        if not fenced:
            ends = (partial(comm.raw.recv, buffers.empty, 1, 2), partial(comm.raw.send, buffers.empty, 1, 2))
        loops = self.accesses(case, buffers, of_a, of_b, ends, buffers.messages.itemsize)
        return {**loops, "release": held.close}

    def through_memory(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Copies into rows of a shared array and out of them, with barriers between."""
        comm, rank, ranks = self._comm, self.world.rank, self.world.size
        table = comm.shared((ranks, space([case.size])), np.uint8)
        mine, theirs = (table[row, : case.size].view(buffers.messages.dtype) for row in (rank, (rank - 1) % ranks))
        return self.together(
            array_loops.through_memory, (comm.barrier, buffers.outgoing[0], mine, theirs, buffers.incoming[0])
        )

    def through_file(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call on a file; what was written is read by the rank after."""
        comm, rank, ranks = self._comm, self.world.rank, self.world.size
        file = comm.open(self.path, "w+")
        own, before = case.size * rank, case.size * ((rank - 1) % ranks)

        def store() -> None:
            file.sync()
            comm.barrier()

        def release() -> None:
            file.close()
            if rank == 0:
                os.remove(self.path)

        call = method(file, case.benchmark.replace("-", "_"))
        if case.benchmark in READING:
            file.write_at_all(own, buffers.outgoing[0])
            store()
            loops = self.together(array_loops.read_at_offset, (call, before, buffers.incoming[0]))
            return {**loops, "release": release}

        def check(_: object) -> str:
            store()
            file.read_at(before, into=buffers.incoming[0])
            return buffers.check()

        loops = self.together(array_loops.write_at_offset, (call, own, buffers.outgoing[0]))
        return {**loops, "check": check, "release": release}

    def dup(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A communicator made and freed."""
        return self.together(array_loops.duplicates, (self._comm.dup,))

    def split(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A communicator in reverse order made and freed."""
        return self.together(array_loops.parts, (self._comm.split, -self.world.rank))

    def collective(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call from an array into another."""
        if case.benchmark in NEIGHBORING:
            mesh = self._comm.cart(periods=True, ndim=1)
            rows = [one.reshape(len(mesh.sources), -1) for one in (*buffers.outgoing, *buffers.incoming)]
            loops = self.together(array_loops.calls_into, (method(mesh, case.benchmark.replace("-", "_")), *rows))
            return {**loops, "release": mesh.free}
        uneven = case.benchmark in UNEVEN
        call = method(self._comm, case.benchmark.removesuffix("v" * uneven).replace("-", "_"))
        if case.payload == "none":
            return self.barrier(call)
        both = (next(iter(buffers.outgoing), None), next(iter(buffers.incoming), None))
        if uneven and len(buffers.outgoing_counts) > 1:
            return self.together(array_loops.divided_calls_into, (call, both[0], buffers.outgoing_counts, both[1]))
        loop = array_loops.started_calls_into if case.benchmark in NONBLOCKING else array_loops.calls_into
        return self.together(loop, (call, *both))
