"""Collectives of the facades against polympi's own calls, in one launch of two ranks.

    mpiexec -n 2 python benchmarks/facade_collectives.py
    mpiexec -n 2 python benchmarks/facade_collectives.py --only gather "array of 1 KiB"

As `facades_against_polympi.py`, whose arms take turns in the same way. Here an arm calls a collective twice in each
turn, with root 0 and then with root 1, so that neither rank runs ahead of the other; calls without a root have all
ranks wait for each other anyway. Polympi's own call gives what the facade gives: it receives into an array where the
facade does, and into a new one where the facade gives a new one that holds the parts of all ranks, or one of zeros on
ranks that get nothing.

The planted arms: ``again`` is polympi's own call once more, and must not differ; ``wrapped`` is that call behind one
function of Python, and must, where the message is small.
"""

from __future__ import annotations

import argparse
import operator
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from facades_against_polympi import ARRAYS, PAYLOADS, SEED, Arm, measured, row_of_table

import polympi as mpi
from polympi.compat import boostmpi, mympi, pympi, pypar
from polympi.compat.scientific.MPI import sum as scientific_sum
from polympi.compat.scientific.MPI import world as scientific

world = mpi.world
NOTHING = ["nothing"]
OBJECTS = [name for name in PAYLOADS if name not in ARRAYS]
NUMBERS = [*ARRAYS, "int"]
ANY = [*ARRAYS, *OBJECTS]


@dataclass(frozen=True)
class Kind:
    """Calls that do the same.

    Attributes:
        collective: its name in polympi.
        form: what is special about it.
        payloads: of which there are arms.
        own: polympi's call, whose function is ``call``.
        facades: the same of each, and its function. ``root`` is a number; ``x`` is what a rank gives, ``y`` an array
            for one of these, and ``both`` and ``all_y`` arrays of two; ``pair`` holds two of them, ``listed`` one.
    """

    collective: str
    form: str
    payloads: list[str]
    own: str
    facades: dict[str, tuple[str, Callable[..., Any]]]

    @property
    def named(self) -> str:
        """For the table."""
        return f"{self.collective}, {self.form}" if self.form else self.collective


