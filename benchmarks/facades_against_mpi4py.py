"""Calls of the facades against mpi4py's object calls (send, recv, bcast, ...) of the same data, on two ranks.

    mpiexec -n 2 python benchmarks/facades_against_mpi4py.py
    mpiexec -n 2 python benchmarks/facades_against_mpi4py.py --only allgather --rounds 101

The two arms of a row take turns, in random order; a turn is as many calls as fit into 2 ms. Each row has the median
time of a call, in ns, with mpi4py and with the facade, and the ratio of the two: its median over rounds, and the
range from the 5th to the 95th percentile. ``message`` is half of a ping-pong; the root of a collective is rank 0, and
a piece of what is cut has the size that is named.
The last line says how many medians are above 1.
"""

import argparse
import operator
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from mpi4py import MPI

from polympi.compat import boostmpi, mympi, pympi, pypar
from polympi.compat.scientific import MPI as SCIENTIFIC

TURN_NS = 2e6
theirs, science, boost = MPI.COMM_WORLD, SCIENTIFIC.world, boostmpi.world
rank, size = theirs.rank, theirs.size
NAMES: dict[str, Any] = {
    "MPI": MPI,
    "SCIENTIFIC": SCIENTIFIC,
    "mympi": mympi,
    "operator": operator,
    "pympi": pympi,
    "pypar": pypar,
}
NAMES |= {"boost": boost, "boostmpi": boostmpi, "science": science, "theirs": theirs, "to": 1 - rank}
NAMES |= {"W": mympi.MPI_COMM_WORLD, "D": mympi.MPI_DOUBLE, "S": mympi.MPI_SUM}

PAYLOADS: dict[str, Any] = {
    "8 B": np.arange(1.0),
    "1 KiB": np.arange(128.0),
    "64 KiB": np.arange(8192.0),
    "int": 12345,
    "str": "a text of thirty characters...",
    "dict": {"name": "run 7", "steps": 100, "size": 0.5},
}

# An expression for each call: `x` is the payload, `n` its elements, `y` an array like it, `xs` and `ys` two of them.
MPI4PY = {
    "message": ("theirs.send(x, to, 1)", "theirs.recv(source=to, tag=1)"),
    "bcast": "theirs.bcast(x, 0)",
    "scatter": "theirs.scatter(both, 0)",
    "gather": "theirs.gather(x, 0)",
    "allgather": "theirs.allgather(x)",
    "alltoall": "theirs.alltoall(both)",
    "reduce": "theirs.reduce(x, MPI.SUM, 0)",
    "allreduce": "theirs.allreduce(x, MPI.SUM)",
    "scan": "theirs.scan(x, MPI.SUM)",
    "barrier": "theirs.barrier()",
}
PYPAR = {
    "message": ("pypar.send(x, to, tag=1)", "pypar.receive(to, tag=1)"),
    "bcast": "pypar.broadcast(x, 0)",
    "barrier": "pypar.barrier()",
}
BOOST = {
    "message": ("boost.send(to, 1, x)", "boost.recv(to, 1)"),
    "bcast": "boostmpi.broadcast(boost, x, 0)",
    "scatter": "boostmpi.scatter(boost, both, 0)",
    "gather": "boostmpi.gather(boost, x, 0)",
    "allgather": "boostmpi.all_gather(boost, x)",
    "alltoall": "boostmpi.all_to_all(boost, both)",
    "reduce": "boostmpi.reduce(boost, x, operator.add, 0)",
    "allreduce": "boostmpi.all_reduce(boost, x, operator.add)",
    "scan": "boostmpi.scan(boost, x, operator.add)",
    "barrier": "boost.barrier()",
}
PYMPI = {
    "message": ("pympi.send(x, to, 1)", "pympi.recv(to, 1)"),
    "bcast": "pympi.bcast(x)",
    "scatter": "pympi.scatter(both)",
    "gather": "pympi.gather([x])",
    "allgather": "pympi.allgather([x])",
    "reduce": "pympi.reduce(x, pympi.SUM)",
    "allreduce": "pympi.allreduce(x, pympi.SUM)",
    "scan": "pympi.scan(x, pympi.SUM)",
    "barrier": "pympi.barrier()",
}
FACADES: dict[str, dict[str, Any]] = {"pypar": PYPAR, "pympi": PYMPI, "boostmpi": BOOST}
OF_ARRAYS: dict[str, dict[str, Any]] = {
    "pypar, arrays": {
        "message": ("pypar.send(x, to, True, False, 1, True)", "pypar.receive(to, y, False, 1, False, True)"),
        "scatter": "pypar.scatter(xs, 0)",
        "gather": "pypar.gather(x, 0)",
        "reduce": "pypar.reduce(x, pypar.SUM, 0)",
    },
    "mympi": {
        "message": ("mympi.mpi_send(x, n, D, to, 1, W)", "mympi.mpi_recv(n, D, to, 1, W)"),
        "bcast": "mympi.mpi_bcast(x, n, D, 0, W)",
        "scatter": "mympi.mpi_scatter(xs, n, D, n, D, 0, W)",
        "gather": "mympi.mpi_gather(x, n, D, n, D, 0, W)",
        "alltoall": "mympi.mpi_alltoall(xs, n, D, n, D, W)",
        "reduce": "mympi.mpi_reduce(x, n, D, S, 0, W)",
        "barrier": "mympi.mpi_barrier(W)",
    },
    "scientific": {
        "message": ("science.send(x, to, 1)", "science.receive(y, to, 1)"),
        "bcast": "science.broadcast(x, 0)",
        "allgather": "science.share(x, ys)",
        "reduce": "science.reduce(x, y, SCIENTIFIC.sum, 0)",
        "allreduce": "science.allreduce(x, y, SCIENTIFIC.sum)",
        "barrier": "science.barrier()",
    },
}
WITHOUT_SUM = {"str": {"reduce", "allreduce", "scan"}, "dict": {"reduce", "allreduce", "scan"}}


