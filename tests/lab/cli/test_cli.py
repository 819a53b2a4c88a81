"""The command as a user types it: in a process of its own where that matters, else in this one."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer
from commands import typed
from short_runs import ONE_CASE
from synthetic import make_run

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.cli.app import COMMANDS, load
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack
from polympi.wheels import install_command

POLYMPI = str(Path(sys.executable).with_name("polympi"))
HERE = Path(__file__).parent


def polympi(*arguments: str, folder: Path, timeout: float = 300, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [POLYMPI, *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100", **variables},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def reported(done: subprocess.CompletedProcess[str]) -> str:
    """Standard error as one line, without the lines of progress; it must be a sentence and no traceback."""
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if not line.startswith("·")]
    return re.sub(r"\s+", " ", " ".join(line.strip("│╭╮╰╯─ ") for line in lines))


def test_help_of_every_command_is_there(tmp_path: Path) -> None:
    overview = typed("--help", folder=tmp_path).stdout
    for command in ("run", "report", "diff", "list", "audit", "cost", "import", "doctor", "stack", "cluster"):
        assert command in overview
        assert "Usage" in typed(command, "--help", folder=tmp_path).stdout
    assert "--install-completion" in overview
    assert polympi("--version", folder=tmp_path).stdout.startswith("polympi ")


def test_a_binding_that_cannot_be_built_is_a_sentence(tmp_path: Path, mpich: Stack) -> None:
    folder = tmp_path / "bindings" / "broken"
    folder.mkdir(parents=True)
    (folder / "manifest.toml").write_text(
        'name = "broken"\nlanguage = "C"\nsummary = "x"\n[needs]\ncommands = ["nobody-has-this"]\nhelp = "get it"\n'
        '[build]\n[[bindings]]\nname = "broken"\nsummary = "x"\nrun = ["x"]\ncovers = ["*/*/*"]\n'
    )
    done = typed("run", "--stack", "mpich", "--bindings-from", "bindings", "--binding", "broken", folder=tmp_path)
    assert done.returncode == 2
    assert "Binding 'broken' cannot take part on stack 'mpich': it needs nobody-has-this: get it" in reported(done)


def test_all_bindings_are_taken_that_are_ready_and_of_others_it_is_said_what_they_need(
    tmp_path: Path, mpich: Stack
) -> None:
    folder = tmp_path / "bindings" / "missing"
    folder.mkdir(parents=True)
    (folder / "manifest.toml").write_text(
        'name = "missing"\nlanguage = "Tongues"\nsummary = "x"\n[needs]\ncommands = ["nobody-has-this"]\n'
        'debian = ["tongues-dev"]\nhelp = "get it."\n[build]\n[[bindings]]\nname = "missing"\n'
        'summary = "in tongues"\nrun = ["x"]\ncovers = ["*/*/*"]\ndefault = false\n'
    )
    needs = "it needs nobody-has-this: get it. On Debian: apt-get install tongues-dev"
    listed = re.sub(r"\s+", " ", typed("list", "--bindings-from", "bindings", folder=tmp_path).stdout)
    assert (number := re.search(r"Tongues missing in tongues not [a-z, ]*mpich[a-z, ]* \[(\d+)\]", listed))
    assert f"[{number[1]}] {needs}" in listed
    asked = ("--stack", "mpich", "--bindings-from", "bindings", "--binding", "all", "--bench", "barrier")
    done = typed("run", "--dry-run", *asked, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    text = re.sub(r"\s+", " ", done.stdout)
    assert f"left out missing: {needs}" in text
    assert all(name in text for name in ("mpi4py-pkl5", "c-multiple", "polympi-object"))


@pytest.mark.exclusive
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
    again = typed("report", "out", "--markdown", "--csv", folder=tmp_path)
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "out" / "report.md").is_file()
    same = typed("diff", "out", "out", folder=tmp_path)
    assert same.returncode in {0, 3}  # a short run may be too noisy to tell, and cannot be slower than itself
    assert same.stdout.startswith(("Same: ", "Unknown: "))


def _run_until_a_block_is_measured(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A run of mpi4py into the folder `out`, once its first block has its launches: C, C again and mpi4py."""
    process = subprocess.Popen(
        [POLYMPI, "run", "-o", "out", "--stack", "mpich", "--bench", "barrier", "--binding", "mpi4py", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    launches, deadline = folder / "out" / "launches.jsonl", time.monotonic() + 300
    while not launches.exists() or launches.read_bytes().count(b'"block":0,') < 3:
        if time.monotonic() > deadline:
            process.terminate()  # so that it doesn't run beside the tests that follow
            pytest.fail(f"no whole block within five minutes:\n{process.communicate()[1]}")
        time.sleep(0.05)
    return process


@pytest.mark.exclusive
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_what_is_complete(tmp_path: Path, mpich: Stack, number: signal.Signals) -> None:
    process = _run_until_a_block_is_measured(tmp_path, "--profile", "standard")
    process.send_signal(number)
    _, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "partial" in (tmp_path / "out" / "report.html").read_text()
    outcome = RunDirectory.open(tmp_path / "out").outcome()
    assert outcome is not None
    assert outcome.ended == "interrupted"
    assert outcome.blocks["mpich"] >= 1


def test_the_exit_code_is_that_of_the_answer_though_nobody_reads_it(tmp_path: Path) -> None:
    made = {"blocks": 9, "cases": [("latency", "standard", "bytes", 8)]}
    make_run(tmp_path / "a", seed=1, **made)
    make_run(tmp_path / "noisy", seed=4, noise=0.3, **made)
    for more in ([], ["--json", "-"]):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [POLYMPI, "diff", "a", "noisy", *more],
            cwd=tmp_path,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        os.close(writer)
        assert (done.returncode, done.stderr) == (3, "")


# One command after the other in a process: a start takes longer than most of them.
COMMANDS_IN_TURN = """
import json, sys
from polympi.lab.cli import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["polympi", *words]
    try:
        main()
    except SystemExit as left:
        assert left.code != 1, words
"""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_of_any_encoding_shows_every_answer(tmp_path: Path, encoding: str) -> None:
    fixture = HERE.parent / "importers" / "fixtures" / "osu-7.4-threads.txt"
    make_run(tmp_path / "run", blocks=6)
    (tmp_path / "Größe\udcff").symlink_to("run")
    commands = [["import", str(fixture)], ["report", "Größe\udcff"], ["diff", "run", "Größe\udcff"], ["list"]]
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS_IN_TURN, json.dumps(commands)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert all(word in done.stdout for word in (b"OSU 7.4", b"mpi4py", b"Same: ", b"Benchmarks"))
    assert b"\\x" not in done.stdout + done.stderr, "a sign is shown as its number"
    (done.stdout + done.stderr).decode(encoding)


def test_imported_rows_are_shown_and_added(tmp_path: Path) -> None:
    fixture = HERE.parent / "importers" / "fixtures" / "netpipe-3-published.np.out"
    make_run(tmp_path / "run", blocks=6)
    shown = typed("import", str(fixture), folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "NetPIPE" in shown.stdout
    added = typed("import", str(fixture), str(fixture), "--into", "run", folder=tmp_path)
    assert added.returncode == 0
    assert "The same file stands before it, and is imported once." in added.stderr
    lines = len(fixture.read_text().splitlines())
    assert len((tmp_path / "run" / "imported.csv").read_text().splitlines()) == 1 + lines
    assert (tmp_path / "run" / "imported.csv").is_file()
    again = typed("import", str(fixture), "--into", "run", folder=tmp_path).stdout
    assert f"imported before, and not added again: {fixture.name}" in again
    assert "0 rows added" in again
    assert typed("import", "nowhere.txt", folder=tmp_path).returncode == 2


def test_imported_figures_say_what_they_are_and_what_was_left_out(tmp_path: Path) -> None:
    table = "# OSU MPI Broadcast Latency Test v7.4\n# Size       Avg Latency(us)\n8   1.25\n16  -1.00\n32  -2.00\n"
    (tmp_path / "osu.txt").write_text(table.replace("Broadcast", "[/x] Broadcast"))
    shown = typed("import", "osu.txt", folder=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "OSU 7.4 · MPI [/x] Broadcast Latency · standard · bytes · time: mean over ranks" in shown.stdout
    assert "Lines 4-5: 2 rows of" in shown.stderr
    assert "were left out: a time or a rate is negative." in shown.stderr


def test_the_options_of_netpipe_come_from_the_user(tmp_path: Path) -> None:
    (tmp_path / "np.out").write_text("".join(f"{n} {8 * n / 2**20 / 1e-6:.6f} 0.00000100\n" for n in (1, 2, 3)))
    assert "unstated" in typed("import", "np.out", folder=tmp_path).stdout
    assert "synchronous" in typed("import", "np.out", "--netpipe-options", "-S", folder=tmp_path).stdout
    wrong = typed("import", "np.out", "--netpipe-options", "-q", folder=tmp_path)
    assert wrong.returncode == 2
    assert reported(wrong)


@pytest.mark.exclusive
def test_list_and_doctor_say_what_is_there(tmp_path: Path, mpich: Stack) -> None:
    listed = typed("list", folder=tmp_path).stdout
    for word in ("mpich", "installed", "impi", "mpi4py-pkl5", "c-again", "bibandwidth", "startup", "modules"):
        assert word in listed
    checked = typed("doctor", folder=tmp_path)
    assert checked.returncode == 0, checked.stdout
    assert "two ranks ran: MPICH" in re.sub(r"\s+", " ", checked.stdout)


def test_a_list_of_80_columns_breaks_no_name_and_says_each_advice_once(tmp_path: Path, mpich: Stack) -> None:
    lines = typed("list", folder=tmp_path, COLUMNS="80").stdout.splitlines()
    for name in load_bindings():
        assert any(re.match(rf" *{re.escape(name)}( |$)", line) for line in lines), name
    notes = [line.partition("] ")[2] for line in lines if re.match(r"\[\d+\] ", line)]
    assert notes
    tools = notes.index(next(note for note in notes if "OSU Micro-Benchmarks" in note))
    assert len(set(notes[:tools])) == tools
    assert len(set(notes[tools:])) == len(notes) - tools


def test_a_glance_at_all_bindings_takes_those_that_fit_and_names_the_others(tmp_path: Path, mpich: Stack) -> None:
    asked = ("run", "--dry-run", "--profile", "glance", "--stack", mpich.name, "--binding")
    text = re.sub(r"\s+", " ", typed(*asked, "all", folder=tmp_path).stdout)
    estimated = re.search(r"about (?:(\d+) min )?(\d+) s,", text)
    assert estimated
    assert 60 * int(estimated[1] or 0) + int(estimated[2]) <= 70
    assert "the profile glance takes what fits in 60 s" in text
    assert all(name in text.partition("left out")[0] for name in ("mpi4py", "polympi-object"))
    one = re.sub(r"\s+", " ", typed(*asked, "all,mpi4py-pkl5,c-pack", folder=tmp_path).stdout)
    assert all(name in one.partition("left out")[0] for name in ("mpi4py-pkl5", "c-pack"))


def test_without_home_it_is_named_and_taken_from_the_system(
    tmp_path: Path, openmpi: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOME")
    done = polympi("doctor", "--stack", openmpi.name, "--json", folder=tmp_path)
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert checks["HOME"]["status"] == "warning"
    assert str(Path("~").expanduser()) in checks["HOME"]["text"]
    assert checks[f"stack {openmpi.name}"]["status"] == "ok"
    asked = ("--stack", openmpi.name, "--bench", "latency", "--sizes", "8")
    done = polympi("run", *asked, "--binding", "python-floor", "--profile", "glance", folder=tmp_path)
    assert "HOME is not set" in done.stderr
    assert done.returncode == 0, done.stderr


def test_without_a_stack_the_remedy_is_reported(tmp_path: Path) -> None:
    empty = {"POLYMPI_HOME": str(tmp_path / "home")}
    assert "polympi stack add mpich" in typed("list", folder=tmp_path, **empty).stdout


@pytest.mark.exclusive
def test_a_time_limit_that_is_too_short_says_what_it_would_need(tmp_path: Path, mpich: Stack) -> None:
    done = typed(
        "run", "-o", "out", "--stack", "mpich", "--bench", "barrier", "--time-limit", "1ms", folder=tmp_path
    )  # fmt: skip
    assert done.returncode == 2
    sentence = reported(done)
    assert "The time limit of 1ms ended before the first block was complete" in sentence
    assert re.search(r"A block of \d+ launches takes about \d+ s here, and \d+ blocks, .*, \d+ (s|min)", sentence)
    assert "polympi run --resume out --time-limit TIME" in sentence


@pytest.mark.exclusive
@pytest.mark.slow
def test_a_time_limit_that_ends_while_calibrating_is_judged_by_that(tmp_path: Path, mpich: Stack) -> None:
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\nsleep 2\nexec {mpich.mpiexec} "$@"\n')
    slow.chmod(0o755)
    done = typed(
        "run", "-o", "out", "--stack", "mpich", "--bench", "barrier", "--binding", "c", "--time-limit", "3s",
        "--launcher", f"{slow} -n {{ranks}} {{program}}", folder=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    seconds = re.search(r"A block of 2 launches takes about (\d+) s here", reported(done))
    assert seconds, reported(done)
    assert int(seconds[1]) >= 4


def test_a_report_is_written_of_what_is_left(tmp_path: Path) -> None:
    make_run(tmp_path / "run", blocks=8)
    for number in (5, 9, 13):
        (tmp_path / "run" / "samples" / f"{number:06d}.parquet").unlink()
    lines = (tmp_path / "run" / "launches.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "run" / "launches.jsonl").write_bytes(b"".join([*lines[:20], b"{\n", *lines[21:]]))
    done = typed("report", "run", "--html", "--markdown", "--csv", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    for written in (done.stdout, (tmp_path / "run" / "report.md").read_text()):
        text = re.sub(r"\s+", " ", written.replace("\\", ""))
        assert "1 line of launches.jsonl cannot be read (21): its launch does not count." in text
        assert "3 of 8 launches do not count, since the samples were lost (launches 5, 9 and 13)" in text
    assert "What went wrong" in (tmp_path / "run" / "report.html").read_text()


def test_a_good_report_is_never_replaced_by_an_empty_one(tmp_path: Path) -> None:
    make_run(tmp_path / "run", blocks=6)
    assert typed("report", "run", folder=tmp_path).returncode == 0
    good = (tmp_path / "run" / "report.html").read_bytes()
    for file in (tmp_path / "run" / "samples").iterdir():
        file.write_bytes(b"")
    done = typed("report", "run", folder=tmp_path)
    assert done.returncode == 2
    assert "Nothing of the run in 'run' can be used, so that its report stays as it is" in reported(done)
    assert (tmp_path / "run" / "report.html").read_bytes() == good


def test_the_overview_says_of_each_command_what_its_own_help_says() -> None:
    for name, command in COMMANDS.items():
        found = load(name)
        text = found.info.help if isinstance(found, typer.Typer) else found.__doc__
        assert (text or "").splitlines()[0] == command.summary


def test_what_is_not_needed_is_not_imported(tmp_path: Path) -> None:
    """The version answers at once; the overview and the help of a run wait for no statistics."""
    listed = "import sys; from polympi.__main__ import main\ntry: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    for arguments, absent in (
        (["--version"], {"typer", "rich", "polars", "msgspec"}),
        (["--help"], {"polars", "numpy", "altair", "msgspec"}),
        (["run", "--help"], {"polars", "numpy", "altair"}),
        (["report", "--help"], {"polars", "numpy", "altair"}),
    ):
        done = subprocess.run(
            [sys.executable, "-c", listed, *arguments], capture_output=True, text=True, cwd=tmp_path, check=False
        )
        assert not absent & set(done.stderr.split())
        assert done.returncode == 0


def test_the_module_is_the_command(tmp_path: Path) -> None:
    def module(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "polympi", *arguments], capture_output=True, text=True, cwd=tmp_path, check=True
        )
        return done.stdout

    assert module("--version") == polympi("--version", folder=tmp_path).stdout
    assert "polympi [OPTIONS] COMMAND" in module("--help")


def test_without_the_packages_of_the_laboratory_one_sentence_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("raise ModuleNotFoundError(\"No module named 'typer'\", name='typer')")
    done = subprocess.run(
        [sys.executable, "-m", "polympi", "list"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])},
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == f"polympi: the laboratory needs the package 'typer': {install_command('lab')}\n"


def test_a_dry_run_of_many_ranks_warns_and_takes_longer(tmp_path: Path, mpich: Stack) -> None:
    few, many = (
        typed("run", "--dry-run", *ONE_CASE, "--stack", mpich.name, "--ranks", ranks, folder=tmp_path)
        for ranks in ("2", "500")
    )
    assert "500 ranks share" in many.stderr
    assert "share" not in few.stderr
    minutes = re.compile(r"about .*min")
    assert minutes.search(many.stdout)
    assert not minutes.search(few.stdout)


def test_a_dry_run_makes_nothing(tmp_path: Path, mpich: Stack) -> None:
    done = typed("run", "--dry-run", "--stack", "mpich", "--profile", "glance", "-o", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    text = re.sub(r"\s+", " ", done.stdout)
    assert "bindings c, c-again, mpi4py, mpi4py-object, polympi, polympi-object" in text
    assert "cases 6: latency 4 and allreduce 2 blocks 9 launches 60" in text
    assert re.search(r"about \d+ s, within a factor of two", text)
    assert list(tmp_path.iterdir()) == []
    assert "polympi stack add mpich" in reported(
        typed("run", "--dry-run", folder=tmp_path, POLYMPI_HOME=str(tmp_path / "home"))
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exclusive
@pytest.mark.slow
def test_a_run_that_was_interrupted_says_how_to_go_on_and_goes_on(tmp_path: Path, mpich: Stack) -> None:
    process = _run_until_a_block_is_measured(tmp_path)
    second = polympi("run", "-o", "other", "--stack", "mpich", "--bench", "barrier", folder=tmp_path)
    assert second.returncode == 2
    assert f"Another run of polympi is measuring on this machine (process {process.pid}" in reported(second)
    assert not (tmp_path / "other").exists()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=300)
    assert "to continue: polympi run --resume out" in err
    done = polympi("run", "--resume", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "complete" in done.stderr
    again = typed("run", "--resume", "out", folder=tmp_path)
    assert again.returncode == 0
    assert "is complete: nothing is missing" in again.stderr


def test_a_directory_with_the_signs_of_a_pattern_is_one_directory(tmp_path: Path) -> None:
    make_run(tmp_path / "run[1]", blocks=6)
    make_run(tmp_path / "run1", blocks=6, seed=2)
    make_run(tmp_path / "run?", blocks=6)
    for name in ("run[1]", "run?"):
        assert typed("report", name, "--csv", folder=tmp_path).returncode == 0
    one, other = ((tmp_path / name / "summary.csv").read_text() for name in ("run[1]", "run?"))
    assert one == other


@pytest.mark.slow
def test_a_study_says_what_it_would_measure(tmp_path: Path, mpich: Stack) -> None:
    done = typed("run", "--study", "modules", "--dry-run", "--stack", "mpich", "-o", "out", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    text = re.sub(r"\s+", " ", done.stdout)
    assert "study modules: Pypar, MYMPI, pyMPI, Scientific.MPI and boostmpi" in text
    assert "bindings c, c-again, pypar, mympi, pympi, scientific, boostmpi-compat, " in text
    assert "left out boost-python: it runs on openmpi only" in text
    assert (
        "cases 46: latency 16, bcast 8, reduce 8, allreduce 8, inner-product 1, wave 2, poisson-cg 2 and triad 1"
        in text
    )
