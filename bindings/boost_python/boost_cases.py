"""The interface ``boost-python``: which loop, method and objects each case takes."""

from __future__ import annotations

import operator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import boost_loops
from callbacks import UnsupportedCaseError
from cases import ObjectCases
from plan import REDUCTIONS, ROOTED

if TYPE_CHECKING:
    from callbacks import Buffer, Callbacks, World
    from cases import Loops
    from common_start import CommonStart
    from plan import Case, Plan

# The module's spelling of MPI's names, where it is another one.
COLLECTIVES = {
    "bcast": "broadcast",
    "reduce": "reduce",
    "allreduce": "all_reduce",
    "gather": "gather",
    "scatter": "scatter",
    "allgather": "all_gather",
    "alltoall": "all_to_all",
}


class PythonModule(ObjectCases):
    """Callbacks with the module ``boost.mpi``.

    Args:
        mpi: the module.
        world: all ranks, as the harness sees them.
        start: the common start of collective calls.
        plan: all cases.
    """

    timed = boost_loops

    def __init__(self, mpi: Any, world: World, start: CommonStart, plan: Plan) -> None:
        super().__init__(world, start, plan)
        self._mpi = mpi

    def prepare(self, case: Case) -> Callbacks:
        """This rank's callbacks; the module returns tuples where the harness checks lists."""
        callbacks = super().prepare(case)

        def check(received: object) -> str:
            return callbacks.check(list(received) if isinstance(received, tuple) else received)

        return replace(callbacks, check=check)

    def refuse(self, case: Case) -> None:
        """What the module has no call for."""
        if case.mode not in ("standard", "standard-nonblocking"):
            raise UnsupportedCaseError("boost.mpi has blocking and nonblocking standard sends only")

    def latency(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Ping-pong."""
        comm, obj = self._mpi.world, objects[0]
        if case.mode == "standard":
            return self.both("blocking", (comm.send, comm.recv, obj))
        return self.both("nonblocking", (comm.isend, comm.irecv, obj))

    def bandwidth(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends one way."""
        comm = self._mpi.world
        return self.both("bandwidth", (comm.isend, comm.recv, objects), (comm.irecv, comm.send, self.window))

    def bibandwidth(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Windows of nonblocking sends both ways."""
        given = (self._mpi.world.isend, self._mpi.world.irecv, objects, 1 - self.world.rank)
        return self.alike(boost_loops.bibandwidth, given)

    def stream(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """Windows of blocking sends."""
        comm = self._mpi.world
        of_b = (comm.recv, comm.send, self.window)
        loops = self.both("stream", (comm.send, comm.recv, objects), of_b)
        if self.world.rank == 1:
            loops["keep_all"] = partial(boost_loops.stream_b_keeping_all, *of_b)
        return loops

    def ring(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """An object round all ranks; every rank sends on what it received."""
        both = (self._mpi.world.send, self._mpi.world.recv)
        return self.cycle((boost_loops.begun, boost_loops.passed_on), (*both, *objects), both)

    def collective(self, case: Case, objects: list[Any], buffers: list[Buffer]) -> Loops:  # noqa: ARG002
        """One function of the module, which takes the communicator first and returns what the rank gets."""
        comm = self._mpi.world
        if case.benchmark == "barrier":
            return self.barrier(comm.barrier)
        function = getattr(self._mpi, COLLECTIVES[case.benchmark])
        operations = [operator.add] if case.benchmark in REDUCTIONS else []
        roots = [0] if case.benchmark in ROOTED else []
        given = (function, comm, self.given(case, objects), *operations, *roots)
        loop = (boost_loops.none_more, boost_loops.one_more, boost_loops.two_more)[len(operations) + len(roots)]
        return self.together(loop, given)
