"""Whether ranks count as oversubscribed, how many starts were repeated, and how many came after the calls before them.

Arguments: the library of the common start, and the number of a CPU that all ranks shall share, or "any".
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time

if sys.argv[2] != "any":
    os.sched_setaffinity(0, {int(sys.argv[2])})

from mpi4py import MPI

library = ctypes.PyDLL(sys.argv[1])
library.common_start_wait.restype = library.common_start_repeated.restype = ctypes.c_int64
library.common_start_begin()
after = 0
for _ in range(10):
    library.common_start_agree()
    time.sleep(0.01)  # longer than from an agreement to its start, at first
    ready = time.monotonic_ns()
    after += library.common_start_wait() >= ready
library.common_start_agree()
told = [library.common_start_oversubscribed(), library.common_start_repeated(), after]
of_all = MPI.COMM_WORLD.gather(told)
if of_all:
    print(json.dumps(of_all))
library.common_start_end()
