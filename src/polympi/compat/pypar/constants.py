"""Constants, and what they mean to polympi."""

from __future__ import annotations

import polympi as mpi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polympi.native.core import Op

default_tag = 1  # of messages
control_tag = 13849  # of control information, and of nothing else
control_sep = ":"
control_data_max_size = 64

any_tag = mpi.ANY_TAG
any_source = mpi.ANY_SOURCE

MAX, MIN, SUM, PROD, LAND, BAND, LOR, BOR, LXOR, BXOR = range(1, 11)

OPERATIONS: dict[object, Op] = {
    MAX: mpi.MAX,
    MIN: mpi.MIN,
    SUM: mpi.SUM,
    PROD: mpi.PROD,
    LAND: mpi.LAND,
    BAND: mpi.BAND,
    LOR: mpi.LOR,
    BOR: mpi.BOR,
    LXOR: mpi.LXOR,
    BXOR: mpi.BXOR,
}


def operation(number: int) -> Op:
    """The operation that a number stands for.

    Raises:
        ValueError: it stands for none.
    """
    try:
        found = OPERATIONS.get(number)
    except TypeError:  # it has no hash
        found = None
    if found is None:
        raise ValueError(f"reduce(): there is no operation {number!r}: give one of pypar.MAX, MIN, SUM and the others")
    return found
