"""What uses the processors at a moment, with a program that does."""

import subprocess
import sys

from polympi.lab.environment.competition import busy_metadata


def test_a_program_that_computes_is_seen_while_it_does() -> None:
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        found = busy_metadata()
        assert 0.1 < found["cpus"] <= found["of"] + 0.5
        assert any(cpus > 0.1 for cpus in found["programs"].values())
    finally:
        busy.kill()
        busy.wait()
