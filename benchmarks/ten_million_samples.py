"""How long, and how much memory, a report of ten million samples takes.

    python benchmarks/ten_million_samples.py

makes a result directory of that size (``large_run.py``), then measures the analysis alone and ``polympi report DIR
--html``, each in a process of its own. Exits with 1 if the report takes more than 10 s or more than 1 GB. The times
mean something only if nothing else is running.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MOST_SECONDS = 10.0  # what a person waits for without doing something else
MOST_BYTES = 1_000_000_000  # what is free on the smallest machines that people measure on


def main() -> int:
    """Measure, print, and judge."""
    large_run = [sys.executable, str(Path(__file__).with_name("large_run.py"))]
    polympi = str(Path(sys.executable).with_name("polympi"))
    with tempfile.TemporaryDirectory() as folder:
        directory = str(Path(folder) / "run")
        measure("make the samples", [*large_run, "make", directory])
        measure("analyse", [*large_run, "analyse", directory])
        seconds, peak = measure("polympi report --html", [polympi, "report", directory, "--html"])
    return int(seconds > MOST_SECONDS or peak > MOST_BYTES)


def measure(what: str, command: list[str]) -> tuple[float, int]:
    """Wall time in s and peak resident memory in bytes of a command.

    This process imports nothing large: Linux counts the memory of the parent at the start as the child's.
    """
    begin = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds, peak = time.perf_counter() - begin, usage.ru_maxrss * 1024
    processor = usage.ru_utime + usage.ru_stime
    print(f"{what:24} {seconds:6.2f} s   {processor:6.2f} s of processor   {peak / 1e6:7.0f} MB", flush=True)
    if process.returncode != 0:
        sys.exit(f"'{' '.join(command)}' failed with exit code {process.returncode}.")
    return seconds, peak


if __name__ == "__main__":
    sys.exit(main())
