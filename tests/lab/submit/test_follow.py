"""A job is followed through its states to its end, with all that its run writes."""

from pathlib import Path

import pytest

from polympi.lab.submit import follow
from polympi.lab.submit.follow import Follower, ran_out_of_memory, what_became, wrote
from polympi.lab.submit.job import OUTPUT, Job
from polympi.lab.submit.scheduler import SubmitError
from polympi.lab.submit.slurm import UNKNOWN, State, lost_hosts, read_state

JOB = Job(number="7", scheduler="slurm", result="/r/out")
LINE = (
    "JobId=7 JobName=polympi UserId=u(1) Priority=4 JobState={} Reason={} Requeue=0 ExitCode={} RunTime=00:00:03 "
    "Partition=all ReqNodeList=(null) ExcNodeList=(null) NodeList={} BatchHost=n1 NumNodes=2 Command=/a "
    "WorkDir=/x/JobState=ODD/NodeList=no StdOut=/a"
)
# Each question about the state takes the next line of a file, and the last one again and again.
ANSWER = 'L=$(head -n 1 {0}); [ "$(sed -n 2p {0})" ] && sed -i 1d {0}; eval "$L"'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pauses."""
    for name in ("_OFTEN_S", "_RARELY_S", "_LOOK_S"):
        monkeypatch.setattr(follow, name, 0.01)


class Followed:
    """A follower of states that are planted, with what it says and shows."""

    def __init__(self, folder: Path, plant, answers: list[str]) -> None:
        self.said: list[str] = []
        self.shown = ""
        (folder / "answers").write_text("\n".join(answers) + "\n")
        plant("scontrol", ANSWER.format(folder / "answers"))
        self.follower = Follower(JOB, folder, say=self.said.append, show=self._show)

    def _show(self, text: str) -> None:
        self.shown += text


def state(name: str, *, reason: str = "None", code: str = "0:0", hosts: str = "(null)", then: str = "") -> str:
    """A command that answers with a state, and before does something."""
    return f"{then or ':'}; echo '{LINE.format(name, reason, code, hosts)}'"


def test_states_are_read(plant) -> None:
    waits = read_state(LINE.format("PENDING", "Resources", "0:0", "(null)"))
    assert (waits, waits.waits, waits.ended) == (State("PENDING", "Resources", "", "n1"), True, False)
    failed = read_state(LINE.format("FAILED", "NonZeroExitCode", "2:0", "n[1-2]"))
    assert failed == State("FAILED", "NonZeroExitCode", "n[1-2]", "n1", 2)
    assert failed.ended
    assert read_state(LINE.format("CANCELLED", "None", "0:15", "n1")).exit_code == -15


def test_a_job_is_followed_to_its_end_and_each_line_is_shown_once(plant, tmp_path: Path) -> None:
    output = tmp_path / OUTPUT
    followed = Followed(
        tmp_path,
        plant,
        [
            state("PENDING", reason="Priority"),
            state("PENDING", reason="Priority"),
            state("PENDING", reason="Resources"),
            "echo 'slurm_load_jobs error: Zero Bytes were transmitted' >&2; exit 1",
            state("RUNNING", hosts="n[1-2]", then=f"printf 'one\\ntw' >>{output}"),
            state("RUNNING", hosts="n[1-2]", then=f"printf 'o\\n' >>{output}"),
            state("COMPLETING", hosts="n1"),  # one host is free already, and the job has not moved
            state("COMPLETED", hosts="n[1-2]", then=f"echo three >>{output}"),
        ],
    )
    ended = followed.follower.to_the_end()
    assert (ended.name, ended.exit_code, ended.first_host) == ("COMPLETED", 0, "n1")
    assert followed.said == [
        "job 7 waits in the queue behind jobs that come first",
        "job 7 waits in the queue for hosts that other jobs have",
        "job 7 runs on n[1-2]",
    ]
    assert followed.shown == "one\ntwo\nthree\n"
    assert wrote(tmp_path)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("JobHeldUser", "and is held: 'scontrol release 7' lets it go"),
        ("ReqNodeNotAvail,_UnavailableNodes:n1", "for hosts that are down or reserved"),
        ("PartitionTimeLimit", "and asks for more time than its partition gives: it may never begin"),
        ("SomethingNew", r"\(Slurm says 'SomethingNew'\)"),
    ],
)
def test_a_job_that_waits_too_long_is_cancelled_and_its_reason_reported(
    plant, tmp_path: Path, reason: str, words: str
) -> None:
    calls = plant("scancel", "")
    followed = Followed(tmp_path, plant, [state("PENDING", reason=reason)])
    with pytest.raises(SubmitError, match=rf"Job 7 had not begun after .* in the queue {words}; it is cancelled"):
        followed.follower.to_the_end(start_within_s=0.2)
    assert calls.read_text() == "7\n"
    assert len(followed.said) == 1


def test_a_job_that_has_begun_is_not_cancelled(plant, tmp_path: Path) -> None:
    calls = plant("scancel", "")
    states = [state("RUNNING", hosts="n1")] * 30 + [state("COMPLETED")]
    assert Followed(tmp_path, plant, states).follower.to_the_end(start_within_s=0.0).name == "COMPLETED"
    assert not calls.exists()


def test_a_job_that_slurm_has_forgotten_has_ended(plant, tmp_path: Path) -> None:
    forgotten = "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1"
    ended = Followed(tmp_path, plant, [forgotten]).follower.to_the_end()
    assert ended.name == UNKNOWN
    assert what_became(ended) == "has ended, and Slurm does not know it any more"


def test_a_slurm_that_stays_silent_is_reported(plant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "_PATIENCE_S", 0.1)
    followed = Followed(tmp_path, plant, ["echo 'error: no route to host' >&2; exit 1"])
    with pytest.raises(SubmitError, match=r"Slurm does not tell the state of job 7: .*no route to host"):
        followed.follower.to_the_end()


def test_what_became_of_jobs() -> None:
    assert what_became(State("FAILED", exit_code=2)) is None
    assert what_became(State("TIMEOUT")) == "reached its time limit"
    assert what_became(State("NODE_FAIL")) == "lost a host"
    assert what_became(State("REVOKED")) == "ended as Slurm calls REVOKED"
    assert what_became(State("NODE_FAIL"), ["n1", "n2"]) == "lost the hosts n1 and n2"
    assert what_became(State("FAILED", first_host="n1", exit_code=-11)) == "was killed by SIGSEGV on n1"
    assert what_became(State("FAILED", exit_code=-40)) == "was killed by signal 40"


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("slurmstepd-n1: error: StepId=2.batch exceeded memory limit (16 > 10), being killed", True),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=2.batch. Some of the step tasks", True),
        ("slurmstepd: error: Detected 1 oom-kill event(s) in step 2.batch cgroup", True),
        ("slurmstepd: error: *** JOB 2 ON n1 CANCELLED AT 2026-11-26T12:19:44 ***", False),
        ("mpich: block 2 of 9, exceeded memory limit", False),
    ],
)
def test_want_of_memory_is_read_from_what_slurm_writes(*, tmp_path: Path, written: str, known: bool) -> None:
    assert not ran_out_of_memory(tmp_path)
    (tmp_path / OUTPUT).write_text("x" * 10_000 + f"\n{written}\nand more\n")
    assert ran_out_of_memory(tmp_path) is known
    words = what_became(State("FAILED", first_host="n1", exit_code=-9), without_memory=known)
    assert words == (
        "used up the memory it was given on n1"
        if known
        else "was killed by SIGKILL on n1, as by 'kill -9' or by a host without memory"
    )


def test_hosts_that_are_lost_are_asked_for(plant) -> None:
    calls = plant("sinfo", "echo 'n1 down*'; echo 'n2 idle'; echo 'n3 mixed*'; echo 'n4 draining'; echo 'n5 down'")
    assert lost_hosts("n[1-5]") == ["n1", "n3", "n5"]
    assert calls.read_text() == "--noheader --Node --nodes=n[1-5] --format=%N %T\n"
    plant("sinfo", "echo 'sinfo: error: invalid host' >&2; exit 1")
    assert lost_hosts("n[1-5]") == []