ROW = "empty(2 * count) if rank == root else None"
W = mympi.MPI_COMM_WORLD
KINDS = [
    Kind(
        "barrier",
        "",
        NOTHING,
        "call()",
        {
            "pypar": ("call()", pypar.barrier),
            "pympi": ("call()", pympi.barrier),
            "mympi": ("call(W)", mympi.mpi_barrier),
            "scientific": ("call()", scientific.barrier),
            "boostmpi": ("call()", boostmpi.world.barrier),
        },
    ),
    Kind(
        "bcast",
        "",
        ANY,
        "call(x, root)",
        {
            "pympi": ("call(x, root)", pympi.bcast),
            "boostmpi": ("call(comm, x, root)", boostmpi.broadcast),
        },
    ),
    Kind("bcast", "", OBJECTS, "call(x, root)", {"pypar": ("call(x, root)", pypar.broadcast)}),
    Kind(
        "bcast",
        "as a new array",
        ARRAYS,
        "call(x, root).copy() if rank == root else call(x, root)",
        {"mympi": ("call(x, count, DOUBLE, root, W)", mympi.mpi_bcast)},
    ),
    Kind(
        "bcast",
        "into an array",
        ARRAYS,
        "call(y, root, into=y)",
        {
            "pypar": ("call(y, root)", pypar.broadcast),
            "scientific": ("call(y, root)", scientific.broadcast),
        },
    ),
    Kind(
        "scatter",
        "of an array",
        ARRAYS,
        "call(both, root)",
        {
            "pypar": ("call(both, root)", pypar.scatter),
            "pympi": ("call(both, root)", pympi.scatter),
            "mympi": ("call(both, count, DOUBLE, count, DOUBLE, root, W)", mympi.mpi_scatter),
        },
    ),
    Kind(
        "scatter",
        "of parts of an array",
        ARRAYS,
        "call(both, root, counts=counts)",
        {"mympi": ("call(both, counts, starts, DOUBLE, count, DOUBLE, root, W)", mympi.mpi_scatterv)},
    ),
    Kind(
        "scatter",
        "into an array",
        ARRAYS,
        "call(both, root, into=y)",
        {"pypar": ("call(both, root, y)", pypar.scatter)},
    ),
    Kind("scatter", "", ANY, "call(pair, root)", {"boostmpi": ("call(comm, pair, root)", boostmpi.scatter)}),
    Kind(
        "scatter",
        "of lists",
        OBJECTS,
        "call([pair[:1], pair[1:]], root)",
        {"pympi": ("call(pair, root)", pympi.scatter)},
    ),
    Kind(
        "scatter",
        "of a text",
        ["str"],
        "call([x[:15], x[15:]], root)",
        {"pypar": ("call(x, root)", pypar.scatter), "pympi": ("call(x, root)", pympi.scatter)},
    ),
    Kind("gather", "", ANY, "call(x, root)", {"boostmpi": ("call(comm, x, root)", boostmpi.gather)}),
    Kind("gather", "of lists", OBJECTS, "call(listed, root)", {"pympi": ("call(listed, None, root)", pympi.gather)}),
    Kind(
        "gather",
        "of an array's items",
        ARRAYS,
        "list(chain.from_iterable(call(x, root) or ()))",
        {"pympi": ("call(x, None, root)", pympi.gather)},
    ),
    Kind("gather", "of texts", ["str"], "''.join(call(x, root) or ())", {"pypar": ("call(x, root)", pypar.gather)}),
    Kind(
        "gather",
        "into an array",
        ARRAYS,
        "call(x, root, into=all_y)",
        {"pypar": ("call(x, root, all_y)", pypar.gather)},
    ),
    Kind(
        "gather",
        "as a new array",
        ARRAYS,
        f"call(x, root, into={ROW})",
        {
            "mympi": ("call(x, count, DOUBLE, count, DOUBLE, root, W)", mympi.mpi_gather),
        },
    ),
    Kind(
        "gather",
        "as new arrays on both",
        ARRAYS,
        "call(x, root, into=zeros(2 * count))",
        {"pypar": ("call(x, root)", pypar.gather)},
    ),
    Kind(
        "gather",
        "of parts of an array",
        ARRAYS,
        f"call(x, root, into={ROW})",
        {"mympi": ("call(x, count, DOUBLE, counts, starts, DOUBLE, root, W)", mympi.mpi_gatherv)},
    ),
    Kind("allgather", "", ANY, "call(x)", {"boostmpi": ("call(comm, x)", boostmpi.all_gather)}),
    Kind("allgather", "of lists", OBJECTS, "call(listed)", {"pympi": ("call(listed)", pympi.allgather)}),
    Kind(
        "allgather",
        "of an array's items",
        ARRAYS,
        "list(chain.from_iterable(call(x)))",
        {"pympi": ("call(x)", pympi.allgather)},
    ),
    Kind(
        "allgather",
        "into an array",
        ARRAYS,
        "call(x, into=all_y)",
        {"scientific": ("call(x, rows)", scientific.share)},
    ),
    Kind("alltoall", "", ANY, "call(pair)", {"boostmpi": ("call(comm, pair)", boostmpi.all_to_all)}),
    Kind(
        "alltoall",
        "as a new array",
        ARRAYS,
        "call(both, into=empty(2 * count))",
        {"mympi": ("call(both, count, DOUBLE, count, DOUBLE, W)", mympi.mpi_alltoall)},
    ),
    Kind(
        "alltoall",
        "of parts of an array",
        ARRAYS,
        "call(both, counts=counts, into=empty(2 * count))",
        {"mympi": ("call(both, counts, starts, DOUBLE, counts, starts, DOUBLE, W)", mympi.mpi_alltoallv)},
    ),
    Kind(
        "reduce",
        "",
        NUMBERS,
        "call(x, SUM, root)",
        {
            "pympi": ("call(x, pympi_SUM, root)", pympi.reduce),
            "boostmpi": ("call(comm, x, add, root)", boostmpi.reduce),
        },
    ),
    Kind(
        "reduce",
        "as a new array",
        ARRAYS,
        "call(x, SUM, root)",
        {"mympi": ("call(x, count, DOUBLE, mympi_SUM, root, W)", mympi.mpi_reduce)},
    ),
    Kind(
        "reduce",
        "as new arrays on both",
        ARRAYS,
        "call(x, SUM, root, into=zeros(count))",
        {"pypar": ("call(x, pypar_SUM, root)", pypar.reduce)},
    ),
    Kind(
        "reduce",
        "into an array",
        ARRAYS,
        "call(x, SUM, root, into=y)",
        {
            "pypar": ("call(x, pypar_SUM, root, y)", pypar.reduce),
            "scientific": ("call(x, y, scientific_sum, root)", scientific.reduce),
        },
    ),
    Kind(
        "allreduce",
        "",
        NUMBERS,
        "call(x, SUM)",
        {
            "pympi": ("call(x, pympi_SUM)", pympi.allreduce),
            "boostmpi": ("call(comm, x, add)", boostmpi.all_reduce),
        },
    ),
    Kind(
        "allreduce",
        "into an array",
        ARRAYS,
        "call(x, SUM, into=y)",
        {"scientific": ("call(x, y, scientific_sum)", scientific.allreduce)},
    ),
    Kind(
        "scan",
        "",
        NUMBERS,
        "call(x, SUM)",
        {"pympi": ("call(x, pympi_SUM)", pympi.scan), "boostmpi": ("call(comm, x, add)", boostmpi.scan)},
    ),
]
LOOP = """
def call_twice(turns, first):
    for _ in range(turns):
        {with_root_0}
        {with_root_1}
"""


