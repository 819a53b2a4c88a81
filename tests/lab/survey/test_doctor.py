"""``polympi doctor --hostfile`` on hosts that a program instead of ssh makes up: this machine, odd in some way.

Names that lead to this machine are needed, as hosts connect to each other: 127.0.0.1, 127.0.0.2, ...
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from polympi.lab.cli.app import run_app
from polympi.lab.process import MARK
from polympi.lab.survey import survey

# A clock of the day that is 1 s ahead, and a monotonic clock that runs 2 parts in a thousand too fast, from the start
# of its process on. (From the start of the machine on, it would be minutes ahead after some days, and each wait of the
# C library for a moment of this clock, which the kernel measures by its own, would take minutes longer.)
CLOCK = """
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long long start;
__attribute__((constructor)) static void begin(void)
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    start = now.tv_sec * 1000000000LL + now.tv_nsec;
}
int clock_gettime(clockid_t id, struct timespec *time)
{
    int code = syscall(SYS_clock_gettime, id, time);
    long long ns = time->tv_sec * 1000000000LL + time->tv_nsec;
    if (id == CLOCK_REALTIME)
        ns += 1000000000LL;
    if (id == CLOCK_MONOTONIC)
        ns += (ns - start) / 500;
    time->tv_sec = ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    return code;
}
"""
SSH = """#!/bin/sh
host=$1
shift
case $host in
127.0.0.1) exec sh -c "$*" ;;
127.0.0.2)
    echo "Welcome to this host"
    ulimit -n 100
    export LD_PRELOAD={folder}/clock.so
    exec sh -c "$*" ;;
127.0.0.3) echo "{user}@127.0.0.3: Permission denied (publickey)." >&2; exit 255 ;;
127.0.0.4) exec sleep 600 ;;
127.0.0.5) exec timeout -s KILL 1 sh -c "$*" ;;
127.0.0.6) exec sh -c "$(echo "$*" | sed 's|{python}|none|; s|python3|none|')" ;;
esac
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the program instead of ssh."""
    (tmp_path / "clock.c").write_text(CLOCK)
    command = ["cc", "-shared", "-fPIC", "-o", str(tmp_path / "clock.so"), str(tmp_path / "clock.c")]
    subprocess.run(command, check=True)
    (tmp_path / "ssh").write_text(SSH.format(folder=tmp_path, user="me", python=sys.executable))
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "home"))  # without a stack: MPI has its own tests
    monkeypatch.setenv(MARK, tmp_path.name)
    monkeypatch.setenv("COLUMNS", "400")
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def doctor(monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str, hosts: int | list[int]) -> int:
    """Check hosts by their numbers, or that many of them; the exit code."""
    numbers = range(1, hosts + 1) if isinstance(hosts, int) else hosts
    (folder / "hosts").write_text("".join(f"127.0.0.{number} slots=2\n" for number in numbers))
    words = ["polympi", "doctor", "--hostfile", str(folder / "hosts"), "--ssh", str(folder / "ssh"), *options]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        run_app()
    return int(ended.value.code or 0)


def marked(folder: Path) -> list[psutil.Process]:
    """Processes that were started for the hosts and are still there."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == folder.name and process.pid != psutil.Process().pid:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.mark.slow
def test_hosts_that_do_not_answer_are_reported_and_the_others_are_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(survey, "START_S", 4.0)
    began = time.monotonic()
    assert doctor(monkeypatch, folder, "--json", hosts=6) == 1
    assert time.monotonic() - began < 60
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert said["status"] == "problem"
    lost = {check["hosts"][0]: check["text"] for check in said["checks"] if check["name"] == "host"}
    assert lost["127.0.0.3"] == ("127.0.0.3 cannot be reached: 'me@127.0.0.3: Permission denied (publickey).'.")
    assert lost["127.0.0.4"] == "127.0.0.4 did not answer within 4 s."
    assert lost["127.0.0.5"].startswith("127.0.0.5 ended the connection")
    assert lost["127.0.0.6"] == "127.0.0.6 cannot be reached: 'it has no Python'."
    assert set(said["hosts"]) == {"127.0.0.1", "127.0.0.2"}
    checks = {check["name"]: check for check in said["checks"]}
    assert checks["connections"]["status"] == "ok"
    assert checks["shared folder"]["status"] == "ok"
    assert checks["polympi"]["status"] == "ok"
    assert checks["same machine"]["hosts"] == ["127.0.0.1", "127.0.0.2"]
    assert checks["stacks"]["advice"] == "polympi stack add mpich"
    # What is planted on the second host, and nothing else, differs.
    assert checks["different limit of open files"]["hosts"] == ["127.0.0.2"]
    assert [name for name in checks if name.startswith("different")] == ["different limit of open files"]
    assert "open files: 100" in checks["low limit"]["text"]
    assert checks["clock of the day"]["text"].startswith("That of 127.0.0.2 is 1 s ahead of that of 127.0.0.1")
    assert checks["clock drifts"]["hosts"] == ["127.0.0.2"]
    assert abs(said["hosts"]["127.0.0.2"]["clock_drift"] - 2e-3) < 5e-4
    assert said["hosts"]["127.0.0.1"]["environment"]["numa"]["nodes"] is not None
    assert not marked(folder)
    assert not list(folder.glob(".polympi*"))


def test_hosts_that_are_alike_are_well(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ssh = (folder / "ssh").read_text()
    (folder / "ssh").write_text(ssh.replace("ulimit -n 100", ":").replace("export LD_PRELOAD", "unused"))
    assert doctor(monkeypatch, folder, hosts=2) == 0
    text = capsys.readouterr().out
    assert "2 of 2 answer: 127.0.0.1 and 127.0.0.2." in text
    assert "None: the hosts are alike" in text
    assert "Against 127.0.0.1, clocks of the day are off by up to" in text
    assert "clock drifts" not in text
    assert "clock of the day " not in text


def test_no_host_answers(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor(monkeypatch, folder, hosts=[3]) == 1
    assert "cannot be reached" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--hostfile", "nowhere"], "There is no host file 'nowhere'"),
        (["--ssh", "ssh -p 2222"], "--ssh needs hosts: name them with --hostfile FILE."),
        (["--directory", "."], "--directory needs hosts"),
        (["--hostfile", "hosts", "--ssh", "no-such-command -v"], "by the command 'no-such-command', which is not"),
        (["--hostfile", "hosts", "--ssh", "sh", "--stack", "none"], "There is no stack 'none'"),
    ],
)
def test_what_is_typed_wrong_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    (folder / "hosts").write_text("127.0.0.1\n")
    monkeypatch.setattr(sys, "argv", ["polympi", "doctor", *words])
    with pytest.raises(SystemExit) as ended:
        run_app()
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


def test_a_folder_that_is_not_there_is_one_sentence(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert doctor(monkeypatch, folder, "--directory", str(folder / "none"), hosts=1) == 2
    assert "No file can be made in" in capsys.readouterr().err
    assert not marked(folder)
