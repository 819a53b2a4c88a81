"""The command as a user types it, in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from synthetic import EFFECTS, make_run

from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack

POLYMPI = str(Path(sys.executable).with_name("polympi"))
HERE = Path(__file__).parent


def polympi(*arguments: str, folder: Path, timeout: float = 120, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [POLYMPI, *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", **variables},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def told(done: subprocess.CompletedProcess[str]) -> str:
    """Standard error as one line, without the lines of progress; it must be a sentence and no traceback."""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("·")]
    return re.sub(r"\s+", " ", " ".join(line.strip("│╭╮╰╯─ ") for line in lines))


def test_help_of_every_command_is_there(tmp_path: Path) -> None:
    overview = polympi("--help", folder=tmp_path).stdout
    for command in ("run", "report", "diff", "list", "import", "doctor", "stack"):
        assert command in overview
        assert "Usage" in polympi(command, "--help", folder=tmp_path).stdout
    assert "--install-completion" in overview
    assert polympi("--version", folder=tmp_path).stdout.startswith("polympi ")


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--binding", "mpi5py"], "There is no binding 'mpi5py'"),
        (["--bench", "latensy"], "There is no benchmark 'latensy'"),
        (["--profile", "fast"], "There is no profile 'fast': choose quick, standard, publish"),
        (["--sizes", "4:1"], "The size range '4:1' runs backwards"),
        (["--sizes", "many"], "'many' is not a size"),
        (["--ranks", "1", "--bench", "latency"], "'latency' needs at least 2 ranks, and --ranks is 1"),
        (["--ranks", "0"], "--ranks 0 is impossible"),
        (["--ranks", "two"], "Invalid value for '--ranks'"),
        (["--time-limit", "soon"], "'soon' is not a duration"),
        (["--stack", "mvapich"], "There is no stack 'mvapich'"),
        (["--hostfile", "nowhere"], "There is no host file 'nowhere'"),
        (["-o", "taken"], "'taken' exists and results are never overwritten"),
        (["-o", "file/run"], "Cannot create the result directory 'file/run'"),
        (["--bindings-from", "nowhere"], "There is no folder of bindings 'nowhere'"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    tmp_path: Path, mpich: Stack, arguments: list[str], sentence: str
) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "file").write_text("")
    done = polympi("run", *(["--stack", "mpich"] if "--stack" not in arguments else []), *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert sentence in told(done)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "taken"]


@pytest.mark.mpi
def test_a_binding_that_cannot_be_built_is_a_sentence(tmp_path: Path, mpich: Stack) -> None:
    folder = tmp_path / "bindings" / "broken"
    folder.mkdir(parents=True)
    (folder / "manifest.toml").write_text(
        'name = "broken"\nlanguage = "C"\nsummary = "x"\n[needs]\ncommands = ["nobody-has-this"]\nhelp = "get it"\n'
        '[build]\n[[bindings]]\nname = "broken"\nsummary = "x"\nrun = ["x"]\ncovers = ["*/*/*"]\n'
    )
    done = polympi("run", "--stack", "mpich", "--bindings-from", "bindings", "--binding", "broken", folder=tmp_path)
    assert done.returncode == 2
    assert "Binding 'broken' cannot take part on stack 'mpich': it needs nobody-has-this: get it" in told(done)


@pytest.mark.mpi
def test_a_run_prints_its_table_and_writes_its_report(tmp_path: Path, mpich: Stack) -> None:
    done = polympi(
        "run", "-o", "out", "--stack", "mpich", "--binding", "mpi4py", "--bench", "barrier", "--seed", "7",
        folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "barrier" in done.stdout
    for name in ("report.html", "summary.csv", "memory.csv", "environment.json", "run.json", "outcome.json"):
        assert (tmp_path / "out" / name).is_file()
    run = RunDirectory.open(tmp_path / "out").run()
    assert run.seed == 7
    assert run.command[0] == "polympi"
    again = polympi("report", "out", "--markdown", "--csv", folder=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "out" / "report.md").is_file()
    same = polympi("diff", "out", "out", folder=tmp_path)
    assert same.returncode in {0, 3}  # a short run may be too noisy to tell, and cannot be slower than itself
    assert same.stdout.startswith(("Same: ", "Unknown: "))


@pytest.mark.mpi
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_is_complete(tmp_path: Path, mpich: Stack, number: signal.Signals) -> None:
    arguments = ["run", "-o", "out", "--stack", "mpich", "--bench", "barrier", "--profile", "standard"]
    process = subprocess.Popen(
        [POLYMPI, *arguments, "--binding", "mpi4py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    launches = tmp_path / "out" / "launches.jsonl"
    deadline = time.monotonic() + 60
    while not (launches.exists() and len(launches.read_bytes().splitlines()) >= 5):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "partial" in (tmp_path / "out" / "report.html").read_text()
    outcome = RunDirectory.open(tmp_path / "out").outcome()
    assert outcome is not None
    assert outcome.ended == "interrupted"
    assert outcome.blocks["mpich"] >= 1


def test_damaged_results_are_told(tmp_path: Path) -> None:
    assert "There is no result directory" in told(polympi("report", "nowhere", folder=tmp_path))
    make_run(tmp_path / "run", blocks=1)
    (tmp_path / "run" / "run.json").write_text("{")
    done = polympi("report", "run", folder=tmp_path)
    assert done.returncode == 2
    assert "run.json' is damaged" in told(done)


def test_diff_tells_slower_by_its_exit_code(tmp_path: Path) -> None:
    cases = [("latency", "standard", "bytes", 8)]
    make_run(tmp_path / "a", blocks=6, seed=1, cases=cases)
    make_run(tmp_path / "b", blocks=6, seed=2, cases=cases, effects=EFFECTS | {"mpi4py": (1500.0, 0.0, 1.0)})
    make_run(tmp_path / "c", blocks=6, seed=3, cases=cases, stacks=("openmpi",))
    slower = polympi("diff", "a", "b", folder=tmp_path)
    assert slower.returncode == 1, slower.stderr
    assert slower.stdout.startswith("Slower: ")
    assert polympi("diff", "b", "a", "--bench", "latency", folder=tmp_path).returncode == 0
    other = polympi("diff", "a", "c", folder=tmp_path)
    assert other.returncode == 2
    assert "no row in common" in told(other)


def test_imported_rows_are_shown_and_added(tmp_path: Path) -> None:
    fixture = HERE.parent / "importers" / "fixtures" / "netpipe-3-published.np.out"
    make_run(tmp_path / "run", blocks=6)
    shown = polympi("import", str(fixture), folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "NetPIPE" in shown.stdout
    added = polympi("import", str(fixture), str(fixture), "--into", "run", folder=tmp_path)
    assert added.returncode == 0
    assert "The same file stands before it, and is imported once." in added.stderr
    lines = len(fixture.read_text().splitlines())
    assert len((tmp_path / "run" / "imported.csv").read_text().splitlines()) == 1 + lines
    assert (tmp_path / "run" / "imported.csv").is_file()
    again = polympi("import", str(fixture), "--into", "run", folder=tmp_path).stdout
    assert f"imported before, and not added again: {fixture.name}" in again
    assert "0 rows added" in again
    assert polympi("import", "nowhere.txt", folder=tmp_path).returncode == 2


def test_imported_figures_say_what_they_are_and_what_was_left_out(tmp_path: Path) -> None:
    table = "# OSU MPI Broadcast Latency Test v7.4\n# Size       Avg Latency(us)\n8   1.25\n16  -1.00\n32  -2.00\n"
    (tmp_path / "osu.txt").write_text(table.replace("Broadcast", "[/x] Broadcast"))
    shown = polympi("import", "osu.txt", folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "OSU 7.4 · MPI [/x] Broadcast Latency · standard · bytes · time: mean over ranks" in shown.stdout
    assert "Lines 4-5: 2 rows of" in shown.stderr
    assert "were left out: a time or a rate is negative." in shown.stderr


def test_the_options_of_netpipe_come_from_the_user(tmp_path: Path) -> None:
    (tmp_path / "np.out").write_text("".join(f"{n} {8 * n / 2**20 / 1e-6:.6f} 0.00000100\n" for n in (1, 2, 3)))
    assert "unstated" in polympi("import", "np.out", folder=tmp_path).stdout
    assert "synchronous" in polympi("import", "np.out", "--netpipe-options", "-S", folder=tmp_path).stdout
    wrong = polympi("import", "np.out", "--netpipe-options", "-q", folder=tmp_path)
    assert wrong.returncode == 2
    assert told(wrong)


@pytest.mark.mpi
def test_list_and_doctor_say_what_is_there(tmp_path: Path, mpich: Stack) -> None:
    listed = polympi("list", folder=tmp_path).stdout
    for word in ("mpich", "installed", "impi", "mpi4py-pkl5", "c-again", "bibandwidth", "startup"):
        assert word in listed
    checked = polympi("doctor", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert "two ranks ran: MPICH" in re.sub(r"\s+", " ", checked.stdout)


def test_without_a_stack_the_remedy_is_told(tmp_path: Path) -> None:
    empty = {"POLYMPI_HOME": str(tmp_path / "home")}
    assert "polympi stack add mpich" in polympi("list", folder=tmp_path, **empty).stdout
    done = polympi("run", "--stack", "openmpi", folder=tmp_path, **empty)
    assert done.returncode == 2
    assert "install it with 'polympi stack add openmpi'" in told(done)


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--bench", ","], "--bench names nothing"),
        (["--binding", ""], "--binding names nothing"),
        (["--sizes", "99999999999999999999"], "more bytes than any machine addresses"),
        (["-o", "x" * 300], "File name too long"),
        (["--bench", "barrier", "--time-limit", "1ms"], "The time limit of 1ms ended before the first block"),
    ],
)
def test_empty_and_excessive_input_is_told(tmp_path: Path, mpich: Stack, arguments: list[str], sentence: str) -> None:
    done = polympi("run", "--stack", "mpich", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert sentence in told(done)


def test_a_directory_with_the_signs_of_a_pattern_is_one_directory(tmp_path: Path) -> None:
    make_run(tmp_path / "run[1]", blocks=6)
    make_run(tmp_path / "run1", blocks=6, seed=2)
    make_run(tmp_path / "run?", blocks=6)
    for name in ("run[1]", "run?"):
        assert polympi("report", name, "--csv", folder=tmp_path).returncode == 0
    one, other = ((tmp_path / name / "summary.csv").read_text() for name in ("run[1]", "run?"))
    assert one == other
