"""How long does somebody wait for an answer who has uv and a folder of wheels, and nothing of polympi yet?

    make wheels && pip install uv
    python benchmarks/first_answer.py --profile glance

runs ``uvx --find-links wheelhouse --from 'polympi[lab]' polympi run`` with these options of the run at a terminal of
its own, in an empty home folder with an empty cache, so that every package is downloaded and an MPI is installed. It
prints what appeared on the screen after how many seconds, and exits with 1 if the first ratios took more than 60 s, or
the answer more than 90 s.
"""

import os
import pty
import re
import select
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
GOALS_S = {"first ratios": 60.0, "answer": 90.0}
STEPS = {  # what is on the screen when a step begins, in their order
    "laboratory installed, installing MPI": "no MPI stack is installed yet",
    "MPI installed, checking it": "checking the compiler and the launcher",
    "installing mpi4py and NumPy": "installing mpi4py",
    "compiling C": "building c for",
    "building polympi": "building polympi for",
    "measuring": "calibrating",
    "first ratios": "so far",
    "last block measured": "complete:",
    "answer": "slower than C",
    "report written": "report.html",
}
TIMEOUT_S = 600


def watched(command: list[str], folder: Path, variables: dict[str, str]) -> dict[str, float]:
    """Run a command at a terminal and say after how many seconds each step was on its screen; ends with it."""
    began, text, seen = time.monotonic(), "", dict[str, float]()
    pid, screen = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, {**os.environ, **variables})
    while time.monotonic() - began < TIMEOUT_S:
        if not select.select([screen], [], [], 1.0)[0]:
            continue
        try:
            read = os.read(screen, 65536)
        except OSError:  # nobody writes any longer
            break
        text += read.decode(errors="replace")
        now = time.monotonic() - began
        for step, pattern in STEPS.items():
            if step not in seen and re.search(pattern, text):
                seen[step] = now
    else:
        os.kill(pid, 15)
    _, status = os.waitpid(pid, 0)
    seen["end"] = time.monotonic() - began
    if os.waitstatus_to_exitcode(status):
        sys.exit(f"{' '.join(command)} failed:\n{text[-2000:]}")
    return seen


def main() -> None:
    """The command line: its arguments are options of ``polympi run``."""
    with tempfile.TemporaryDirectory() as home:
        wheels = ["--find-links", str(REPOSITORY / "wheelhouse")]
        command = ["uvx", *wheels, "--from", "polympi[lab]", "polympi", "run", *sys.argv[1:]]
        variables = {"HOME": home, "COLUMNS": "120", "TERM": "xterm"}
        variables |= {name: f"{home}/{name}" for name in ("UV_CACHE_DIR", "PIP_CACHE_DIR", "XDG_DATA_HOME")}
        seen = watched(command, Path(home), variables)
    for step, seconds in seen.items():
        print(f"{seconds:6.1f} s  {step}")
    if missed := [step for step, goal in GOALS_S.items() if not seen.get(step, goal + 1) <= goal]:
        sys.exit(f"Too late: {', '.join(missed)}.")


if __name__ == "__main__":
    main()
