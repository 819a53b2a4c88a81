"""Watches a job that runs, and says who waits for whom once nothing happens any more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from polympi.lab.audit.files import ENDING, RankFile
from polympi.lab.audit.job import Job, newest_job, read_job
from polympi.lab.audit.look import look, progress_of, remember
from polympi.lab.audit.processes import Processes
from polympi.lab.audit.roll_call import RollCall, call_roll, lines
from polympi.lab.audit.sites import SiteNames
from polympi.lab.audit.words import seconds_text
from polympi.lab.errors import ResultError

AGAIN_S = 10.0  # between looks at a job without progress, of which only the processes can change
SURE_S = 1.0  # a rank that has made progress since then was only on its way
Say = Callable[[str], None]


@dataclass
class Watcher:
    """Reads the files of a folder whenever `tick` is called, about once a second."""

    folder: Path
    stall: float  # seconds without progress after which it says who waits for whom
    say: Say
    clock: Callable[[], float] = time.monotonic
    _names: SiteNames = field(default_factory=SiteNames)
    _processes: Processes = field(default_factory=Processes)
    _files: dict[Path, RankFile] = field(default_factory=dict)
    _progress: object = None
    _since: float = 0.0  # when the last progress was seen
    _again: float = 0.0  # when a job without progress is looked at again
    _said: object = None  # what the last roll call was about

    def tick(self) -> RollCall | None:
        """Look whether ranks make progress; a roll call if they have made none for long enough, else None."""
        job = self._job()
        if job is None:
            return None
        now = self.clock()
        progress = progress_of(job)
        for file in job.files:
            remember(file, self._processes)
        if progress != self._progress:
            self._progress, self._since, self._again = progress, now, now
            return None
        if now - self._since < self.stall or now < self._again:
            return None
        roll = self._roll(job)
        if roll.verdict is None or progress_of(job) != progress:  # ranks are read one after the other, and may go on
            return None
        self._again = now + AGAIN_S
        if roll.signature != self._said:
            self._said = roll.signature
            self._print(roll, f"polympi audit: no progress for {seconds_text(now - self._since)}")
        return roll

    def call(self, reason: str) -> RollCall | None:
        """Print the roll call now, without a verdict if the job makes progress; None if no rank has begun."""
        job = self._job()
        if job is None:
            self.say(f"polympi audit: {reason}; no rank has got through MPI's initialization.")
            return None
        roll = self._roll(job)
        moves = progress_of(job) != self._progress or self.clock() - self._since < SURE_S
        roll = replace(roll, verdict=None) if moves else roll
        self._print(roll, f"polympi audit: {reason}{'; the job makes progress' if moves else ''}")
        return roll

    def _job(self) -> Job | None:
        for path in sorted(self.folder.glob(f"*{ENDING}")):
            known = self._files.get(path)
            try:
                if known is None or len(known.data) != path.stat().st_size:
                    self._files[path] = RankFile(path)
            except (ResultError, OSError, ValueError):  # its rank has only just made it
                continue
        begun = [file for file in self._files.values() if file.rank >= 0]
        return newest_job(self.folder, begun) if begun else None

    def _roll(self, job: Job) -> RollCall:
        return call_roll(look(job, self._names, self._processes))

    def _print(self, roll: RollCall, title: str) -> None:
        self.say("\n".join(lines(roll, title)))


def look_twice(folder: Path, apart: float) -> tuple[RollCall, bool]:
    """The roll call of the newest job in a folder, and whether it makes progress; if it does, without a verdict.

    Args:
        folder: where its files are.
        apart: seconds between the two looks that tell.
    """
    job, names, processes = read_job(folder), SiteNames(), Processes()
    before = progress_of(job)
    look(job, names, processes)
    time.sleep(apart)
    roll = call_roll(look(job, names, processes))
    moves = progress_of(job) != before
    return (replace(roll, verdict=None) if moves else roll), moves
