"""Tests of mpi4py, and of programs that use it, with mpi4py as it is and accelerated: which of them differ.

    python benchmarks/mpi4py_suite.py run FILE --stacks mpich,openmpi --ranks 1,2,3,4,5 [--modules test_p2p_obj,...]
    python benchmarks/mpi4py_suite.py programs FILE --stacks mpich,openmpi --ranks 3
    python benchmarks/mpi4py_suite.py tables FILE...

``run`` and ``programs`` append to the CSV file, one line per test and launch, so that they may be called several times;
a later line of the same test replaces the one before. ``tables`` writes the tables of docs/compat/mpi4py.md. The tests
are fetched from the package index. A test has the worst outcome that it has on any rank; ``stopped`` means that it had
begun when the time was up. mpi4py-fft is compiled, which needs FFTW (Debian: libfftw3-dev).
"""

import argparse
import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from polympi.lab.bindings.core import build_core
from polympi.lab.bindings.made_once import made_once
from polympi.lab.home import home
from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack, installed_stacks

HERE = Path(__file__).parent
RANK_PROGRAM = HERE / "mpi4py_suite_rank.py"
TIMEOUT_S = 600.0
DEMO_S = 60.0  # a demo takes seconds, and one never ends if its counter is reset while others use it
ARMS = ("plain", "accelerated")
COLUMNS = ("stack", "ranks", "arm", "test", "outcome")
WORST_FIRST = ("stopped", "failed", "skipped", "passed")


class Source(NamedTuple):
    """A package in the index, as it is published there."""

    name: str
    version: str
    sha256: str

    @property
    def folder(self) -> str:
        """The folder that the archive has everything in."""
        return f"{self.name.replace('-', '_')}-{self.version}"


MPI4PY = Source("mpi4py", "4.1.2", "56860286dc45f20e8821e93cb06669e30462348bf866f685553fa4b712d58d02")
MPI4PY_FFT = Source("mpi4py-fft", "2.0.6", "2d43aba64d1d6098896cb89942c686a7e8832f1ea6f1593e617d70f365407087")
SCHWIMMBAD = Source("schwimmbad", "0.4.2", "efe65051ae77ae9f6c38ecf97aa4f4780359ba9742caddd7df2083c5750e4ca9")
# What the two others need at run time and the stacks do not have.
FURTHER = ("dill==0.4.1", "multiprocess==0.70.19")

# Modules of mpi4py's tests in which polympi does something; they take about half a minute per launch.
OBJECTS = (
    *("test_p2p_obj", "test_p2p_obj_matched", "test_cco_obj", "test_cco_obj_inter", "test_cco_ngh_obj"),
    *("test_comm", "test_comm_inter", "test_comm_topo", "test_request", "test_status", "test_attributes"),
    *("test_pickle", "test_objmodel", "test_subclass", "test_handle", "test_doc", "test_exceptions", "test_threads"),
    *("test_session", "test_environ", "test_grequest", "test_util_pkl5", "test_util_pool", "test_dynproc"),
)
# Those of buffers: each takes one to several minutes where ranks outnumber processors.
BUFFERS = (
    *("test_p2p_buf", "test_p2p_buf_matched", "test_p2p_buf_part", "test_msgspec", "test_msgzero", "test_pack"),
    *("test_cco_buf", "test_cco_buf_inter", "test_cco_nb_buf", "test_cco_nb_vec", "test_cco_ngh_buf"),
    *("test_cco_pr_buf", "test_cco_pr_ngh_buf", "test_cco_pr_vec", "test_cco_vec", "test_cco_vec_inter"),
    *("test_util_sync", "test_spawn"),
)
COMMUNICATION = OBJECTS + BUFFERS
# Looks into mpi4py's table of locks, which is for collectives of objects that mpi4py makes itself.
INTERNAL = "testCommLock"

# Demos of mpi4py, by the words that start them; each shall end with the same code as with mpi4py itself.
_INIT_FINI = [f"init-fini/test_{number}.py" for number in (*range(1, 7), "mpi40")]
_OPTIONS = [
    *("threads=true", "threads=false", "fast_reduce=true", "fast_reduce=false", "recv_mprobe=true"),
    *("recv_mprobe=false", "irecv_bufsz=0", "irecv_bufsz=1", "irecv_bufsz=1024", "errors=default"),
    *("errors=exception", "errors=abort", "errors=fatal"),
    *(f"thread_level={level}" for level in ("single", "funneled", "serialized", "multiple")),
]
_NXTVAL = [f"nxtval/nxtval-{how}.py" for how in ("threads", "dynproc", "onesided", "scalable", "mpi3")]
DEMOS: tuple[tuple[str, ...], ...] = (
    ("mpi-ref-v1/ex-2.29.py",),
    *(("init-fini/test_0.py", option) for option in _OPTIONS),
    *((script,) for script in (*_INIT_FINI, *_NXTVAL)),
)