def arm(name: str, statement: str, call: Callable[..., Any], payload: Any) -> Arm:
    """The loop of an arm: what it uses is found as fast in all of them."""
    is_array = isinstance(payload, np.ndarray)
    count = payload.size if is_array else 0
    names: dict[str, Any] = {
        "rank": world.rank,
        "call": call,
        "comm": boostmpi.world,
        "x": payload,
        "y": np.zeros_like(payload) if is_array else None,
        "both": np.concatenate([payload, payload]) if is_array else None,
        "all_y": np.zeros(2 * count) if is_array else None,
        "rows": np.zeros((2, count)) if is_array else None,
        "pair": [payload, payload],
        "listed": [payload],
        "count": count,
        "counts": [count, count],
        "starts": [0, count],
        "empty": np.empty,
        "zeros": np.zeros,
        "chain": chain,
        "W": W,
        "DOUBLE": mympi.MPI_DOUBLE,
        "SUM": mpi.SUM,
        "pypar_SUM": pypar.SUM,
        "pympi_SUM": pympi.SUM,
        "mympi_SUM": mympi.MPI_SUM,
        "scientific_sum": scientific_sum,
        "add": operator.add,
    }
    statements = {f"with_root_{root}": statement.replace("root", str(root)) for root in (0, 1)}
    exec(LOOP.format(**statements), names)  # the text is above
    return Arm(name, "", names["call_twice"])


def behind(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call behind a function of Python."""

    def wrapped(*given: Any, **named: Any) -> Any:
        return call(*given, **named)

    return wrapped


def arms(kind: Kind, payload: Any) -> list[Arm]:
    """Those of a kind and a payload, polympi's own first."""
    own = getattr(world, kind.collective)
    return [
        arm("polympi", kind.own, own, payload),
        arm("again", kind.own, own, payload),
        arm("wrapped", kind.own, behind(own), payload),
        *(arm(name, statement, call, payload) for name, (statement, call) in kind.facades.items()),
    ]


def main() -> None:
    """Measure each kind of calls and print its rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("payloads", nargs="*", metavar="PAYLOAD", help=", ".join(["nothing", *PAYLOADS]))
    parser.add_argument("--only", action="append", metavar="COLLECTIVE", help="may be given several times")
    parser.add_argument("--rounds", type=int, default=31)
    options = parser.parse_args()
    if world.size != 2:
        sys.exit(f"This program needs two ranks, and was started with {world.size}.")
    mympi.mpi_init(len(sys.argv), sys.argv)
    order = random.Random(SEED)  # the same on both ranks
    if world.rank == 0:
        print(mpi.library_version().splitlines()[0])
        print("| call | message | by | polympi, ns | this, ns | ratio | 95 % |\n|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for payload_name in kind.payloads:
            asked = not options.payloads or payload_name in options.payloads
            if asked and (not options.only or kind.collective in options.only):
                payload = PAYLOADS[payload_name]() if payload_name in PAYLOADS else None
                own, *others = measured(arms(kind, payload), options.rounds, order)
                for one in others if world.rank == 0 else ():
                    print(f"| {kind.named} {row_of_table(payload_name, own, one)}", flush=True)


if __name__ == "__main__":
    main()
