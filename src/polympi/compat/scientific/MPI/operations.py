"""What reductions combine arrays by. The names are those of Scientific.MPI, also where Python has others by them."""

from __future__ import annotations

import polympi


class Operation:
    """An operation of a reduction.

    Attributes:
        name: what it is called in Scientific.MPI.
        op: that of polympi; None if there is none.
    """

    def __init__(self, name: str, op: polympi.native.core.Op | None) -> None:
        self.name = name
        self.op = op

    def __repr__(self) -> str:
        return f"<PyMPIOperation at {id(self):#x}: operation = {self.name}>"


max = Operation("max", polympi.MAX)  # noqa: A001
min = Operation("min", polympi.MIN)  # noqa: A001
sum = Operation("sum", polympi.SUM)  # noqa: A001
prod = Operation("prod", polympi.PROD)
land = Operation("land", polympi.LAND)
band = Operation("band", polympi.BAND)
lor = Operation("lor", polympi.LOR)
bor = Operation("bor", polympi.BOR)
lxor = Operation("lxor", polympi.LXOR)
bxor = Operation("bxor", polympi.BXOR)
maxloc = Operation("maxloc", polympi.MAXLOC)
minloc = Operation("minloc", polympi.MINLOC)
replace = Operation("replace", None)

# Those of which arrays of numbers can be reduced, whatever they hold.
PLAIN = frozenset({max, min, sum, prod, land, band, lor, bor, lxor, bxor})
