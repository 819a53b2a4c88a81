"""The interface ``mpi4py``: which loop, method and buffers each case takes."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import buffer_loops
import numpy as np
from applications import load_application
from arena import space
from callbacks import UnsupportedCaseError, nothing
from cases import BUFFERED_MESSAGES, READING, SEVERAL_HOSTS, BufferCases, method, send_name
from catalogue import CALLS, NONBLOCKING, ONE_BUFFER, THROUGH, UNEVEN
from mpi4py import MPI
from plan import NEIGHBORING

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


def _let_messages_arrive(comm: MPI.Comm) -> None:
    """Wait before a window is freed, as the program in C does: Open MPI 5.0.11 may crash later otherwise."""
    end = MPI.Wtime() + 3e-3
    while MPI.Wtime() < end:
        comm.Iprobe()


class UpperCaseMethods(BufferCases):
    """Callbacks with the upper-case methods.

    Args:
        comm: all ranks.
        world: the same, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases.
    """

    timed = buffer_loops
    finds_collectives = True

    def __init__(self, comm: MPI.Intracomm, world: World, start: CommonStart, plan: Plan) -> None:
        super().__init__(world, start, plan)
        self._comm = comm

    def refuse(self, case: Case) -> None:
        """What needs memory that all ranks share, where they don't; the upper-case methods have all that C has."""
        if THROUGH.get(case.benchmark) != "memory":
            return
        near = self._comm.Split_type(MPI.COMM_TYPE_SHARED)
        one_host = near.Get_size() == self.world.size
        near.Free()
        if not one_host:
            raise UnsupportedCaseError(SEVERAL_HOSTS)

    def attached_bytes(self, case: Case) -> int:
        """What the mode buffered attaches."""
        if not case.mode.startswith("buffered"):
            return 0
        messages = self.window if case.benchmark == "stream" else 1
        return BUFFERED_MESSAGES * messages * (case.size + int(MPI.BSEND_OVERHEAD))

    def faces(self, case: Case, cube: Faces) -> Loops:
        """A face that is not contiguous goes by a derived datatype, as in C: MPI takes it from where it lies."""
        edge, datatypes = len(cube.cube), []
        ends: list[Any] = [cube.outgoing, cube.incoming]
        if case.mode != "contiguous":
            datatypes = [_face_datatype(edge, cube.axis, place) for place in (0, edge - 1)]
            ends = [[cube.cube, 1, datatype] for datatype in datatypes]

        def release() -> None:
            for datatype in datatypes:
                datatype.Free()

        return {**self.both("blocking", (self._comm.Send, self._comm.Recv, *ends)), "release": release}

    def latency(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Ping-pong; persistent requests last as long as the case."""
        comm, peer = self._comm, 1 - self.world.rank
        outgoing, incoming = buffers.outgoing[0], buffers.incoming[0]
        mode, _, completion = case.mode.partition("-")
        if mode == "sendrecv":
            return self.alike(buffer_loops.sendrecv, (comm.Sendrecv, outgoing, incoming, peer))
        if mode == "buffered":
            MPI.Attach_buffer(buffers.extra)
        requests = []
        send = getattr(comm, send_name(mode, completion).capitalize())
        if completion == "persistent":
            requests = [send(outgoing, peer, 1), comm.Recv_init(incoming, peer, 1)]
            given: tuple[Any, ...] = tuple(method for request in requests for method in (request.Start, request.Wait))
        else:
            receive = comm.Irecv if completion or mode == "ready" else comm.Recv
            given = (send, receive, outgoing, incoming)

        def release() -> None:
            for request in requests:
                request.Free()
            if mode == "buffered":
                MPI.Detach_buffer()

        loops = (
            self._ready(completion, given, buffers) if mode == "ready" else self.both(completion or "blocking", given)
        )
        return {**loops, "release": release}

    def _ready(self, completion: str, given: tuple[Any, ...], buffers: MessageBuffers) -> Loops:
        """Loops of the ready mode, with what rank 0 does before and after a series of them (see ``buffer_loops``)."""
        comm, empty = self._comm, buffers.empty
        loops = self.both(f"ready_{completion or 'blocking'}", given, (*given, comm.Send, empty))
        if self.world.rank == 1:
            return loops
        return {**loops, "begin": partial(comm.Recv, empty, 1, 2), "finish": partial(comm.Send, empty, 1, 1)}

    def bandwidth(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends one way."""
        comm, waitall, ack = self._comm, MPI.Request.Waitall, buffers.acknowledgement
        of_a = (comm.Isend, waitall, comm.Recv, buffers.outgoing, ack)
        return self.both("bandwidth", of_a, (comm.Irecv, waitall, comm.Send, buffers.incoming, ack))

    def bibandwidth(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends both ways."""
        comm, peer = self._comm, 1 - self.world.rank
        given = (comm.Isend, comm.Irecv, MPI.Request.Waitall, buffers.outgoing, buffers.incoming, peer)
        return self.alike(buffer_loops.bibandwidth, given)

    def stream(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Windows of blocking sends."""
        comm, ack = self._comm, buffers.acknowledgement
        of_a = (getattr(comm, send_name(case.mode).capitalize()), comm.Recv, buffers.outgoing, ack)
        if case.mode == "ready":
            return self.both("stream_ready", of_a, (comm.Irecv, MPI.Request.Waitall, comm.Send, buffers.incoming, ack))
        loops = self.both("stream", of_a, (comm.Send, comm.Recv, buffers.incoming, ack))
        if case.mode == "buffered":
            MPI.Attach_buffer(buffers.extra)
            loops["release"] = MPI.Detach_buffer
        return loops

    def plan(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """Many small messages both ways, by persistent requests."""
        ends = [[(buffer, 1) for buffer in side] for side in (buffers.incoming, buffers.outgoing)]
        return self._repeated(*ends)

    def halo(self, case: Case, halo: Halo) -> Loops:  # noqa: ARG002
        """Faces and ghost layers are described by derived datatypes, as in C; persistent requests, too."""
        edge = len(halo.cube)
        types = [[_layer_datatype(edge, *place) for place in places] for places in (halo.received, halo.sent)]
        ends = [[([halo.cube, 1, datatype], 1 + face) for face, datatype in enumerate(side)] for side in types]
        loops = self._repeated(*ends)

        def release() -> None:
            loops["release"]()
            for datatype in (*types[0], *types[1]):
                datatype.Free()

        return {**loops, "release": release}

    def _repeated(self, receives: Sequence[tuple[Any, int]], sends: Sequence[tuple[Any, int]]) -> Loops:
        """Messages that are the same each time, with their tags: persistent requests, made once."""
        comm, peer = self._comm, 1 - self.world.rank
        requests = [comm.Recv_init(message, peer, tag) for message, tag in receives]
        requests += [comm.Send_init(message, peer, tag) for message, tag in sends]

        def release() -> None:
            for request in requests:
                request.Free()

        given = (MPI.Prequest.Startall, MPI.Request.Waitall, requests)
        return {**self.alike(buffer_loops.exchanges, given), "release": release}

    def datatype(self, case: Case, laid: Layouts) -> Loops:
        """A message of doubles that do not lie side by side goes by a derived datatype, as in C."""
        datatype, count = _layout_datatype(case.mode, laid.groups)
        ends = [[message, count, datatype] for message in (laid.outgoing, laid.incoming)]
        return {**self.both("blocking", (self._comm.Send, self._comm.Recv, *ends)), "release": datatype.Free}

    def application(self, case: Case) -> Application:
        """The program that is among the examples."""
        return load_application(case, self._comm, suffix="_mpi4py")

    def ring(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A message round all ranks; every rank sends on the buffer that it received into."""
        both, arrived = (self._comm.Send, self._comm.Recv), buffers.incoming[0]
        return self.cycle(
            (buffer_loops.begun, buffer_loops.passed_on), (*both, *buffers.outgoing, arrived), (*both, arrived)
        )

    def access(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call by rank 0 on a window over the messages of rank 1."""
        comm, fenced = self._comm, case.mode == "fence"
        group = comm.Get_group()
        both = group.Incl([0, 1])
        pair = comm.Create_group(both)
        window = MPI.Win.Create(buffers.messages if self.world.rank == 1 else None, comm=pair)
        if not fenced:
            window.Lock_all()

        def release() -> None:
            if not fenced:
                window.Unlock_all()
            _let_messages_arrive(pair)
            window.Free()
            pair.Free()
            both.Free()
            group.Free()

        of_a = (getattr(window, CALLS[case.benchmark]), window.Fence if fenced else window.Flush)
        of_b = (window.Fence,) if fenced else (window.Sync, comm.Send, comm.Recv, buffers.empty)
        ends: tuple[Any, Any] = (window.Fence, window.Fence)
        if not fenced:
            ends = (partial(comm.Recv, buffers.empty, 1, 2), partial(comm.Send, buffers.empty, 1, 2))
        return {**self.accesses(case, buffers, of_a, of_b, ends), "release": release}

    def through_memory(self, case: Case, buffers: MessageBuffers) -> Loops:
        """Copies into a window of shared memory and out of it, with barriers between."""
        comm = self._comm
        window = MPI.Win.Allocate_shared(space([case.size]), comm=comm)
        mine, theirs = (
            np.frombuffer(window.Shared_query(rank)[0], np.uint8)[: case.size].view(buffers.messages.dtype)
            for rank in (self.world.rank, (self.world.rank - 1) % self.world.size)
        )
        mine.fill(0)
        window.Lock_all(MPI.MODE_NOCHECK)
        both = (buffers.outgoing[0], mine, theirs, buffers.incoming[0])

        def release() -> None:
            window.Unlock_all()
            window.Free()

        return {**self.together(buffer_loops.through_memory, (window.Sync, comm.Barrier, *both)), "release": release}

    def through_file(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call on a file; what was written is read by the rank after."""
        comm, rank, ranks = self._comm, self.world.rank, self.world.size
        mode = MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE
        file = MPI.File.Open(comm, self.path, mode)
        file.Set_size(0)
        own, before = case.size * rank, case.size * ((rank - 1) % ranks)

        def store() -> None:
            file.Sync()
            comm.Barrier()
            file.Sync()

        call = getattr(file, CALLS[case.benchmark])
        if case.benchmark in READING:
            file.Write_at_all(own, buffers.outgoing[0])
            store()
            return {**self.together(buffer_loops.at_offset, (call, before, buffers.incoming[0])), "release": file.Close}

        def check(_: object) -> str:
            store()
            file.Read_at(before, buffers.incoming[0])
            return buffers.check()

        loops = self.together(buffer_loops.at_offset, (call, own, buffers.outgoing[0]))
        return {**loops, "check": check, "release": file.Close}

    def dup(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A communicator made and freed."""
        return self.together(buffer_loops.duplicates, (self._comm.Dup,))

    def split(self, case: Case, buffers: MessageBuffers) -> Loops:  # noqa: ARG002
        """A communicator in reverse order made and freed."""
        return self.together(buffer_loops.parts, (self._comm.Split, -self.world.rank))

    def collective(self, case: Case, buffers: MessageBuffers) -> Loops:
        """One call with a send and a receive buffer, or with one buffer; a wait completes one that only starts."""
        comm: MPI.Intracomm = self._comm
        release = nothing
        if case.benchmark in NEIGHBORING:
            comm = self._comm.Create_cart([self.world.size], periods=[True])
            release = comm.Free
        call = method(comm, CALLS[case.benchmark])
        if case.payload == "none":
            return self.barrier(call)
        if case.benchmark in ONE_BUFFER:
            buffer = (*buffers.outgoing, *buffers.incoming)[0]
            loop = buffer_loops.started_one_buffer if case.benchmark in NONBLOCKING else buffer_loops.one_buffer
            return self.together(loop, (call, buffer))
        both = (next(iter(buffers.outgoing), None), next(iter(buffers.incoming), None))
        if case.benchmark in UNEVEN:
            both = (_pieces(both[0], buffers.outgoing_counts), _pieces(both[1], buffers.incoming_counts))
        of_two = buffer_loops.started_two_buffers if case.benchmark in NONBLOCKING else buffer_loops.two_buffers
        loops = self.together(of_two, (call, *both))
        return {**loops, "release": release}


def _pieces(buffer: Any, counts: list[int]) -> Any:
    """A buffer of uneven pieces as the upper-case methods take it, if it has several."""
    return (buffer, counts) if len(counts) > 1 else buffer


def _face_datatype(edge: int, axis: int, place: int) -> MPI.Datatype:
    """The face of a cube of doubles at a place along an axis."""
    face, start = [edge] * 3, [0] * 3
    face[axis], start[axis] = 1, place
    return MPI.DOUBLE.Create_subarray([edge] * 3, face, start).Commit()


def _layer_datatype(edge: int, axis: int, place: int) -> MPI.Datatype:
    """The layer of a cube of doubles at a place along an axis, without its edges."""
    layer, start = [edge - 2] * 3, [1] * 3
    layer[axis], start[axis] = 1, place
    return MPI.DOUBLE.Create_subarray([edge] * 3, layer, start).Commit()


def _layout_datatype(mode: str, groups: int) -> tuple[MPI.Datatype, int]:
    """The datatype of a message of this many groups, and how many make a message (``docs/protocol.md``, datatype)."""
    if mode == "contiguous":
        return MPI.DOUBLE.Create_contiguous(4 * groups).Commit(), 1
    if mode == "vector":
        return MPI.DOUBLE.Create_vector(4 * groups, 1, 2).Commit(), 1
    if mode == "indexed":
        places = [place for group in range(groups) for place in (6 * group, 6 * group + 2)]
        return MPI.DOUBLE.Create_indexed([1, 3] * groups, places).Commit(), 1
    fields = MPI.Datatype.Create_struct([1, 1, 2], [0, 8, 24], [MPI.INT64_T, MPI.DOUBLE, MPI.DOUBLE])
    record = fields.Create_resized(0, 40).Commit()
    fields.Free()
    return record, groups
