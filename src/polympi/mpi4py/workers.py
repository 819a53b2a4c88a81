"""mpi4py's launcher of worker pools, ``python -m mpi4py.futures``: it runs the program on rank 0 alone.

The other ranks are workers. They import the program when a task needs it, or never, so that rank 0 would hang if it
waited for them when it imports the accelerator.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def has_workers(mpi: Any) -> bool:
    """Whether unaccelerated mpi4py started this program in this way; rank 0 then warns that it stays unaccelerated."""
    pool = getattr(sys.modules.get("mpi4py.futures._core"), "SharedPool", None)
    size = mpi.COMM_WORLD.size
    if pool is None or size == 1:
        return False
    if mpi.COMM_WORLD.rank == 0:
        import warnings

        warnings.warn(
            f"rank 0: mpi4py is not accelerated, because `python -m mpi4py.futures` runs this program on rank 0 alone, "
            f"and its workers do not use polympi: accelerate all ranks by `mpiexec -n {size} python -m polympi --as "
            f"mpi4py -m mpi4py.futures {sys.argv[0]}`.",
            RuntimeWarning,
            stacklevel=3,
        )
    return True
