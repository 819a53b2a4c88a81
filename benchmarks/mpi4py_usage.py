"""How many programs that use mpi4py polympi's own interface serves, from a table of what these programs use.

    python benchmarks/mpi4py_usage.py usage.csv

The table has a row per capability: its name, the number of programs that use it (the header says of how many,
``programs_of_80``), and the names of the programs where these are few. A capability is covered if this checkout's
polympi has all names that stand in for it in polympi.lab.conclusions.interfaces, and experimental, which counts as
missing in the first figure, if these haven't run yet on what they are for. So the figures follow the interface;
but a row is wide, and a program may use a part of a covered one that polympi lacks.
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
from polympi.lab.conclusions.interfaces import COUNTERPARTS, EXPERIMENTAL


@dataclass(frozen=True)
class Capability:
    """A row of the table."""

    name: str
    count: int
    programs: frozenset[str]  # that use it; empty if the table doesn't name them

    @property
    def status(self) -> str:
        """Whether polympi has all that stands in for it."""
        names = COUNTERPARTS[self.name]
        if not (names and all(map(exists, names))):
            return "missing"
        return "experimental" if self.name in EXPERIMENTAL else "covered"


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


def served(programs: int, missing: list[Capability]) -> tuple[int, int]:
    """The least and the most programs that use none of what is missing; the table may not name all of them."""
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
        print(f"{capability.count:4}  {capability.status:14}{capability.name}")
    for usable, what in ({"covered"}, "covered"), ({"covered", "experimental"}, "covered or experimental"):
        missing = [capability for capability in capabilities if capability.status not in usable]
        least, most = served(programs, missing)
        number = str(least) if least == most else f"{least} to {most}"
        print(f"\n{len(capabilities) - len(missing)} of {len(capabilities)} capabilities are {what}")
        print(f"{number} of {programs} programs use nothing else")


if __name__ == "__main__":
    main()
