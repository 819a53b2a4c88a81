"""The cases of the floor: a ping-pong of buffers that were chosen beforehand, and its loops."""

from __future__ import annotations

from array import array
from functools import partial
from typing import TYPE_CHECKING

import mpifloor
from arena import Arena
from buffers import DTYPES, MessageBuffers
from callbacks import Callbacks, UnsupportedCaseError
from clock import clock
from pieces import traffic
from timed_loops import one_by_one

if TYPE_CHECKING:
    from callbacks import Call, Times
    from cases import Loops
    from pieces import Traffic
    from plan import Case, Plan

PING_PONGS = ("latency", "pingpong-int")


def ping(send: Call, recv: Call, iterations: int) -> None:
    """Send, then receive."""
    for _ in range(iterations):
        send(1, 1)
        recv(1, 1)


def pong(send: Call, recv: Call, iterations: int) -> None:
    """Receive, then reply."""
    for _ in range(iterations):
        recv(0, 1)
        send(0, 1)


class FloorCases:
    """Callbacks of the two ranks of a ping-pong.

    Args:
        world: all ranks.
        plan: all cases.
    """

    def __init__(self, world: World, plan: Plan) -> None:
        self._world, self._window = world, plan.window
        room = (MessageBuffers.space(case, self._traffic(case)) for case in plan.cases if supported(case))
        self.arena = Arena(max(room, default=0))

    def prepare(self, case: Case) -> Callbacks:
        """This rank's callbacks for a case.

        Raises:
            UnsupportedCaseError: it is no ping-pong of standard sends, or the payload is no buffer.
        """
        if not supported(case):
            raise UnsupportedCaseError("there is a ping-pong of buffers by standard sends, and nothing else")
        if self._world.rank > 1:
            return Callbacks()
        buffers = MessageBuffers(case, self._traffic(case), self.arena)
        mpifloor.choose(buffers.outgoing[0].ctypes.data, buffers.incoming[0].ctypes.data, case.size)
        both = (mpifloor.send, mpifloor.recv)
        loops: Loops = {"batch": partial(pong, *both)}
        if self._world.rank == 0:
            loops = {"batch": partial(ping, *both), "events": partial(one_by_one(ping), *both, clock)}
        return Callbacks(clear=buffers.clear, check=lambda _: buffers.check(), **loops)

    def _traffic(self, case: Case) -> Traffic:
        return traffic(case, self._world.rank, self._world.size, self._window)


def supported(case: Case) -> bool:
    """Whether there are calls for a case."""
    return case.benchmark in PING_PONGS and case.mode == "standard" and case.payload in DTYPES


class World:
    """MPI_COMM_WORLD for the harness (see ``callbacks.World``)."""

    def __init__(self) -> None:
        self.rank, self.size = mpifloor.facts()[:2]

    def maxima(self, times: Times) -> Times:
        """The largest of each place over all ranks, on rank 0; of no meaning elsewhere."""
        largest = array("q", bytes(8 * len(times)))
        mpifloor.maxima(times, largest)
        return largest

    def collect(self, text: str) -> list[str]:
        """The texts of all ranks, on all ranks: first how long they are, then all as long as the longest."""
        mine = text.encode()
        lengths = array("q", mpifloor.collect(array("q", [len(mine)]).tobytes()))
        longest = max(lengths)
        every = mpifloor.collect(mine.ljust(longest)) if longest else b""
        return [every[n * longest : n * longest + length].decode() for n, length in enumerate(lengths)]

    def abort(self, code: int) -> None:
        """End all ranks with an exit code."""
        mpifloor.abort(code)
