"""A rank ended by SIGBUS is reported with its host, as launchers really report it."""

import pytest

from polympi.lab.launch.launcher import bus_error_words
from polympi.lab.process import Ended

HYDRA = """\
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 31063 RUNNING AT hostb
=   EXIT CODE: 7
=   CLEANING UP REMAINING PROCESSES
"""
HYDRA_HERE = "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Bus error (signal 7)\n"
PRRTE = """\
prterun noticed that process rank 2 with PID 3088 on node hostb exited on
signal 7 (Bus error).
"""
ON_HOSTB = " (a rank on hostb was ended by SIGBUS, as where /dev/shm is full)"


@pytest.mark.parametrize(
    ("exit_code", "said", "words"),
    [
        (255, HYDRA, ON_HOSTB),
        (135, PRRTE, ON_HOSTB),
        (7, HYDRA_HERE, " (a rank was ended by SIGBUS, as where /dev/shm is full)"),
        (7, HYDRA, ""),  # the program's own code
        (255, HYDRA.replace(": 7", ": 77"), ""),
        (139, PRRTE.replace("signal 7 (Bus error)", "signal 11 (Segmentation fault)"), ""),
    ],
)
def test_a_rank_that_was_ended_by_sigbus_is_reported(exit_code: int, said: str, words: str) -> None:
    assert bus_error_words(Ended(exit_code, 0, 0, said)) == words
