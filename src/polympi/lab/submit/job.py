"""A job that was submitted: where its files are, and what is known of it."""

from pathlib import Path

import msgspec

from polympi.lab.decoding import read_record, write_record
from polympi.lab.errors import UsageError

RECORD, SCRIPT, OUTPUT, HOSTS = "job.json", "batch.sh", "output.txt", "hosts"
# In the environment of a job: how polympi is called to run in one like it, for a run that says how it is continued.
SUBMITS = "POLYMPI_SUBMITS"


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A job."""

    number: str  # what the scheduler calls it
    scheduler: str  # the scheduler
    result: str  # the result directory of its run
    options: list[str] = []  # those of `polympi submit`, for a job like it


def job_folder(result: Path) -> Path:
    """Where the files of a job are: next to its result directory, the first unused name."""
    plain = result.with_name(f"{result.name}.job")
    number, folder = 1, plain
    while folder.exists():
        number += 1
        folder = plain.with_name(f"{plain.name}{number}")
    return folder


def remember(job: Job, folder: Path) -> None:
    """Write the record of a job, by which it is followed again."""
    write_record(folder / RECORD, job)


def recorded_job(folder: Path) -> Job:
    """The job whose files are in a folder."""
    path = folder / RECORD
    if not path.is_file():
        raise UsageError(f"'{folder}' is not the folder of a job: 'polympi submit' makes one, DIR.job, and says where.")
    try:
        return read_record(path, Job)
    except ValueError as error:
        raise UsageError(f"The record of a job, '{path}', is damaged: {error}.") from error
