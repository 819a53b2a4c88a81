"""The third-party programs that ``against_others.py`` launches next to ours, and how they are called there.

What each of them does is said where a run launches it as a tool: :mod:`polympi.lab.tools.osu`,
:mod:`polympi.lab.tools.imb`, :mod:`polympi.lab.tools.netpipe`; of NetPIPE it is from counting the calls of Debian's
program, too. Here they are called so that ours can be computed as theirs is: OSU with as many iterations of large
messages as of small ones (``-x``, ``-i``), IMB with ten times its usual number of round trips (``-iter``), which take
a few milliseconds of small messages, and NetPIPE with its own number, of trials of about 0.1 s.

Two collectives of OSU are compared beside the tools of a run: ``osu_bcast`` and ``osu_reduce``. There a rank whose part
is done early (the sender of a reduction) is early in OSU's average, so that it is no time of the operation.

None of the programs asks for huge pages.

Digits: OSU prints two decimals of a microsecond, 10 ns apart; with more, if it was compiled so
(``make CPPFLAGS=-DFLOAT_PRECISION=5``). IMB and NetPIPE print a rate with more digits than their time, and that is what
is read.
"""

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from our_figures import AS_IMB, AS_NETPIPE, AS_OSU, REPORTED, osu_series

from polympi.lab.catalogue import Case
from polympi.lab.errors import BuildError, UsageError
from polympi.lab.stacks.stack import Stack
from polympi.lab.tools.imb import IMB_PINGPONG
from polympi.lab.tools.netpipe import NETPIPE, two_buffers
from polympi.lab.tools.osu import SUMMED, osu_tool, osu_tools
from polympi.lab.tools.tool import Tool

NETPIPE_PROGRAMS = {"openmpi": ("NPopenmpi", "netpipe-openmpi"), "mpich": ("NPmpich2", "netpipe-mpich2")}  # and package

# An average moves with every disturbed iteration: from launch to launch by several per cent.
MOST = 0.10
MOST_NETPIPE = 0.05  # which averages nothing


@dataclass(frozen=True)
class Opponent:
    """A third-party program as it is compared here."""

    tool: Tool
    alike: str  # which of our figures is computed as this program computes its own (see `our_figures`)
    judged: str  # which of our figures has to be near: what reports show, unless it is another thing by definition
    most: float  # how near
    command: Callable[[Sequence[int]], list[str]]  # the program with its arguments, for message sizes in bytes

    @property
    def name(self) -> str:
        """As its authors call it."""
        return self.tool.name

    @property
    def benchmark(self) -> str:
        """The benchmark of our catalogue that measures the same."""
        return self.tool.benchmark

    def case(self, size_bytes: int) -> Case:
        """Our case of a size."""
        return self.tool.case(size_bytes)


def osu_opponents(folder: Path) -> list[Opponent]:
    """The programs of OSU Micro-Benchmarks in a folder where they were built or installed; UsageError without one."""
    rooted = [osu_tool("osu_bcast", "bcast", ""), osu_tool("osu_reduce", "reduce", "", *SUMMED)]
    return [
        Opponent(
            tool=tool,
            alike=AS_OSU,
            judged=AS_OSU,
            most=MOST,
            command=_osu_command(_program_in(folder, tool.name), tool),
        )
        for tool in (*osu_tools(), *rooted)
    ]


def imb_opponent(program: Path) -> Opponent:
    """PingPong of Intel MPI Benchmarks; the program is ``IMB-MPI1``."""
    if not _is_program(program):
        raise UsageError(f"'{program}' isn't a program: give the path of IMB-MPI1, built for the stack.")

    def command(sizes: Sequence[int]) -> list[str]:
        [arguments] = IMB_PINGPONG.calls(sizes)
        return [str(program.absolute()), *arguments, "-iter", "10000,400", "-iter_policy", "off"]

    return Opponent(IMB_PINGPONG, AS_IMB, REPORTED, MOST, command)


def netpipe_opponent(stack: Stack) -> Opponent:
    """Debian's NetPIPE, in a ping-pong without the neighbours of the sizes; the stack has to be the machine's own."""
    if stack.origin != "system" or stack.family not in NETPIPE_PROGRAMS:
        raise UsageError(
            f"Debian's NetPIPE is linked with Debian's MPI, and '{stack.name}' is another: "
            "make a stack of it with 'polympi stack add system'."
        )
    program, package = NETPIPE_PROGRAMS[stack.family]
    if (path := shutil.which(program)) is None:
        raise BuildError(f"There is no '{program}': install it with 'apt install {package}'.")

    def command(sizes: Sequence[int]) -> list[str]:
        return [path, "-p", "0", *two_buffers(sizes)]

    return Opponent(NETPIPE, AS_NETPIPE, REPORTED, MOST_NETPIPE, command)


def _osu_command(program: Path, tool: Tool) -> Callable[[Sequence[int]], list[str]]:
    warmup, timed = osu_series(tool.benchmark)

    def command(sizes: Sequence[int]) -> list[str]:
        [arguments] = tool.calls(sizes)
        return [str(program), *arguments, "-x", str(warmup), "-i", str(timed)]

    return command


def _program_in(folder: Path, name: str) -> Path:
    found = sorted(path for path in folder.absolute().rglob(name) if _is_program(path))
    if not found:
        raise UsageError(
            f"There is no program '{name}' in '{folder}': give the folder where OSU Micro-Benchmarks were built "
            "for the stack."
        )
    return found[0]


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
