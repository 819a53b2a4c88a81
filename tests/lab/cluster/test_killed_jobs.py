"""Jobs of Slurm that end without time to stop in order: what happened is reported, and what was measured is kept."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from cluster_steps import run_of_job, until_a_block_is_measured
from short_runs import ONE_CASE

from polympi.lab.cluster import manage, slurm
from polympi.lab.cluster.cluster import Cluster
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

RUN = ["run", *ONE_CASE, "--launch-timeout", "5m"]  # other tests run beside
EXEC = ["cluster", "exec", "--name", "t", "--"]
SUBMIT = [*EXEC, sys.executable, "-m", "polympi", "submit", "--time", "10m"]
LOST_S = 20  # without an answer, a host is lost: sooner than for users, who have other work beside
KILLED_S = 2  # from the time limit to the end of a job that goes on; Slurm's own half a minute tells nothing more
# Slurm then looks every second how much memory a job takes, where it has no control groups.
COUNTS_MEMORY = (
    "JobAcctGatherType=jobacct_gather/linux\nJobAcctGatherFrequency=task=1\nJobAcctGatherParams=OverMemoryKill\n"
    "SelectTypeParameters=CR_CPU_Memory\nNodeName=DEFAULT RealMemory=2000"
)


class Drill:
    """A job that has measured a block, for tests to kill.

    Attributes:
        number: of the job.
        out: its result directory.
    """

    def __init__(self, polympi, cluster: Cluster, stack: Stack, folder: Path) -> None:
        self.out, self._cluster = folder / "out", cluster
        self._running: subprocess.Popen[str] = polympi.begin(
            *SUBMIT, "--", *RUN, "--stack", stack.name, "-o", str(self.out)
        )
        until_a_block_is_measured(self.out, self._running)
        self.number: str = json.loads((folder / "out.job" / "job.json").read_text())["number"]
        self.blocks = RunDirectory.open(self.out).launches()[-1].block

    def shell(self) -> psutil.Process:
        return run_of_job(self._cluster, self.out)

    def end(self) -> tuple[int, str]:
        """The exit code of the follower, and its last sentence."""
        out, err = self._running.communicate(timeout=220)
        assert err, out
        return self._running.returncode, err.splitlines()[-1] or err.splitlines()[-2]

    def kept(self) -> bool:
        launches = RunDirectory.open(self.out).launches()
        return not RunDirectory.open(self.out).damaged_lines() and launches[-1].block >= self.blocks >= 1


def configure(monkeypatch: pytest.MonkeyPatch, line: str, instead: str) -> None:
    """Give clusters that are made later another line in their configuration of Slurm."""
    assert line in slurm._CONFIGURATION
    monkeypatch.setattr(slurm, "_CONFIGURATION", slurm._CONFIGURATION.replace(line, instead))


def start(polympi, stack: Stack, folder: Path) -> tuple[Cluster, Drill]:
    """A cluster of two hosts with Slurm, and a job on it."""
    if reason := slurm.why_not():
        pytest.skip(reason)
    cluster = manage.up("t", 2, slurm=True)
    return cluster, Drill(polympi, cluster, stack, folder)


def how_to_go_on(drill: Drill) -> str:
    """The end of the sentence about a job that was killed."""
    return (
        f"what was measured is in '{drill.out}' ('polympi report {drill.out}' shows it); to continue: polympi submit "
        f"--scheduler slurm --nodes 2 --time 10m -- run --resume {drill.out}."
    )


def test_a_job_whose_shell_is_killed_names_signal_and_host(
    polympi, mpich: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a job goes on, and a run that was killed, is in `test_submit.py` here, and in `run/test_resume.py`."""
    configure(monkeypatch, "ProctrackType=", f"KillWait={KILLED_S}\nProctrackType=")
    _, drill = start(polympi, mpich, tmp_path)
    drill.shell().kill()
    assert drill.end() == (
        137,
        f"polympi: Job {drill.number} was killed by SIGKILL on t-1, as by 'kill -9' or by a host without memory "
        f"(Slurm: FAILED, ExitCode 0:9); {how_to_go_on(drill)}",
    )
    assert drill.kept()
    assert RunDirectory.open(drill.out).outcome() is None
    assert polympi("report", str(drill.out)).exit_code == 0


def test_a_job_of_which_all_is_killed_by_slurm_was_cancelled(polympi, mpich: Stack, tmp_path: Path) -> None:
    _, drill = start(polympi, mpich, tmp_path)
    drill.shell().suspend()  # else it may be complete before a busy machine has started the next command
    assert polympi(*EXEC, "scancel", "--signal=KILL", "--full", drill.number).exit_code == 0
    code, sentence = drill.end()
    assert code == 130
    assert sentence.startswith(f"polympi: Job {drill.number} was cancelled")
    assert f"to continue: polympi submit --scheduler slurm --nodes 2 --time 10m -- run --resume {drill.out}" in sentence
    assert drill.kept()


def test_a_job_that_does_not_stop_at_its_time_limit(
    polympi, mpich: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm signals before the end, at the end, and then kills."""
    configure(monkeypatch, "ProctrackType=", f"KillWait={KILLED_S}\nProctrackType=")
    _, drill = start(polympi, mpich, tmp_path)
    shell = drill.shell()

    def hold() -> None:
        while shell.is_running() and shell.status() != psutil.STATUS_ZOMBIE:
            shell.suspend()  # Slurm wakes up whom it signals
            time.sleep(0.005)

    holding = threading.Thread(target=hold, daemon=True)
    holding.start()
    assert polympi(*EXEC, "scontrol", "update", f"jobid={drill.number}", "EndTime=now+5seconds").exit_code == 0
    code, sentence = drill.end()
    assert (code, sentence) == (
        130,
        f"polympi: Job {drill.number} reached its time limit (Slurm: TIMEOUT, ExitCode 0:9); {how_to_go_on(drill)}",
    )
    assert drill.kept()


def test_a_host_that_vanishes_is_named(polympi, mpich: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slurm, "_LOST_S", LOST_S)
    cluster, drill = start(polympi, mpich, tmp_path)
    subprocess.run(cluster.hosts[1].command(["ip", "link", "set", "eth0", "down"]), check=True)
    code, sentence = drill.end()
    assert code == 130
    assert sentence.startswith(f"polympi: Job {drill.number} lost the host t-2")  # Slurm may notice it, or the run
    assert f"--resume {drill.out}" in sentence
    assert drill.kept()
    outcome = RunDirectory.open(drill.out).outcome()
    assert outcome is None or outcome.withdrawn == {}


def test_a_job_without_memory_says_so(polympi, mpich: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := slurm.why_not():
        pytest.skip(reason)
    configure(monkeypatch, "JobAcctGatherType=jobacct_gather/none", COUNTS_MEMORY)
    manage.up("t", 2, slurm=True)
    # The interpreter of a run takes more than this by itself.
    run = [*SUBMIT, "--directive=--mem=50", "--", *RUN, "--stack", mpich.name, "-o", str(tmp_path / "out")]
    killed = polympi(*run)
    assert killed.exit_code == 137, killed.text
    assert "used up the memory it was given on t-1 (Slurm: FAILED, ExitCode 0:9): ask for more, as with" in killed.text
    assert "--directive=--mem=0 for all that a host has; nothing was measured." in killed.text
