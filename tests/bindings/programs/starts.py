"""Common starts in four cases, each after another comparison of clocks, as this rank's clock shows them.

Argument: the library of the common start.
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
told = []
for case in range(4):
    if case:
        time.sleep(0.5)
        library.common_start_next_case()
    library.common_start_agree()
    starts = []
    while len(starts) < 30:
        starts.append(library.common_start_wait())
        time.sleep(0.002)
        library.common_start_agree()
    told.append([library.common_start_clock_error(), starts])
of_all = MPI.COMM_WORLD.gather(told)
if of_all:
    print(json.dumps(of_all))
library.common_start_end()
