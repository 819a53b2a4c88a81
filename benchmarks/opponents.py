"""The programs of others that ``against_others.py`` launches beside ours: what they do, how they are called and read.

What is said here of each is from its source, and of NetPIPE also from counting the calls of Debian's program.

**OSU Micro-Benchmarks 7.4** (``osu_latency``, ``osu_bw``, ``osu_bibw``, ``osu_bcast``, ``osu_reduce``,
``osu_allreduce``) take the time of every iteration alone, between two ``MPI_Wtime``, and print the average. So the
cost of one reading of the clock is in each iteration: half of it in a latency, which is some 12 ns, and a tenth of what
the fastest libraries take for a small message. One disturbed iteration moves the result. ``-x`` and ``-i``
ask for as many iterations of large messages as of small ones. Buffers come from ``posix_memalign`` with the alignment
of a page.

- ``osu_latency``: ``MPI_Send`` and ``MPI_Recv``, two buffers, half the round trip. As ours.
- ``osu_bw``: 64 ``MPI_Isend`` against 64 ``MPI_Irecv``, ``MPI_Waitall``, one byte of acknowledgement. As ours, once
  ``-b multiple`` gives each message a buffer of its own; by default all 64 come from one buffer and go into one.
- ``osu_bibw``: the same in both directions without an acknowledgement, likewise with ``-b multiple``. It waits for
  sends and receives by two ``MPI_Waitall``, we by one.
- collectives: ``MPI_Barrier`` between the calls; every rank takes the time of its own call; printed is the average
  over calls and ranks. A rank that leaves the barrier early waits in the call, and a rank whose part is done early
  (the sender of a reduction) is early in the average, too. Ours is the last rank from a common start. The root is
  rank 0. OSU has no doubles, and adds ``MPI_FLOAT`` with ``-T mpi_float``.

**Intel MPI Benchmarks 2021** (``IMB-MPI1 PingPong``): two barriers, then a series of round trips between two
``MPI_Wtime``; half the average round trip of the slower rank. It receives from ``MPI_ANY_SOURCE`` with
``MPI_ANY_TAG``, where ours names both. Two buffers from ``MPI_Alloc_mem``. ``-iter`` asks for ten times its usual
number of round trips, which take a few milliseconds of small messages.

**NetPIPE 3.7** (Debian's) reports the fastest of three trials of about 0.1 s each; goes through the sizes in ascending
order and without warm-up; and sends from the buffer it receives into, so that it sends what has just come into the
cache. ``-O 0,DISTANCE`` gives it two buffers that do not touch.

None of them asks for huge pages.

Digits: OSU prints two decimals of a microsecond, 10 ns apart; with more, if it was compiled so
(``make CPPFLAGS=-DFLOAT_PRECISION=5``). IMB and NetPIPE print a rate with more digits than their time, and that is what
is read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from our_figures import AS_IMB, AS_NETPIPE, AS_OSU, REPORTED, osu_series

from polympi.lab.catalogue import Case
from polympi.lab.errors import BuildError, UsageError
from polympi.lab.importers.imb import read_imb
from polympi.lab.importers.netpipe import read_netpipe
from polympi.lab.importers.osu import read_osu
from polympi.lab.importers.rows import Imported
from polympi.lab.stacks.stack import Stack

PRINTED = "output.txt"  # what a program prints; NetPIPE writes a file
NETPIPE_FILE = "np.out"
NETPIPE_PROGRAMS = {"openmpi": ("NPopenmpi", "netpipe-openmpi"), "mpich": ("NPmpich2", "netpipe-mpich2")}  # and package
NETPIPE_ALIGNMENT = 16 * 1024  # of its buffer

# An average moves with every disturbed iteration: from launch to launch by several per cent.
MOST = 0.10
MOST_NETPIPE = 0.05  # which averages nothing

_OSU_PROGRAMS = {
    "osu_latency": ("latency", "bytes", []),
    "osu_bw": ("bandwidth", "bytes", ["-b", "multiple"]),
    "osu_bibw": ("bibandwidth", "bytes", ["-b", "multiple"]),
    "osu_bcast": ("bcast", "bytes", []),
    "osu_reduce": ("reduce", "float64", ["-T", "mpi_float"]),
    "osu_allreduce": ("allreduce", "float64", ["-T", "mpi_float"]),
}


@dataclass(frozen=True)
class Opponent:
    """A program of others that measures what cases of ours measure.

    Attributes:
        name: as its authors call it.
        benchmark: of our catalogue, in standard mode.
        payload: of our cases.
        alike: which of our figures is computed as this program computes its own (see :mod:`our_figures`).
        judged: which of our figures has to be near: what reports show, unless it is another thing by definition.
        most: how near.
        command: the program with its arguments, for message sizes in bytes.
        written: file in the working directory that has its figures when it has ended.
        read: the importer of that file.
    """

    name: str
    benchmark: str
    payload: str
    alike: str
    judged: str
    most: float
    command: Callable[[Sequence[int]], list[str]]
    written: str
    read: Callable[[str, str], Imported]

    def case(self, size_bytes: int) -> Case:
        """Our case of a size."""
        return Case(self.benchmark, "standard", self.payload, size_bytes)

    def times(self, text: str) -> dict[int, float]:
        """Time of one operation in ns by size, from what the program has written: from the rate, if it has one."""
        rows = self.read(text, self.name).rows.select("size_bytes", "time_ns", "mb_per_s")
        return {
            size: size / mb_per_s * 1e3 if mb_per_s else time_ns
            for size, time_ns, mb_per_s in rows.iter_rows()
            if mb_per_s or time_ns
        }


def osu_opponents(folder: Path) -> list[Opponent]:
    """The programs of OSU Micro-Benchmarks in a folder where they were built or installed.

    Raises:
        UsageError: one is not there.
    """
    return [
        Opponent(
            name=name,
            benchmark=benchmark,
            payload=payload,
            alike=AS_OSU,
            judged=AS_OSU,
            most=MOST,
            command=_osu_command(_program_in(folder, name), benchmark, options),
            written=PRINTED,
            read=read_osu,
        )
        for name, (benchmark, payload, options) in _OSU_PROGRAMS.items()
    ]


def imb_opponent(program: Path) -> Opponent:
    """PingPong of Intel MPI Benchmarks.

    Args:
        program: ``IMB-MPI1``.

    Raises:
        UsageError: it is no program.
    """
    if not _is_program(program):
        raise UsageError(f"'{program}' is no program: give the path of IMB-MPI1, built for the stack.")

    def command(sizes: Sequence[int]) -> list[str]:
        listed = ",".join(map(str, sizes))
        return [str(program.absolute()), "PingPong", "-msgsize", listed, "-iter", "10000,400", "-iter_policy", "off"]

    return Opponent("IMB PingPong", "latency", "bytes", AS_IMB, REPORTED, MOST, command, PRINTED, read_imb)


def netpipe_opponent(stack: Stack) -> Opponent:
    """Debian's NetPIPE, in a ping-pong without the neighbours of the sizes.

    Raises:
        UsageError: the stack is not the machine's own, or of a family without a NetPIPE.
        BuildError: NetPIPE is not installed.
    """
    if stack.origin != "system" or stack.family not in NETPIPE_PROGRAMS:
        raise UsageError(
            f"Debian's NetPIPE is linked with Debian's MPI, and '{stack.name}' is another: "
            "make a stack of it with 'polympi stack add system'."
        )
    program, package = NETPIPE_PROGRAMS[stack.family]
    if (path := shutil.which(program)) is None:
        raise BuildError(f"There is no '{program}': install it with 'apt install {package}'.")

    def command(sizes: Sequence[int]) -> list[str]:
        distance = -(-max(sizes) // NETPIPE_ALIGNMENT) * NETPIPE_ALIGNMENT
        # It ends below its upper limit, not at it.
        limits = ["-l", str(min(sizes)), "-u", str(max(sizes) + 1)]
        return [path, "-p", "0", *limits, "-O", f"0,{distance}", "-o", NETPIPE_FILE]

    return Opponent(
        "NetPIPE", "latency", "bytes", AS_NETPIPE, REPORTED, MOST_NETPIPE, command, NETPIPE_FILE, read_netpipe
    )


def _osu_command(program: Path, benchmark: str, options: Sequence[str]) -> Callable[[Sequence[int]], list[str]]:
    """It doubles the size from the smallest to the largest."""
    warmup, timed = osu_series(benchmark)
    counts = ["-x", str(warmup), "-i", str(timed)]
    return lambda sizes: [str(program), *options, *counts, "-m", f"{min(sizes)}:{max(sizes)}"]


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
