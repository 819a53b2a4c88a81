"""The latest of the moments of both ranks; that of rank 1 is an hour from now, that of rank 0 is now.

Argument: the library of the common start.
"""

from __future__ import annotations

import ctypes
import json
import sys
import time

from mpi4py import MPI

HOUR_NS = 3600 * 10**9

library = ctypes.PyDLL(sys.argv[1])
library.common_start_latest.restype = library.common_start_clock_error.restype = ctypes.c_int64
library.common_start_latest.argtypes = (ctypes.c_int64,)
library.common_start_begin()
given = time.monotonic_ns() + MPI.COMM_WORLD.rank * HOUR_NS
latest = library.common_start_latest(given)
of_all = MPI.COMM_WORLD.gather({"given": given, "latest": latest, "error": library.common_start_clock_error()})
if of_all:
    print(json.dumps(of_all))
library.common_start_end()
