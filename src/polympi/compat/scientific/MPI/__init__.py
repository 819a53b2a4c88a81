"""Scientific.MPI of ScientificPython 2.9: the import starts MPI; ``world`` is the communicator of all ranks.

Arrays and strings can be sent. Each is one message of polympi. :data:`DIFFERENCES` has all that is not as it was;
docs/compat/scientific.md says how to run a script.
"""

# mypy: implicit-reexport
# ruff: noqa: F401  (what is imported is the interface)

from polympi.compat import exports as _exports
from polympi.compat import missing as _missing
from polympi.compat.scientific.MPI.communicator import world
from polympi.compat.scientific.MPI.errors import MPIError
from polympi.compat.scientific.MPI.operations import (
    band,
    bor,
    bxor,
    land,
    lor,
    lxor,
    max,  # noqa: A004  (its name)
    maxloc,
    min,  # noqa: A004
    minloc,
    prod,
    replace,
    sum,  # noqa: A004
)

DIFFERENCES = {
    "MPIError": (
        "Wrong ranks, tags and arrays raise a kind of it that is a TypeError and a ValueError, too, since "
        "Scientific.MPI raised one or another. Its text names the rank and the call."
    ),
    "_C_API": "It was for extension modules in C, which call MPI by themselves here; polympi's calls are for Python.",
    "land": "The result of arrays has their type, with 0 and 1; so have the results of lor and lxor.",
    "maxloc": "It needs structured arrays of two fields, a value and a place; Scientific.MPI had no type for pairs.",
    "minloc": "It needs structured arrays of two fields, a value and a place; Scientific.MPI had no type for pairs.",
    "prod": "Complex numbers are multiplied as such, not their real and imaginary parts.",
    "replace": "A reduction by it is refused: MPI has it for one-sided communication only, which is not here.",
    "sum": "Integers wrap around in the same way with every MPI library.",
    "world": (
        "An ordinary Python runs scripts, not mpipython; without a launcher world is one rank, which may send to "
        "itself. Arguments may be named data, source, tag and so on. Arrays of all types but objects work, and "
        "strided ones everywhere. A message of another type than the receiver asks for is an MPIError, where its "
        "bytes were taken for numbers. Messages are polympi's own, so all ranks must run it."
    ),
}

__all__ = list(_exports.public(globals()))

TYPE_CHECKING = False
if not TYPE_CHECKING:
    __getattr__ = _missing.refusing(__name__, "Scientific.MPI", DIFFERENCES)
