"""The tables of README.md and docs/interface.md, made of the runs whose commands stand there.

    python benchmarks/doc_tables.py readme RUN
    python benchmarks/doc_tables.py interface RUN FACES_RUN

RUN is the result directory of a run on MPICH and Open MPI. Prints Markdown, to be put in the place of the old tables.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.conclusions.phrases import factor
from polympi.lab.conclusions.rows import Row, rows_of
from polympi.lab.report.cells import SIGNS
from polympi.lab.samples.store import RunDirectory
from polympi.lab.statistics.analysis import analyse
from polympi.lab.units import format_ns

KI, MI = 2**10, 2**20


@dataclass(frozen=True)
class Case:
    """One line (or column) of a table.

    Attributes:
        title: what the page calls it.
        benchmark, payload, size_bytes, mode: what is measured.
        mpich, openmpi: ratios to C of polympi, required and hoped for, on each stack.
    """

    title: str
    benchmark: str
    payload: str
    size_bytes: int
    mode: str = "standard"
    mpich: tuple[float, float] = (0, 0)
    openmpi: tuple[float, float] = (0, 0)


README = [
    Case("8 B", "latency", "bytes", 8),
    Case("1 MiB", "latency", "bytes", MI),
    Case("a dict", "latency", "dict", 24),
    Case("an array of 64 KiB, as an object", "latency", "array", 64 * KI),
    Case("bcast of 8 B", "bcast", "bytes", 8),
    Case("allreduce of 8 B", "allreduce", "float64", 8),
    Case("start to first barrier", "startup", "none", 0, "first-barrier"),
]
README_BINDINGS = ["c-spin", "c-pages", "mpi4py", "mpi4py-object", "polympi", "polympi-object"]

# The targets that were set for the core before it was written, on a machine where C took 0.78 us (MPICH) and 0.30 us
# (Open MPI) for 8 bytes.
BY_SIZE = (1.05, 1.0)
INTERFACE = [
    Case("array of 8 B, `into=`", "latency", "float64", 8, mpich=(0.75, 0.62), openmpi=(1.25, 1.15)),
    Case("1 KiB", "latency", "float64", KI, mpich=(0.8, 0.75), openmpi=(1.2, 1.1)),
    Case("64 KiB", "latency", "float64", 64 * KI, mpich=BY_SIZE, openmpi=BY_SIZE),
    Case("256 KiB", "latency", "float64", 256 * KI, mpich=BY_SIZE, openmpi=BY_SIZE),
    Case("4 MiB", "latency", "float64", 4 * MI, mpich=BY_SIZE, openmpi=BY_SIZE),
    Case("an int", "latency", "int", 8, mpich=(0.8, 0.65), openmpi=(1.5, 1.3)),
    Case("a dict of three", "latency", "dict", 24, mpich=(1.2, 1.0), openmpi=(2.3, 1.8)),
    Case("array of 8 B as an object", "latency", "array", 8, mpich=(1.0, 0.85), openmpi=(2.0, 1.6)),
    Case("array of 4 MiB as an object", "latency", "array", 4 * MI, mpich=(1.2, 1.03), openmpi=(1.2, 1.03)),
    Case("allreduce of a float", "allreduce", "float", 8, mpich=(1.15, 1.05), openmpi=(1.15, 1.05)),
]
FACES = ["contiguous", "rows", "elements"]
FACE_BYTES = 8 * 130**2
FACE_BINDINGS = ("polympi", "c-pack", "mpi4py")

STACKS = {"mpich": "MPICH", "openmpi": "Open MPI"}


class Run:
    """The rows of a run, by what they are about."""

    def __init__(self, folder: Path) -> None:
        analysis = analyse(RunDirectory.open(folder))
        self._libraries = {planned.stack: planned.library for planned in analysis.run.stacks}
        self._rows = {(r.stack, r.binding, r.benchmark, r.mode, r.payload, r.size_bytes): r for r in rows_of(analysis)}

    def row(self, stack: str, binding: str, case: Case) -> Row | None:
        """The row of a binding, which may lack the case."""
        return self._rows.get((stack, binding, case.benchmark, case.mode, case.payload, case.size_bytes))

    def arrays_or_objects(self, stack: str, binding: str, case: Case) -> Row | None:
        """The row of a binding, or of the binding that sends the objects of the same interface."""
        return self.row(stack, binding, case) or self.row(stack, f"{binding}-object", case)

    def title(self, stack: str) -> str:
        """The library and its version, as ``MPICH 5.0.2``."""
        words = self._libraries[stack].replace(",", " ").replace("v", "").split()
        return f"{STACKS[stack]} {next(word for word in words if word[0].isdigit())}"


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _time(row: Row | None) -> str:
    return format_ns(row.median_ns) if row and row.median_ns else "–"


def _verdict(row: Row | None) -> str:
    return f"{SIGNS[row.verdict]} {factor(row.ratio_to_c)} ×" if row and row.ratio_to_c else "–"


def readme(run: Run) -> None:
    """A table for each stack: a binding a line."""
    for stack in STACKS:
        print(_line(run.title(stack), *(case.title for case in README)))
        print("|" + "---|" * (len(README) + 1))
        print(_line("C", *(_time(run.row(stack, "c", case)) for case in README)))
        for binding in README_BINDINGS:
            print(_line(f"`{binding}`", *(_verdict(run.row(stack, binding, case)) for case in README)))
        print()


def _ratio(row: Row | None) -> str:
    if not row or not row.ratio_to_c:
        return "–"
    return f"{row.ratio_to_c:.2f}" if row.ratio_to_c < 10 else f"{row.ratio_to_c:.1f}"


def _with_interval(row: Row | None, required: float | None = None) -> str:
    """The ratio with its interval, in bold where it misses what is required."""
    ratio = _ratio(row)
    if not row or row.ratio_to_c is None or row.ratio_low is None or row.ratio_high is None:
        return ratio
    missed = required is not None and float(ratio) > required
    return f"{f'**{ratio}**' if missed else ratio} ({row.ratio_low:.2f}–{row.ratio_high:.2f})"


def interface(run: Run, faces: Run) -> None:
    """A table for each stack: a case a line, with its targets; and one of faces."""
    for stack in reversed(STACKS):
        print(_line(run.title(stack), "C", "target", "polympi", "mpi4py", "c-spin"))
        print("|---|---|---|---|---|---|")
        for case in INTERFACE:
            required, hoped = case.mpich if stack == "mpich" else case.openmpi
            of = {name: run.arrays_or_objects(stack, name, case) for name in ("polympi", "mpi4py")}
            others = (_ratio(of["mpi4py"]), _ratio(run.row(stack, "c-spin", case)))
            time, target = _time(run.row(stack, "c", case)), f"{required} / {hoped}"
            print(_line(case.title, time, target, _with_interval(of["polympi"], required), *others))
        print()
    print(
        _line(
            "face of a 130³ float64 array",
            *(f"{title}: {b}" for title in reversed(STACKS.values()) for b in FACE_BINDINGS),
        )
    )
    print("|---|---|---|---|---|---|---|")
    for mode in FACES:
        case = Case(mode, "faces", "float64", FACE_BYTES, mode)
        cells = []
        for stack in reversed(STACKS):
            cells.append(_with_interval(faces.row(stack, "polympi", case)))
            cells += [_ratio(faces.row(stack, binding, case)) for binding in FACE_BINDINGS[1:]]
        print(_line(mode, *cells))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["readme", run]:
            readme(Run(Path(run)))
        case ["interface", run, faces]:
            interface(Run(Path(run)), Run(Path(faces)))
        case _:
            sys.exit(__doc__)
