"""Whatever is typed wrong is one clear sentence of our own and exit code 2, and nothing is made."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import refusal, typed
from synthetic import make_run

from polympi.lab.stacks import add
from polympi.lab.stacks.stack import Stack, remember

# Pieces of what Typer, Click, pydantic, msgspec, polars, tomllib and Python itself say.
LIBRARY_WORDS = re.compile(
    r"Traceback|Usage:|Error:|Errno|Invalid value|unexpected extra|No such option|Missing (argument|option|parameter)|"
    r"Input should|parse string|Expected `|Object (missing|contains)|invalid literal|could not convert|msgspec|polars|"
    r"pydantic|tomllib|TOMLDecode|codec can't|JSON is malformed|\b(at|in) `|None\b|\[/|╭"
)


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with things to trip over, and a home with a stack whose programs do nothing."""
    folder = tmp_path_factory.mktemp("things")
    work = folder / "work"
    work.mkdir()
    python = sys.executable
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("POLYMPI_HOME", str(folder / "home"))
        remember(Stack(name="mpich", family="mpich", origin="system", mpiexec=python, mpicc=python, python=python))
    (work / "taken").mkdir()
    (work / "file").write_text("")
    (work / "nameless").write_text("127.0.0.1\nno-such-host.invalid\n")
    (work / "comments").write_text("# node1\n\n   \n")
    (work / "binary").write_bytes(bytes(range(256)) * 8)
    for name, manifest in {"toml": b"name = ]", "bytes": b"\xff\xfe"}.items():
        (work / "manifests" / name / "x").mkdir(parents=True)
        (work / "manifests" / name / "x" / "manifest.toml").write_bytes(manifest)
    (work / "manifests" / "directory" / "x" / "manifest.toml").mkdir(parents=True)
    make_run(work / "run", blocks=1)
    make_run(work / "run-cut", blocks=1)
    (work / "run-cut" / "run.json").write_bytes(b"{")
    return folder