@dataclass(frozen=True)
class Fetched:
    """Where everything lies: the sources of mpi4py, of mpi4py-fft and of schwimmbad, and the latter two installed."""

    folder: Path
    packages: Path

    def source(self, source: Source) -> Path:
        """The unpacked archive of a package."""
        return self.folder / source.folder


def fetch(*sources: Source) -> Path:
    """The folder with unpacked archives, which are fetched once; OSError if the index cannot be reached."""
    folder = home() / "tests" / "sources"
    for source in sources:
        with made_once(folder / source.folder) as made:
            if made:
                with tarfile.open(fileobj=io.BytesIO(_download(source))) as archive:
                    archive.extractall(made.parent / "all", filter="data")
                made.rmdir()
                (made.parent / "all" / source.folder).rename(made)
    return folder


def _download(source: Source) -> bytes:
    accept = {"Accept": "application/vnd.pypi.simple.v1+json"}
    question = urllib.request.Request(f"https://pypi.org/simple/{source.name}/", headers=accept)
    with urllib.request.urlopen(question, timeout=60) as answer:
        files = json.load(answer)["files"]
    place = next(file["url"] for file in files if file["filename"] == f"{source.folder}.tar.gz")
    with urllib.request.urlopen(place, timeout=120) as answer:
        packed: bytes = answer.read()
    if hashlib.sha256(packed).hexdigest() != source.sha256:
        raise OSError(f"The archive {place} is not the one that is expected.")
    return packed


# schwimmbad's pool tells its workers to end when its `with` is over, and once more at exit, when they may have left
# MPI. With MPICH and mpi4py as it is, half of the launches end by signal 9 then, and none of 40 without that message.
SECOND_END = "        atexit.register(lambda: MPIPool.close(self))\n"


def install(stack: Stack) -> Path:
    """mpi4py-fft and schwimmbad, compiled once in a separate folder, so that the stacks stay as they are."""
    folder = home() / "tests" / f"packages-of-{MPI4PY_FFT.folder}-{SCHWIMMBAD.folder}-that-ends-once"
    with made_once(folder) as made:
        if made:
            wanted = [f"{source.name}=={source.version}" for source in (MPI4PY_FFT, SCHWIMMBAD)]
            command = [stack.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
            command += ["--root-user-action=ignore", "--target", str(made), *wanted, *FURTHER]
            subprocess.run(command, check=True, timeout=TIMEOUT_S, capture_output=True, text=True)
            pool = made / "schwimmbad" / "mpi.py"
            before, after = pool.read_text(encoding="utf-8").split(SECOND_END)
            pool.write_text(before + after, encoding="utf-8")
    return folder


def outcomes(folder: Path) -> dict[str, str]:
    """What became of each test, from the files of all ranks: the worst of them."""
    found: dict[str, str] = {}
    for file in folder.iterdir():
        of_rank: dict[str, str] = {}
        for line in file.read_text().splitlines():
            word, test = line.split(maxsplit=1)
            outcome = "stopped" if word == "began" else word
            if not (outcome == "passed" and of_rank.get(test) == "failed"):  # of a part of it
                of_rank[test] = outcome
        for test, outcome in of_rank.items():
            found[test] = min(found.get(test, outcome), outcome, key=WORST_FIRST.index)
    return found


def differences(plain: Mapping[str, str], accelerated: Mapping[str, str]) -> list[str]:
    """Tests with another outcome, except one that mpi4py itself does not pass; ``test: outcome, outcome``."""
    return [
        f"{test}: {plain.get(test, 'not run')}, {accelerated.get(test, 'not run')}"
        for test in sorted({*plain, *accelerated})
        if plain.get(test) != accelerated.get(test) and plain.get(test) not in {"failed", "stopped"}
    ]


# ---- launching ----


def launch(
    words: Sequence[str], ranks: int, stack: Stack, further: Mapping[str, str], timeout_s: float = TIMEOUT_S
) -> int | None:
    """Run a Python program of these words on ranks; its exit code, None if its time was up."""
    command = mpiexec_command(stack, ranks, [stack.python, *words], processors=len(os.sched_getaffinity(0)))
    path = os.pathsep.join([str(HERE.parent / "src"), *filter(None, [further.get("PYTHONPATH")])])
    variables = {**stack.variables(), **further, "PYTHONPATH": path, "POLYMPI_CORE_FOLDER": str(build_core(stack))}
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "output")
        ended = run_tree(command, environment=variables, timeout_s=timeout_s, output=output)
        if ended.exit_code != 0:
            print(f"{' '.join(words)}: code {ended.exit_code}", ended.tail, sep="\n", file=sys.stderr)
    return ended.exit_code


