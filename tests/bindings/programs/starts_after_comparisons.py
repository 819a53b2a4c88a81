"""Common starts at once after clocks were compared and some time later, as this rank's clock shows them.

Arguments: the library of the common start, and how long to compare clocks before, in seconds.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time

from mpi4py import MPI

library = ctypes.PyDLL(sys.argv[1])
library.common_start_wait.restype = library.common_start_clock_error.restype = ctypes.c_int64
library.common_start_begin()
compared = (0, 0)
compare_until = MPI.COMM_WORLD.bcast(time.monotonic() + float(sys.argv[2]))
while MPI.COMM_WORLD.bcast(time.monotonic() < compare_until):
    time.sleep(0.02)
    before = time.monotonic_ns()
    library.common_start_next_case()
    compared = (before, time.monotonic_ns())


def starts() -> list[int]:
    """Twenty common starts."""
    found = []
    while len(found) < 20:
        library.common_start_agree()
        found.append(library.common_start_wait())
    library.common_start_agree()
    return found


at_once = starts()
time.sleep(0.3)
told = {"error": library.common_start_clock_error(), "compared": compared, "starts": [*at_once, *starts()]}
of_all = MPI.COMM_WORLD.gather(told)
if of_all:
    print(json.dumps(of_all))
library.common_start_end()
