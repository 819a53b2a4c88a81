"""A log file that all ranks write to.

    mpiexec -n 3 python -m polympi --as scientific examples/compat/scientific/log_file.py log.txt

What a rank writes comes into the file when all ranks flush it.
"""

import sys
from pathlib import Path

from Scientific.MPI import world
from Scientific.MPI.IO import LogFile

log = LogFile(sys.argv[1])
for step in range(2):
    log.write(f"step {step} of rank {world.rank}\n")
    log.flush()  # all ranks: what they have written comes into the file, rank after rank
log.close()

if world.rank == 0:
    lines = Path(sys.argv[1]).read_text().splitlines(keepends=True)
    assert lines == [f"step {step} of rank {rank}\n" for step in range(2) for rank in range(world.size)]
    print("".join(lines), end="")
