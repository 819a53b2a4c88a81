"""The profiles that callgrind writes: how many instructions were executed outside the MPI library."""

from __future__ import annotations

import re
from collections.abc import Iterable

# As the loader knows MPI's procedures, in C and Fortran, and the library that has them.
_PROCEDURE = re.compile(r"p?mpi_", re.IGNORECASE)
_LIBRARY = "libmpi"


def outside_mpi(profile: Iterable[str]) -> int:
    """The instructions of a profile but those within calls of MPI, whose names are not compressed.

    The library also calls its own parts through other libraries, so a call is MPI's if a procedure of the standard is
    called from elsewhere.
    """
    total, caller, callee, procedure, of_call = 0, "", "", "", False
    for line in profile:
        field, _, value = line.rstrip("\n").partition("=")
        if field == "ob":
            caller = value
        elif field == "cob":
            callee = value
        elif field == "cfn":
            procedure = value
        elif field == "calls":
            of_call = True
        elif line[:1].isdigit():
            cost = int(line.split()[1])
            if not of_call:
                total += cost
            elif _is_mpi(callee or caller) and not _is_mpi(caller) and _PROCEDURE.match(procedure):
                total -= cost
            callee, of_call = ("", False) if of_call else (callee, of_call)
    return total


def _is_mpi(library: str) -> bool:
    return library.rpartition("/")[2].startswith(_LIBRARY)
