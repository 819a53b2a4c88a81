"""Operations of reductions: numbers that stand for those of polympi."""

from __future__ import annotations

import polympi
from polympi.compat.mympi import errors
from polympi.compat.mympi.errors import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polympi.compat.mympi.datatypes import Array
    from polympi.native.core import Op

(
    MPI_MAX,
    MPI_MIN,
    MPI_SUM,
    MPI_PROD,
    MPI_LAND,
    MPI_BAND,
    MPI_LOR,
    MPI_BOR,
    MPI_LXOR,
    MPI_BXOR,
    MPI_MINLOC,
    MPI_MAXLOC,
) = range(2001, 2013)

_OPERATIONS: dict[int, Op] = {
    MPI_MAX: polympi.MAX,
    MPI_MIN: polympi.MIN,
    MPI_SUM: polympi.SUM,
    MPI_PROD: polympi.PROD,
    MPI_LAND: polympi.LAND,
    MPI_BAND: polympi.BAND,
    MPI_LOR: polympi.LOR,
    MPI_BOR: polympi.BOR,
    MPI_LXOR: polympi.LXOR,
    MPI_BXOR: polympi.BXOR,
    MPI_MINLOC: polympi.MINLOC,
    MPI_MAXLOC: polympi.MAXLOC,
}


def operation(op: int, array: Array, call: str) -> Op:
    """The operation that a number stands for.

    Raises:
        error: there is none, or it does not combine elements of this type.
    """
    try:
        found = _OPERATIONS.get(op)
    except TypeError:  # it has no hash
        found = None
    if found is None:
        refuse(call, f"there is no operation {op!r}: give one like MPI_SUM or MPI_MAX", errors.OP)
    pairs = op in (MPI_MINLOC, MPI_MAXLOC)
    if pairs != (array.dtype.names is not None):
        refuse(
            call,
            "MPI_MINLOC and MPI_MAXLOC combine pairs, and no other operation does: give them a datatype like "
            "MPI_DOUBLE_INT, and others one like MPI_DOUBLE",
            errors.OP,
        )
    if array.dtype.kind in "SU":
        refuse(call, "characters cannot be combined: give them as MPI_BYTE", errors.OP)
    return found
