"""``polympi submit`` on a test cluster with Slurm."""

import json
import sys
from pathlib import Path

import pytest
from cluster_steps import run_of_job, until_a_block_is_measured
from short_runs import ONE_CASE

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

RUN = ["run", *ONE_CASE, "--launch-timeout", "5m"]  # other tests run beside
SUBMIT = ["cluster", "exec", "--name", "t", "--", sys.executable, "-m", "polympi", "submit", "--time", "10m"]


def test_a_job_that_is_cancelled_keeps_what_it_measured_and_another_goes_on(
    polympi, with_slurm: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    before = with_slurm.traffic()
    running = polympi.begin(*SUBMIT, "--", *RUN, "--stack", mpich.name, "-o", str(out))
    until_a_block_is_measured(out, running)
    # Else it may be complete before a busy machine has started the next command. Slurm wakes up whom it signals.
    run_of_job(with_slurm, out).suspend()
    number = json.loads((tmp_path / "out.job" / "job.json").read_text())["number"]
    assert polympi("cluster", "exec", "--name", "t", "--", "scancel", number).exit_code == 0
    said, err = running.communicate(timeout=120)
    assert running.returncode == 130, said + err
    assert f"Job {number} was cancelled; what was measured is in '{out}'; to continue: polympi submit" in err
    submits = "polympi submit --scheduler slurm --nodes 2 --time 10m --"
    assert f"to continue: {submits} run --resume {out}\n" in (tmp_path / "out.job" / "output.txt").read_text()
    directory = RunDirectory.open(out)
    outcome = directory.outcome()
    assert outcome is not None
    assert (outcome.ended, outcome.withdrawn) == ("interrupted", {})
    assert outcome.blocks[mpich.name] >= 1
    assert directory.launches()[-1].outcome in {"ok", "interrupted"}  # its ranks were ended, and it is not blamed
    assert (out / "report.html").exists()
    fewer = polympi(*SUBMIT, "--nodes", "1", "--", "run", "--resume", str(out))
    assert (fewer.exit_code, "continue it on as many, with --nodes 2" in fewer.text) == (2, True)
    resumed = polympi(*SUBMIT, "--", "run", "--resume", str(out))
    assert resumed.exit_code == 0, resumed.text
    assert "is done; its result is in" in resumed.text
    more = RunDirectory.open(out).outcome()
    assert more is not None
    assert more.ended == "complete"
    assert all(more.blocks[name] > outcome.blocks[name] for name in outcome.blocks)
    assert all(with_slurm.traffic()[name].sent_bytes - before[name].sent_bytes > 100_000 for name in ("t-1", "t-2"))


def test_jobs_that_cannot_run_or_are_held_are_reported_and_none_is_left(
    polympi, with_slurm: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    run = ["--", *RUN, "--stack", mpich.name, "-o", str(tmp_path / "out")]
    many = polympi(*SUBMIT, "--nodes", "3", *run)
    assert (many.exit_code, "Slurm refused the job: allocation failure: Requested node" in many.text) == (2, True)
    assert not list(tmp_path.glob("out*"))
    held = polympi(*SUBMIT, "--directive=--hold", "--start-within", "2s", *run)
    assert held.exit_code == 2
    assert "waits in the queue and is held: 'scontrol release" in held.text
    assert "it is cancelled" in held.text
    queue = polympi("cluster", "exec", "--name", "t", "--", "squeue", "--noheader")
    assert queue.text.strip() == ""
