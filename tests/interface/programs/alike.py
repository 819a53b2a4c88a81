"""What the programs of these tests share: comparing objects of any kind, and expecting errors."""

import math
from types import FunctionType
from typing import Any

import numpy as np
from hostless import refused
from machines import pretend

import polympi as mpi

pretend()
world = mpi.world
rank, size = world.rank, world.size
RANKS = range(size)


def assert_alike(got: Any, expected: Any, what: object = "") -> None:
    """Equal, of the same types all the way down, and for arrays of the same dtype and shape; NaN equals NaN."""
    assert type(got) is type(expected) or isinstance(got, np.generic), (what, got, expected)
    if isinstance(got, (np.ndarray, np.generic)):
        assert got.dtype == expected.dtype, (what, got, expected)
        assert got.shape == expected.shape, (what, got, expected)
        assert np.array_equal(got, expected, equal_nan=got.dtype.kind in "fc"), (what, got, expected)
    elif isinstance(got, dict):
        assert_alike(list(got.items()), list(expected.items()), what)
    elif isinstance(got, (list, tuple)):
        assert len(got) == len(expected), (what, got, expected)
        for a, b in zip(got, expected, strict=True):
            assert_alike(a, b, what)
    else:
        assert got == expected or (math.isnan(got) and math.isnan(expected)), (what, got, expected)


def raised(kind: type[BaseException], function: Any, *args: Any, **keywords: Any) -> str:
    """The text of the exception of this kind that the call must raise, as where all ranks are on one host."""
    return refused(kind, "", lambda: function(*args, **keywords))


def run_all(names: dict[str, Any]) -> None:
    """The checks of a program one after another, all ranks together: its functions that have no parameters."""
    checks = [check for check in names.values() if isinstance(check, FunctionType) and check.__module__ == "__main__"]
    checks = [check for check in checks if not check.__code__.co_argcount]
    assert checks
    for check in checks:
        try:
            check()
        except BaseException:
            print(f"in {check.__name__}, rank {rank} of {size}", flush=True)
            raise
        world.barrier()
    print("done", flush=True)