@pytest.fixture
def place(things: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The things of this test alone, where it is."""
    shutil.copytree(things, tmp_path / "things")
    return _go_to(tmp_path / "things", monkeypatch)


@pytest.fixture
def shared_place(things: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The things that no test may change."""
    return _go_to(things, monkeypatch)


def _go_to(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("POLYMPI_HOME", str(folder / "home"))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(folder / "work")
    return folder / "work"


def _tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if "adding" not in path.parts)


RUN = [
    (["--ranks", "two"], "--ranks needs a whole number"),
    (["--ranks", "nan"], "--ranks needs a whole number"),
    (["--ranks", ""], "--ranks needs a whole number"),
    (["--ranks", "2.5"], "--ranks needs a whole number"),
    (["--scaling", "week"], "There is no scaling 'week': choose strong or weak. Did you mean 'weak'?"),
    (["--scaling", "weak", "--bench", "wave"], "--scaling weak compares several numbers of ranks: add --ranks 1,2,4"),
    (["--scaling", "weak", "--ranks", "2,4"], "'latency' has none: choose applications, --bench inner-product,wave"),
    (["--ranks", "0"], "--ranks 0 is impossible: a launch has at least 1 rank"),
    (["--ranks", "-3"], "--ranks -3 is impossible"),
    (["--ranks", "2,2"], "--ranks 2,2 names 2 twice: give each number of ranks once"),
    (["--ranks", "0,2"], "--ranks 0,2 is impossible: a launch has at least 1 rank"),
    (["--ranks", "1,"], "--ranks needs a whole number, or several such as 1,2,4, and not '1,'"),
    (["--ranks", "1,2", "--bench", "latency"], "can be measured on 1 rank: leave 1 out of --ranks"),
    (["--ranks", "1,4", "--tool", "NetPIPE"], "--tool NetPIPE cannot take part: with several numbers of ranks"),
    (["--ranks", "99999999"], "--ranks 99999999 is impossible: a launch has at most 65535 ranks"),
    (["--ranks", "1", "--bench", "latency"], "'latency' needs at least 2 ranks, and --ranks is 1"),
    (["--seed", "x"], "--seed needs a whole number"),
    (["--seed", "-1"], "--seed -1 is impossible"),
    (["--seed", str(2**70)], f"--seed {2**70} is impossible"),
    (["--time-limit", "soon"], "'soon' is not a duration: write it as 90s, 10m or 1h"),
    (["--time-limit", ""], "'' is not a duration"),
    (["--time-limit", "-5s"], "'-5s' is not a duration"),
    (["--time-limit", "nan"], "'nan' is not a duration"),
    (["--time-limit", "0"], "'0' is not a duration"),
    (["--launch-timeout", "never"], "'never' is not a duration: write it as 90s, 10m or 1h"),
    (["--launch-timeout", "0"], "'0' is not a duration"),
    (["--launch-timeout", "0.5s"], "--launch-timeout 0.5s is too short: give launches a second at least"),
    (["--sizes", "many"], "'many' is not a size"),
    (["--sizes", ""], "'' is not a size"),
    (["--sizes", "8,,9"], "'' is not a size"),
    (["--sizes", "-8"], "'-8' is not a size"),
    (["--sizes", "4:1"], "The size range '4:1' runs backwards"),
    (["--sizes", "９"], "'９' is not a size"),
    (["--sizes", "99999999999999999999"], "more bytes than any machine addresses"),
    (["--sizes", "1000000GiB"], "--sizes: a message of 1000000 GiB is more than this machine's memory"),
    (["--profile", ""], "There is no profile ''"),
    (["--pages", ""], "There are no pages ''"),
    (["--pages", "plan"], "choose huge or plain. Did you mean 'plain'?"),
    (["--profile", "quik"], "Did you mean 'quick'?"),
    (["--study", "module"], "There is no study 'module': choose modules. Did you mean 'modules'?"),
    (["--binding", "mpi5py"], "Did you mean 'mpi4py'?"),
    (["--binding", ""], "--binding names nothing"),
    (["--binding", "größer"], "There is no binding 'größer'"),
    (["--bench", ","], "--bench names nothing"),
    (["--bench", "latensy"], "Did you mean 'latency'?"),
    (["--bench", "latency/redy"], "Did you mean 'ready'?"),
    (["--bench", "bcast//"], "There is no benchmark 'bcast//'"),
    (["--stack", ""], "--stack names nothing"),
    (["--stack", "mpih"], "Did you mean 'mpich'?"),
    (["--stack", "openmpi"], "install it with 'polympi stack add openmpi'"),
    (["--stack", "../x"], "There is no stack '../x'"),
    (["--hostfile", "nowhere"], "There is no host file 'nowhere'"),
    (["--hostfile", "taken"], "The host file 'taken' is a directory"),
    (["--hostfile", "file"], "The host file 'file' names no host"),
    (["--hostfile", "comments"], "The host file 'comments' names no host"),
    (["--hostfile", "binary"], "The host file 'binary' is not text"),
    (["-o", "taken"], "'taken' exists and results are never overwritten"),
    (["-o", ""], "--output names nothing"),
    (["-o", "bad\udcff"], "is not valid UTF-8"),
    (["-o", "x" * 300], "the name is too long"),
    (["--bindings-from", "nowhere"], "There is no folder of bindings 'nowhere'"),
    (["--bindings-from", "file"], "There is no folder of bindings 'file'"),
    (["--bindings-from", "manifests/toml"], "it is not TOML in line 1, column 8"),
    (["--bindings-from", "manifests/bytes"], "it is not text in UTF-8"),
    (["--bindings-from", "manifests/directory"], "cannot be read: it is a directory"),
    (["--resume", "nowhere"], "There is no result directory 'nowhere'"),
    (["--resume", "taken"], "'taken' is not a result directory"),
    (["--resume", "run-cut"], "run.json' is damaged (it is not whole JSON)"),
    (["--resume", "run", "--profile", "quick", "--seed", "1"], "leave out --profile, --seed, or begin a new run"),
    (["--resume", "run", "--time-limit", "soon"], "'soon' is not a duration"),
    (["--resume", "run", "--launch-timeout", "soon"], "'soon' is not a duration"),
    (["--bindng", "c"], "Did you mean '--binding'?"),
    (["extra", "words"], "'polympi run' does not take 'extra words'"),
    (["--wait=yes"], "The option '--wait' takes no value"),
    (["--ranks"], "The option '--ranks' needs a value"),
]
OTHER = [
    (["rnu"], "There is no command 'rnu'"),
    (["help"], "It is 'polympi --help'."),
    (["version"], "It is 'polympi --version'."),
    (["stack", "list"], "It is 'polympi list'."),
    (["rnu"], "Did you mean 'run'?"),
    ([""], "There is no command ''"),
    (["--bogus"], "'polympi' has no option '--bogus'"),
    (["report"], "'polympi report' needs DIR"),
    (["report", "nowhere"], "There is no result directory 'nowhere'"),
    (["report", "file"], "There is no result directory 'file'"),
    (["report", "taken"], "'taken' is not a result directory: it has no run.json"),
    (["report", ""], "is not a result directory"),
    (["report", "run", "more"], "'polympi report' does not take 'more'"),
    (["report", "run", "--htm"], "Did you mean '--html'?"),
    (["report", "run-cut"], "it is not whole JSON"),
    (["diff", "run"], "'polympi diff' needs B"),
    (["diff", "run", "nowhere"], "There is no result directory 'nowhere'"),
    (["history"], "'polympi history' needs DIR"),
    (["gate"], "'polympi gate' needs --against"),
    (["gate", "--against", "nowhere"], "There is no result directory 'nowhere'"),
    (["gate", "--against", "run", "--threshold", "5"], "'5' is not a percentage above 0"),
    (["gate", "--against", "run", "--time-limit", "soon"], "'soon' is not a duration"),
    (["gate", "--against", "run", "-o", "taken"], "'taken' exists and results are never overwritten"),
    (["gate", "--against", "run", "--binding", "mpi5py"], "doesn't find mpi5py now"),
    (["import"], "'polympi import' needs FILE..."),
    (["import", "binary"], "'binary' is not an output that polympi can import"),
    (["import", "file"], "'file' is empty"),
    (["list", "--bindings-from", "nowhere"], "There is no folder of bindings 'nowhere'"),
    (["doctor", "now"], "'polympi doctor' does not take 'now'"),
    (["stack", "ad"], "Did you mean 'add'?"),
    (["stack", "add"], "'polympi stack add' needs NAME"),
    (["stack", "add", "mpih"], "Did you mean 'mpich'?"),
    (["stack", "add", ""], "'' is not a stack polympi knows how to install"),
    (["stack", "add", "../x", "--mpicc", "mpicc"], "'../x' cannot name a stack"),
    (["stack", "remove", "mpih"], "Did you mean 'mpich'?"),
    (["stack", "remove", ".."], "There is no stack '..' to remove"),
]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [*[(["run", *arguments], words) for arguments, words in RUN], *OTHER],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_a_bad_input_is_one_sentence(shared_place: Path, arguments: list[str], words: str) -> None:
    before = _tree(shared_place.parent)
    said = refusal(*arguments)
    assert words in said
    assert said.startswith("polympi: ")
    assert len(said.splitlines()) == 1
    assert said.rstrip()[-1] in ".?"
    assert not LIBRARY_WORDS.search(said)
    assert _tree(shared_place.parent) == before


def test_a_damaged_record_of_a_stack(place: Path) -> None:
    (place.parent / "home" / "stacks" / "mpich" / "stack.json").write_bytes(b'{"name": 7}')
    for arguments in (["list"], ["run"], ["run", "--stack", "mpich"]):
        said = refusal(*arguments)
        assert "the field 'name' must be text, and is a whole number" in said
        assert "polympi stack remove mpich" in said
        assert not LIBRARY_WORDS.search(said)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda run: (run / "run.json").unlink(), "it has no run.json"),
        (lambda run: (run / "report.html").mkdir(), "report.html"),
        (lambda run: (run / "report.html").write_text("mine"), "--force"),
    ],
)
def test_a_result_directory_that_cannot_be_used(place: Path, spoil: Callable[[Path], object], words: str) -> None:
    spoil(place / "run")
    said = refusal("report", "run")
    assert words in said
    assert not LIBRARY_WORDS.search(said)


