"""A pool: rank 0 submits tasks, and the other ranks run them.

    mpiexec -n 3 python examples/pool.py

Every rank comes to the `with` statement. There the workers run tasks until rank 0 leaves it, and the pool is false for
them: what follows `if pool:` is for rank 0 alone. On one rank, rank 0 runs the tasks itself.
"""

import math
import random
from concurrent.futures import as_completed

import numpy as np

import polympi as mpi

SAMPLES, TASKS = 10_000, 20


def count_hits(seed: int) -> int:
    """How many random points of the unit square are in the circle."""
    numbers = random.Random(seed)
    return sum(numbers.random() ** 2 + numbers.random() ** 2 < 1 for _ in range(SAMPLES))


def nearest(points: np.ndarray, x: float) -> float:
    """The point of all that is nearest."""
    return float(points[np.abs(points - x).argmin()])


def refuse(x: int) -> int:
    """Fail, to show what arrives."""
    raise ValueError(f"{x} is not allowed")


def main() -> None:
    """Estimate pi, look up points in data that all workers have, and receive an exception."""
    with mpi.pool() as pool:
        if not pool:
            return
        hits = sum(pool.map(count_hits, range(TASKS)))
        estimate = 4 * hits / (SAMPLES * TASKS)
        print(f"{pool.size} workers: pi is about {estimate:.3f}")
        assert abs(estimate - math.pi) < 0.02

        points = pool.shared(np.linspace(0, 1, 100_001))  # each worker receives them once
        futures = {pool.submit(nearest, points, x): x for x in (0.1234567, 0.9876543)}
        for future in as_completed(futures):
            assert abs(future.result() - futures[future]) <= 0.5e-5

        error = pool.submit(refuse, 3).exception()
        print(f"{type(error).__name__}: {error}; raised {str(error.__cause__).splitlines()[0]}" if error else "")
        assert isinstance(error, ValueError)


if __name__ == "__main__":
    main()
