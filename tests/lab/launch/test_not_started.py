"""A launcher that cannot reach a host is distinguished from a program that fails, by what launchers really say."""

import pytest

from polympi.lab.launch.not_started import not_started

PRRTE = """\
------------------------------------------------------------
A daemon failed to report back after being spawned. This could
be due to several factors, including inability to find the
daemon executable, or the executable was unable to find its
required supporting libraries.

  Local host:    hosta
  Remote host:   hostb
  Daemon exit status: 213
"""
HYDRA = """\
[mpiexec@hosta] ui_cmd_cb (/src/pm/hydra/mpiexec/pmiserv_pmci.c:51): Launch proxy failed.
[mpiexec@hosta] main (/src/pm/hydra/mpiexec/mpiexec.c:270): process manager error waiting for completion
"""
ORTE = """\
ORTE was unable to reliably start one or more daemons.
This usually is caused by:
"""
SRUN = "srun: error: Task launch for StepId=7.0 failed on node hostb: Communication connection failure\n"


@pytest.mark.parametrize(
    ("said", "reported"),
    [
        (PRRTE, "on hostb: 'A daemon failed to report back'"),
        (HYDRA, "it: 'Launch proxy failed'"),
        ("kex_exchange_identification: Connection closed by remote host\n" + HYDRA, "it: 'kex_exchange_identific"),
        ("ssh: connect to host hostb port 22: Connection refused\n" + PRRTE, "on hostb: 'ssh: connect to host hostb"),
        (ORTE, "it: 'unable to reliably start one or more daemons'"),
        (SRUN, "it: 'srun: error: Task launch for'"),
    ],
)
def test_a_launcher_that_does_not_reach_a_host_is_known(said: str, reported: str) -> None:
    reason = not_started(said)
    assert reason is not None
    assert reason.startswith("the launcher could not start it")
    assert reported in reason


@pytest.mark.parametrize(
    "said",
    [
        "",
        "Traceback (most recent call last):\nModuleNotFoundError: No module named 'numpy'\n",
        "ssh: connect to host licences port 22: Connection refused\n",  # of a program that calls ssh itself
        "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\nEXIT CODE: 139\n",
    ],
)
def test_a_program_that_fails_is_not_taken_for_it(said: str) -> None:
    assert not_started(said) is None