def test_a_file_of_hosts_is_read_before_a_stack_is_looked_for(place: Path) -> None:
    said = refusal("run", "--hostfile", "file", "--stack", "nowhere")
    assert "names no host" in said


@pytest.mark.parametrize("words", [["run"], ["run", "--dry-run"]])
def test_a_host_whose_name_cannot_be_resolved_is_named_before_anything_is_launched(
    place: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    said = refusal(*words, "--hostfile", "nameless")
    assert "The name of the host no-such-host.invalid in the host file 'nameless' cannot be resolved: " in said
    assert not LIBRARY_WORDS.search(said)


def test_doctor_names_a_host_whose_name_cannot_be_resolved(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    (place / "alone").write_text("no-such-host.invalid\n")
    ssh = place / "bin" / "ssh"  # a machine may have none
    ssh.parent.mkdir()
    ssh.write_text("#!/bin/sh\nexit 255\n")
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    done = typed("doctor", "--hostfile", "alone", "--json")
    checks = {check["name"]: check for check in json.loads(done.stdout)["checks"]}
    assert done.returncode == 1
    assert (checks["names"]["status"], checks["names"]["hosts"]) == ("problem", ["no-such-host.invalid"])


def test_names_are_checked_before_a_stack_is_installed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def install(*_: object, **__: object) -> None:
        raise AssertionError("a stack was to be installed")

    monkeypatch.setattr(add, "add_stack", install)
    monkeypatch.setenv("POLYMPI_HOME", str(place.parent / "empty"))
    for arguments, words in RUN:
        if "--stack" not in arguments and "--resume" not in arguments:
            assert words in refusal("run", *arguments)
    assert not (place.parent / "empty").exists()
