"""The files of a folder that belong to one job."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.audit.files import ENDING, RankFile
from polympi.lab.errors import ResultError


@dataclass(frozen=True)
class Job:
    """The ranks of one MPI_COMM_WORLD, in their order."""

    folder: Path
    files: tuple[RankFile, ...]
    size: int  # of MPI_COMM_WORLD
    notes: tuple[str, ...]

    @property
    def missing(self) -> tuple[int, ...]:
        """Ranks that have no file."""
        return tuple(sorted(set(range(self.size)) - {file.rank for file in self.files}))


def read_job(folder: Path) -> Job:
    """The newest job in a folder. ResultError if there is none, or if two of its files claim the same rank."""
    if not folder.is_dir():
        raise ResultError(f"There is no folder '{folder}'.")
    files = [RankFile(path) for path in sorted(folder.glob(f"*{ENDING}"))]
    if not files:
        raise ResultError(
            f"'{folder}' has no file of a rank: the program did not start MPI, or it is linked statically."
        )
    begun = [file for file in files if file.rank >= 0]
    if not begun:
        raise ResultError(f"No process of '{folder}' got through MPI's initialization.")
    return newest_job(folder, begun, len(files) - len(begun))


def newest_job(folder: Path, begun: Sequence[RankFile], before: int = 0) -> Job:
    """The job of these files that began last.

    Args:
        folder: where they are.
        begun: files of ranks that have got through MPI's initialization.
        before: how many have not.
    """
    jobs: dict[int, list[RankFile]] = {}
    for file in begun:
        jobs.setdefault(int(file.header["world"]), []).append(file)
    chosen = max(jobs.values(), key=lambda files: max(int(file.header["started_ns"]) for file in files))
    chosen.sort(key=lambda file: file.rank)
    for one, next_one in itertools.pairwise(chosen):
        if one.rank == next_one.rank:
            raise ResultError(
                f"'{folder}' mixes files of several jobs: '{one.path.name}' and '{next_one.path.name}' both are rank "
                f"{one.rank}. Keep the files of one job in it."
            )
    notes = []
    if len(jobs) > 1:
        notes.append(f"The folder has files of {len(jobs)} jobs; this is the one that began last.")
    if before:
        notes.append(f"{before} processes did not get through MPI's initialization.")
    return Job(folder, tuple(chosen), int(chosen[0].header["ranks"]), tuple(notes))