def run_modules(tests: Path, names: Iterable[str], ranks: int, stack: Stack, arm: str) -> dict[str, str]:
    """What became of each test of modules, each in its own launch."""
    found: dict[str, str] = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            launch([str(RANK_PROGRAM), arm, folder, str(tests), name], ranks, stack, {})
            found |= outcomes(Path(folder))
    return found


def words_of(arm: str, words: Sequence[str]) -> list[str]:
    """The words that start a script of mpi4py."""
    return [*(["-m", "polympi", "--as", "mpi4py"] if arm == "accelerated" else []), *words]


def run_programs(
    fetched: Fetched,
    ranks: int,
    stack: Stack,
    arm: str,
    variables: Mapping[str, str] | None = None,
    *,
    left_out: Collection[str] = (),
) -> dict[str, str]:
    """What became of each program that is not left out: ``passed`` if it ended with code 0."""
    demos, found = fetched.source(MPI4PY) / "demo", {}
    schwimmbad = fetched.source(SCHWIMMBAD) / "tests"
    fft = fetched.source(MPI4PY_FFT) / "tests"
    programs = {f"mpi4py: {' '.join(words)}": [str(demos / words[0]), *words[1:]] for words in DEMOS}
    programs |= {f"mpi4py-fft: {name}": [str(fft / name)] for name in ("test_pencil.py", "test_darray.py")}
    programs |= {f"schwimmbad: {name}": [str(schwimmbad / name)] for name in ("test_mpi.py", "test_mpi_with_dill.py")}
    further = {**(variables or {}), "PYTHONPATH": str(fetched.packages)}
    for name, words in programs.items():
        if name in left_out:
            continue
        timeout_s = DEMO_S if name.startswith("mpi4py:") else TIMEOUT_S
        code = launch(words_of(arm, words), ranks, stack, further, timeout_s)
        found[name] = "passed" if code == 0 else "stopped" if code is None else "failed"
    return found


# ---- tables ----

Results = dict[tuple[str, int, str], dict[str, str]]


def read(files: Iterable[Path]) -> Results:
    """Outcomes of tests, by stack, number of ranks, and arm."""
    found: Results = {}
    for file in files:
        with file.open(newline="") as lines:
            for line in csv.DictReader(lines):
                tests = found.setdefault((line["stack"], int(line["ranks"]), line["arm"]), {})
                tests[line["test"]] = line["outcome"]
    return found


def tables(results: Results) -> str:
    """Tables in Markdown: numbers of tests, and those that differ."""
    lines = [
        "| stack | ranks | with | run | passed | failed | stopped | skipped |",
        "|---|---|---|---|---|---|---|---|",
    ]
    differing: dict[str, list[str]] = {}
    for (stack, ranks, arm), found in sorted(results.items(), key=lambda item: (item[0][:2], item[0][2] != "plain")):
        count = Counter(found.values())
        numbers = [len(found), *(count[outcome] for outcome in ("passed", "failed", "stopped", "skipped"))]
        label = "mpi4py" if arm == "plain" else "accelerated"
        lines.append(f"| {stack} | {ranks} | {label} | {' | '.join(map(str, numbers))} |")
        if arm == "accelerated":
            for line in differences(results.get((stack, ranks, "plain"), {}), found):
                differing.setdefault(line, []).append(f"{stack} {ranks}")
    lines += ["", "| test: outcome with mpi4py, accelerated | where |", "|---|---|"]
    lines += [f"| {line} | {', '.join(where)} |" for line, where in sorted(differing.items())]
    return "\n".join(lines)


def _append(file: Path, stack: str, ranks: int, arm: str, found: Mapping[str, str]) -> None:
    with file.open("a", newline="") as sink:
        writer = csv.writer(sink)
        if sink.tell() == 0:
            writer.writerow(COLUMNS)
        writer.writerows((stack, ranks, arm, test, outcome) for test, outcome in sorted(found.items()))


def main() -> None:
    """Run, or show tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["run", "programs", "tables"])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--stacks", default="mpich,openmpi")
    parser.add_argument("--ranks", default="1,2,3,4,5")
    parser.add_argument("--modules", default=",".join(COMMUNICATION))
    arguments = parser.parse_args()
    if arguments.what == "tables":
        print(tables(read(arguments.files)))
        return
    stacks = installed_stacks()
    for name in arguments.stacks.split(","):
        for ranks in map(int, arguments.ranks.split(",")):
            for arm in ARMS:
                if arguments.what == "run":
                    tests = fetch(MPI4PY) / MPI4PY.folder / "test"
                    found = run_modules(tests, arguments.modules.split(","), ranks, stacks[name], arm)
                else:
                    fetched = Fetched(fetch(MPI4PY, MPI4PY_FFT, SCHWIMMBAD), install(stacks[name]))
                    found = run_programs(fetched, ranks, stacks[name], arm)
                _append(arguments.files[0], name, ranks, arm, found)
                print(name, ranks, arm, dict(Counter(found.values())), flush=True)


if __name__ == "__main__":
    main()
