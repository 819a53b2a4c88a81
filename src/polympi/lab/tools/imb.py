"""Intel MPI Benchmarks 2021: ``IMB-MPI1 PingPong``.

Two barriers, then a series of round trips between two ``MPI_Wtime``; half the average round trip of the slower rank.
It receives from ``MPI_ANY_SOURCE`` with ``MPI_ANY_TAG``, where ours names both. Two buffers from ``MPI_Alloc_mem``.
"""

from polympi.lab.importers.imb import read_imb
from polympi.lab.tools.tool import Tool, positive

IMB_PINGPONG = Tool(
    name="IMB-PingPong",
    programs=("IMB-MPI1",),
    benchmark="latency",
    payload="bytes",
    differs="half the average round trip of one series; it receives from any source with any tag, ours names both",
    get="build IMB-MPI1 (github.com/intel/mpi-benchmarks) with the stack's compilers",
    usable=positive,
    calls=lambda sizes: [["PingPong", "-msgsize", ",".join(map(str, sizes))]],  # 1000 round trips, fewer of large ones
    read=read_imb,
)
