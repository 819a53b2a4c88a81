"""One launch of benchmarks/pools.py: the ranks of one pool, ``polympi``, ``mpi4py`` or ``schwimmbad``.

Rank 0 prints a JSON object: seconds of each case.
"""

import json
import random
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

SEED = 20_260


def tiny(x: int) -> int:
    """A task that takes no time."""
    return x + 1


def wait(seconds: float) -> float:
    """A task that takes some time, and no processor, of which there may be too few."""
    time.sleep(seconds)
    return seconds


def durations(number: int) -> list[float]:
    """Seconds of uneven tasks, 10 ms on average: the same ones in every launch."""
    numbers = random.Random(SEED)
    return [numbers.uniform(0.0, 0.02) for _ in range(number)]


def measure(run: Map, tasks: list[int], uneven: int) -> dict[str, float]:
    """The time of tiny tasks by their number, and of uneven ones of 10 ms on average over their sum."""
    list(run(tiny, range(100)))  # everything is imported
    found = {}
    for number in tasks:
        began = time.perf_counter()
        results = list(run(tiny, range(number)))
        found[f"{number} tiny tasks"] = time.perf_counter() - began
        assert results[-1] == number
    began = time.perf_counter()
    waited = sum(run(wait, durations(uneven)))
    found["uneven tasks"] = (time.perf_counter() - began) / waited
    return found


def main() -> None:
    """Run on all ranks, except with mpi4py, which runs this on rank 0 alone."""
    arm, numbers, uneven = sys.argv[1], [int(number) for number in sys.argv[2].split(",")], int(sys.argv[3])
    if arm == "polympi":
        import polympi as mpi

        with mpi.pool() as pool:
            if pool:
                print(json.dumps(measure(pool.map, numbers, uneven)))
    elif arm == "mpi4py":
        from mpi4py.futures import MPIPoolExecutor

        with MPIPoolExecutor() as executor:
            print(json.dumps(measure(executor.map, numbers, uneven)))
    else:
        from schwimmbad import MPIPool

        with MPIPool() as pool:
            if not pool.is_master():
                pool.wait()
                sys.exit(0)
            print(json.dumps(measure(pool.map, numbers, uneven)))


if __name__ == "__main__":
    main()
