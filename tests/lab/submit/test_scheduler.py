"""Scripts are handed to each batch system as it wants them, and what it says against a job becomes a sentence."""

from pathlib import Path

import pytest

from polympi.lab.submit import scheduler
from polympi.lab.submit.scheduler import SCHEDULERS, SubmitError, check_there, found_scheduler, submit
from polympi.lab.submit.slurm import check_taken

ANSWERS = {
    "slurm": ("echo 'slurm: welcome'; echo '41;cluster'", "41"),
    "pbs": ("echo 'project mine is charged'; echo 41.server.example.org", "41.server.example.org"),
    "lsf": ("cat >>\"$CALLS\"; echo 'Job <41> is submitted to queue <normal>.'", "41"),
}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "batch.sh"
    path.write_text("#!/bin/sh\necho hello\n")
    return path


@pytest.mark.parametrize("name", SCHEDULERS)
def test_a_job_is_submitted_and_its_number_read(name: str, plant, script: Path) -> None:
    answer, number = ANSWERS[name]
    calls = plant(SCHEDULERS[name].submit[0], answer)
    check_there(name)
    assert submit(name, script) == number
    expected = {"slurm": f"--parsable {script}\n", "pbs": f"{script}\n", "lsf": f"\n{script.read_text()}"}
    assert calls.read_text() == expected[name]


def test_a_batch_system_is_found_by_its_command(plant, programs: Path) -> None:
    assert found_scheduler() == "slurm"
    for command, name in (("qsub", "pbs"), ("bsub", "lsf"), ("sbatch", "slurm")):
        with pytest.raises(SubmitError, match=rf"no '{command}' on PATH, so that no job of .* --dry-run shows"):
            check_there(name)
        plant(command, "")
        assert found_scheduler() == name


@pytest.mark.parametrize(
    ("name", "answer", "sentence"),
    [
        ("slurm", "echo 'sbatch: error: invalid partition: x'; exit 1", "Slurm refused the job: invalid part"),
        ("slurm", "echo 'sbatch: unrecognized option --x' >&2; echo 'Try --help.' >&2; exit 1", "option --x"),
        ("slurm", "echo 'no number'", "Slurm refused the job: no number. --dry-run shows its script"),
        ("pbs", "echo 'qsub: Unknown queue' >&2; exit 168", "PBS refused the job: Unknown queue"),
        ("lsf", "echo 'x: No such queue. Job not submitted.' >&2; exit 255", "LSF refused the job: x: No such queue"),
        ("lsf", "exit 3", "LSF refused the job: it said nothing"),
        ("slurm", "echo 'fatal: Could not establish a configuration source' >&2; exit 1", "Slurm is not reached from"),
    ],
)
def test_a_job_that_is_refused_is_reported(name: str, answer: str, sentence: str, plant, script: Path) -> None:
    plant(SCHEDULERS[name].submit[0], answer)
    with pytest.raises(SubmitError, match=sentence):
        submit(name, script)


def test_a_batch_system_that_does_not_answer_is_reported(plant, script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant("qsub", "while :; do :; done")
    monkeypatch.setattr(scheduler, "_ANSWER_S", 0.5)
    with pytest.raises(SubmitError, match="PBS does not answer: 'qsub' took over"):
        submit("pbs", script)


def test_slurm_is_asked_first_whether_a_job_could_ever_run(plant, script: Path) -> None:
    calls = plant("sbatch", "exit 0")
    check_taken(script)
    assert calls.read_text() == f"--test-only {script}\n"
    plant("sbatch", "echo 'allocation failure: Requested node configuration is not available' >&2; exit 1")
    with pytest.raises(SubmitError, match="refused the job: allocation failure: Requested node configuration"):
        check_taken(script)
    plant("sbatch", "echo 'allocation failure: Required node not available (down, drained or reserved)' >&2; exit 1")
    check_taken(script)  # it waits until they are back
