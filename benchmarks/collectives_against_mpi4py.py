"""Collectives of polympi against the buffer collectives of mpi4py, in one launch, oversubscribed.

    mpiexec -n 8 python benchmarks/collectives_against_mpi4py.py bcast:65536 allreduce:8

A case is a collective and the bytes of one rank's piece: with alltoall of a piece for each rank, with bcast of all. The
arms take turns: a turn is as many calls as fit into 20 ms, between two barriers of mpi4py, and its figure is the time
of a call. Each line says the median of mpi4py, in us, and that of polympi with ``into=`` and without, with their ratios
to it. Open MPI wants ``mpiexec --oversubscribe`` where ranks outnumber processors.

The laboratory itself measures ranks that have a processor each: there a delay of one rank is a delay of the call.
Here ranks wait for the scheduler most of the time, so that the time of many calls in a row is all there is to see.
"""

import argparse
import time
from collections.abc import Callable, Mapping

import numpy as np
from mpi4py import MPI

import polympi as mpi

TURN_US = 20e3
MOST_CALLS, LEAST_TURNS, MOST_TURNS = 200, 5, 200

Arms = Mapping[str, Callable[[], object]]

comm, world = MPI.COMM_WORLD, mpi.world
rank, size = world.rank, world.size


def arms(verb: str, nbytes: int) -> Arms:
    """The calls of a case; mpi4py's is the first. All use the same arrays at the same addresses."""
    one, other = np.ones(max(nbytes // 8, 1)), np.zeros(max(nbytes // 8, 1))
    rows, all_rows = np.ones((size, one.size)), np.zeros((size, one.size))
    at_root = rank == 0
    cases: dict[str, Arms] = {
        "barrier": {"mpi4py": comm.Barrier, "polympi": world.barrier},
        "bcast": {
            "mpi4py": lambda: comm.Bcast(one),
            "into": lambda: world.bcast(one if at_root else None, into=one),
            "object": lambda: world.bcast(one if at_root else None),
        },
        "gather": {
            "mpi4py": lambda: comm.Gather(one, all_rows),
            "into": lambda: world.gather(one, into=all_rows),
            "object": lambda: world.gather(one),
        },
        "scatter": {
            "mpi4py": lambda: comm.Scatter(rows, other),
            "into": lambda: world.scatter(rows if at_root else None, into=other),
            "object": lambda: world.scatter(rows if at_root else None),
        },
        "allgather": {
            "mpi4py": lambda: comm.Allgather(one, all_rows),
            "into": lambda: world.allgather(one, into=all_rows),
            "object": lambda: world.allgather(one),
        },
        "alltoall": {
            "mpi4py": lambda: comm.Alltoall(rows, all_rows),
            "into": lambda: world.alltoall(rows, into=all_rows),
            "object": lambda: world.alltoall(rows),
        },
        "allreduce": {
            "mpi4py": lambda: comm.Allreduce(one, other),
            "into": lambda: world.allreduce(one, into=other),
            "object": lambda: world.allreduce(one),
        },
    }
    return cases[verb]


def turn(call: Callable[[], object], calls: int) -> float:
    """The time of a call, in us."""
    comm.Barrier()
    began = time.perf_counter()
    for _ in range(calls):
        call()
    comm.Barrier()
    return (time.perf_counter() - began) / calls * 1e6


def medians(calls: Arms, seconds: float) -> dict[str, float]:
    """The median time of each arm, in us."""
    for call in calls.values():
        turn(call, 1)
    slowest = max(turn(call, 3) for call in calls.values())
    each = comm.bcast(max(1, min(MOST_CALLS, int(TURN_US / slowest))))
    turns = comm.bcast(max(LEAST_TURNS, min(MOST_TURNS, int(seconds * 1e6 / (each * slowest * len(calls))))))
    times: dict[str, list[float]] = {arm: [] for arm in calls}
    for _ in range(turns):
        for arm, call in calls.items():
            times[arm].append(turn(call, each))
    return {arm: float(np.median(values)) for arm, values in times.items()}


def main() -> None:
    """Measure each case and print its line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="+", metavar="COLLECTIVE:BYTES")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each case")
    options = parser.parse_args()
    for case in options.cases:
        verb, _, nbytes = case.partition(":")
        found = medians(arms(verb, int(nbytes or 8)), options.seconds)
        base = found.pop("mpi4py")
        texts = [f"{arm} {us:9.1f} ({us / base:.2f} x)" for arm, us in found.items()]
        if rank == 0:
            print(f"{size:2d} ranks {case:17s} mpi4py {base:9.1f} us   {'   '.join(texts)}", flush=True)


if __name__ == "__main__":
    main()
