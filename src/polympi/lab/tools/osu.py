"""OSU Micro-Benchmarks 7 (MVAPICH project).

They take the time of every iteration alone, between two ``MPI_Wtime``, and print the average: the cost of one reading
of the clock is in each iteration (half of it in a latency), and one disturbed iteration moves the result.

- ``osu_latency``: ``MPI_Send`` and ``MPI_Recv``, two buffers, half the round trip. As ours.
- ``osu_bw``: 64 ``MPI_Isend`` against 64 ``MPI_Irecv``, ``MPI_Waitall``, one byte of acknowledgement. As ours, once
  ``-b multiple`` gives each message a buffer of its own; by default all 64 come from one buffer and go into one.
- ``osu_bibw``: the same in both directions without an acknowledgement, likewise with ``-b multiple``. It waits for
  sends and receives by two ``MPI_Waitall``, ours by one.
- ``osu_allreduce``: ``MPI_Barrier`` between the calls; every rank takes the time of its own call; printed is the
  average over calls and ranks. A rank that leaves the barrier early waits in the call. Ours is the last rank from a
  common start. OSU has no doubles, and adds ``MPI_FLOAT`` with ``-T mpi_float``.
"""

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.importers.osu import read_osu
from polympi.lab.tools.tool import Tool, powers_of_two

_SEVERAL_BUFFERS = ("-b", "multiple")
SUMMED = ("-T", "mpi_float")  # what reductions add


def osu_tools() -> list[Tool]:
    """The programs that measure what ours measure."""
    alone = "averaged over iterations that are timed alone, with the cost of the clock in each"
    mean = "the average over ranks of their times after a barrier, where ours is the last rank from a common start"
    return [
        osu_tool("osu_latency", "latency", f"half the round trip, {alone}"),
        osu_tool("osu_bw", "bandwidth", f"a window of messages, {alone}", *_SEVERAL_BUFFERS),
        osu_tool(
            "osu_bibw",
            "bibandwidth",
            f"a window of messages each way, {alone}; it waits twice in each, ours once",
            *_SEVERAL_BUFFERS,
        ),
        osu_tool("osu_allreduce", "allreduce", f"{mean}; it adds floats, ours adds doubles", *SUMMED),
    ]


def osu_tool(name: str, benchmark: str, differs: str, *options: str) -> Tool:
    """A program that measures what a benchmark of ours measures."""
    return Tool(
        name=name,
        programs=(name,),
        benchmark=benchmark,
        payload=BENCHMARKS[benchmark].payloads[0],
        differs=differs,
        get="build OSU Micro-Benchmarks 7 (mvapich.cse.ohio-state.edu/benchmarks) with the stack's mpicc",
        usable=powers_of_two,
        calls=lambda sizes: [[*options, "-m", f"{min(sizes)}:{max(sizes)}"]],  # doubled from one to the other
        read=read_osu,
        only_two=not BENCHMARKS[benchmark].collective,
    )
