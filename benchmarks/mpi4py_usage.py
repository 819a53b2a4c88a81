"""How many programs that use mpi4py polympi's own interface serves, from a table of what these programs use.

    python benchmarks/mpi4py_usage.py usage.csv

The table has a row per capability: its name, the number of programs that use it (the header says of how many,
``programs_of_80``), and the names of the programs where these are few. A capability is covered if this checkout's
polympi has all names that stand in for it. So the figures follow the interface; but a row is wide, and a program may
use a part of a covered one that polympi lacks.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import polympi

# What a program calls in polympi for each capability: what does the same, or makes it superfluous. (): nothing.
COUNTERPARTS = {
    "collectives of objects": ("Communicator.bcast", "Communicator.gather", "Communicator.allreduce"),
    "barrier": ("Communicator.barrier",),
    "collectives of buffers": ("Communicator.bcast", "Communicator.gather", "Communicator.allreduce"),
    "p2p objects": ("Communicator.send", "Communicator.recv"),
    "Split": ("Communicator.split",),
    "p2p buffers": ("Communicator.send", "Communicator.recv"),
    "v-collectives with counts": ("Communicator.scatter", "Communicator.gather", "Communicator.alltoall"),
    "Abort": ("abort",),
    "nonblocking p2p": ("Communicator.isend", "Communicator.irecv"),
    "COMM_SELF": ("self_world",),
    "Init/Finalize by hand": ("init", "finalize"),
    "groups (Get_group, Incl, Create_group)": ("Communicator.subset", "Communicator.translate"),
    "C/Fortran handle (py2f,_addressof,handleof)": ("Communicator.handle", "Communicator.fortran_handle"),
    "numpy<->MPI type table (_typedict)": ("Communicator.send",),
    "excepthook that aborts / -m mpi4py": ("init",),
    "Dup/Clone": ("Communicator.dup",),
    "derived datatypes": ("Communicator.send", "File.write_at_all"),  # of views, structured dtypes, a[indices]
    "cupy/GPU in an mpi4py file": (),
    "IN_PLACE": ("Communicator.allreduce",),
    "Split_type": ("Communicator.split_by_host",),
    "probe": ("Communicator.probe", "Communicator.iprobe"),
    "cart": ("Communicator.cart",),
    "rc settings": ("init",),
    "waitall": ("wait_all",),
    "Op.Create or custom": ("op",),
    "nonblocking collectives": ("Communicator.ibcast", "Communicator.iallreduce", "Communicator.ibarrier"),
    "processor name": ("processor_name",),
    "library version": ("library_version",),
    "info": ("Communicator.open",),  # hints
    "Wtime": ("world",),
    "intercomm create/merge": ("Communicator.create_intercomm",),
    "reduce_scatter": ("Communicator.reduce_scatter",),
    "RMA": ("Communicator.window", "Window.put", "Window.get", "Window.lock", "Window.fence"),
    "MPI-IO": ("Communicator.open", "File.read_at_all", "File.write_at_all", "File.size", "File.resize", "File.sync"),
    "spawn/get_parent": ("spawn", "parent"),
    "futures pool": (),
    "pkl5": ("Communicator.send",),
    "attributes/keyvals": ("Communicator.attributes",),
    "alltoallw": ("Communicator.alltoall", "Communicator.plan"),
    "shared-memory window": ("Communicator.shared", "Communicator.split_by_host"),
    "neighbourhood coll": ("Graph.neighbor_alltoall",),
    "persistent p2p": ("Communicator.plan",),
    "persistent coll": (),
    "Waitany/Testall/Waitsome": ("wait_any", "test_all"),
}


@dataclass(frozen=True)
class Capability:
    """A row of the table."""

    name: str
    count: int
    programs: frozenset[str]  # that use it; empty if the table doesn't name them

    @property
    def covered(self) -> bool:
        """Whether polympi has all that stands in for it."""
        names = COUNTERPARTS[self.name]
        return bool(names) and all(map(exists, names))


def exists(name: str) -> bool:
    """Whether `import polympi` has this public name; nothing is started."""
    owner, _, member = name.rpartition(".")
    if not owner:
        return name in polympi.__all__
    return owner in polympi.__all__ and hasattr(getattr(polympi, owner), member)


def read(path: Path) -> tuple[int, list[Capability]]:
    """How many programs were looked at, and what they use."""
    with path.open(newline="") as file:
        rows = csv.DictReader(file)
        header = rows.fieldnames or []
        counted = next((name for name in header if re.fullmatch(r"programs_of_\d+", name)), None)
        if counted is None or not {"capability", "programs_where_few"} <= set(header):
            sys.exit(
                f"{path} has the columns {', '.join(header)}: capability, programs_of_N and programs_where_few needed"
            )
        found = [
            Capability(row["capability"], int(row[counted]), frozenset(row["programs_where_few"].split()))
            for row in rows
        ]
    if unknown := [capability.name for capability in found if capability.name not in COUNTERPARTS]:
        sys.exit(f"{path} has capabilities that COUNTERPARTS doesn't: {', '.join(unknown)}: add them there")
    return int(counted.rpartition("_")[2]), found


def served(programs: int, capabilities: list[Capability]) -> tuple[int, int]:
    """The least and the most programs that use nothing but what is covered; the table may not name all of them."""
    missing = [capability for capability in capabilities if not capability.covered]
    named = len(frozenset().union(*(capability.programs for capability in missing)))
    unnamed = [capability.count for capability in missing if not capability.programs]
    return max(0, programs - named - sum(unnamed)), programs - max([named, *unnamed])


def main() -> None:
    """Print the table with what is covered, and how many programs that serves."""
    os.environ.setdefault("POLYMPI_BACKEND", "serial")  # no MPI library is needed to look
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", type=Path)
    programs, capabilities = read(parser.parse_args().table)
    for capability in capabilities:
        print(f"{capability.count:4}  {'covered' if capability.covered else 'missing':8}{capability.name}")
    least, most = served(programs, capabilities)
    covered = sum(capability.covered for capability in capabilities)
    print(f"\n{covered} of {len(capabilities)} capabilities are covered")
    number = str(least) if least == most else f"{least} to {most}"
    print(f"{number} of {programs} programs use nothing else")


if __name__ == "__main__":
    main()
