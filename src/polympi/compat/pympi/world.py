"""The communicators that are there from the start. The import starts MPI."""

from __future__ import annotations

import sys

import polympi
from polympi.compat.pympi.communicators import Communicator

# Each has its own messages, which never meet those of polympi or of other modules in the same program.
WORLD = Communicator._of(polympi.world.dup())
COMM_WORLD = Communicator._of(polympi.world.dup())
Communicator._world = WORLD


def _color() -> int:
    """The number of this rank's program among those of the job, which are counted from rank 0 on."""
    programs = WORLD.allgather([sys.argv[:1]])
    return list(dict.fromkeys(map(tuple, programs))).index(tuple(programs[WORLD.rank]))


COLOR = _color()