def loop(call: str | tuple[str, str], payload: Any) -> Callable[[int], None]:
    """A function that makes this many calls; the second rank of a ping-pong receives first."""
    lines = [call] if isinstance(call, str) else list(call if rank == 0 else reversed(call))
    is_array = isinstance(payload, np.ndarray)
    names = {
        **NAMES,
        "x": payload,
        "both": [payload, payload],
        "n": payload.size if is_array else 0,
        "y": np.zeros_like(payload) if is_array else None,
        "xs": np.concatenate([payload, payload]) if is_array else None,
        "ys": np.zeros((2, payload.size)) if is_array else None,
    }
    exec("def run(turns):\n    for _ in range(turns):\n" + "".join(f"        {line}\n" for line in lines), names)
    run: Callable[[int], None] = names["run"]
    return run


def timed(run: Callable[[int], None], turns: int) -> float:
    """The time of one turn, in ns."""
    theirs.Barrier()
    began = time.perf_counter()
    run(turns)
    theirs.Barrier()
    return (time.perf_counter() - began) / turns * 1e9


def compared(one: Callable[[int], None], other: Callable[[int], None], rounds: int) -> list[tuple[float, float]]:
    """The times of a turn of both, for each round."""
    arms = [one, other]
    for run in arms:
        timed(run, 50)
    turns = [theirs.bcast(max(5, int(TURN_NS / timed(run, 100)))) for run in arms]
    order, times = random.Random(1), []
    for _ in range(rounds):
        first = order.randrange(2)  # the same on both ranks
        taken = {arm: timed(arms[arm], turns[arm]) for arm in (first, 1 - first)}
        times.append((taken[0], taken[1]))
    return times


def cases(only: list[str]) -> Iterator[tuple[str, str, str, Any, Any]]:
    """The operation, the facade, the payload, and the calls of mpi4py and of the facade."""
    for operation, call in MPI4PY.items():
        for name, payload in PAYLOADS.items():
            skipped = operation in WITHOUT_SUM.get(name, set()) or (operation == "barrier" and name != "int")
            tables = [FACADES, OF_ARRAYS] if isinstance(payload, np.ndarray) or operation == "barrier" else [FACADES]
            for table in tables if not skipped and (not only or operation in only) else []:
                for facade, calls in table.items():
                    if operation in calls:
                        yield operation, facade, "" if operation == "barrier" else name, call, calls[operation]


def main() -> None:
    """Measure each case and print its row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], choices=list(MPI4PY), metavar="OPERATION")
    parser.add_argument("--rounds", type=int, default=51)
    options = parser.parse_args()
    if size != 2:
        sys.exit(f"This program needs two ranks, and was started with {size}.")
    mympi.mpi_init(len(sys.argv), sys.argv)
    slower = 0
    if rank == 0:
        print(MPI.Get_library_version().splitlines()[0])
        print("| call | facade | data | mpi4py, ns | facade, ns | ratio | range |\n|---|---|---|---|---|---|---|")
    for operation, facade, name, of_mpi4py, of_facade in cases(options.only):
        payload = PAYLOADS[name or "int"]
        times = compared(loop(of_mpi4py, payload), loop(of_facade, payload), options.rounds)
        halves = 2 if operation == "message" else 1
        before, after = (statistics.median(column) / halves for column in zip(*times, strict=True))
        ratios = sorted(its / other for other, its in times)
        ratio, edge = statistics.median(ratios), len(ratios) // 20
        slower += ratio > 1
        if rank == 0:
            bounds = f"{ratios[edge]:.2f} to {ratios[-1 - edge]:.2f}"
            print(
                f"| {operation} | {facade} | {name} | {before:.0f} | {after:.0f} | {ratio:.2f} | {bounds} |", flush=True
            )
    if rank == 0:
        print(f"slower than mpi4py: {slower}")


if __name__ == "__main__":
    main()
