"""Programs that use mpi4py and that nobody here wrote: as they are, accelerated, and ported to polympi's interface.

    python benchmarks/programs_of_others.py --stack mpich --rounds 5 [--programs cobaya,mpi-list]

Installs each program from the package index, with the versions below, into a folder of its own beside the stack, and
launches its tests or an example in the three ways in turn. A port is a list of replacements in the installed copy.
Prints a table in Markdown: how launches ended, how long they took, and the medians over rounds of accelerated and of
ported over plain, with the least and greatest. Exits with 1 if a program that ends well with mpi4py ends otherwise in
another way.
"""

import argparse
import difflib
import hashlib
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mpi4py_suite import ARMS, Source, fetch, words_of

from polympi.lab.bindings.core import build_core
from polympi.lab.bindings.made_once import made_once
from polympi.lab.home import home
from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack, installed_stacks

SOURCES = Path(__file__).parent.parent / "src"
INSTALL_S = 1200.0
LAUNCH_S = 120.0
PLAIN, ACCELERATED, PORTED = WAYS = (*ARMS, "ported")
# Else the threads of each rank's linear algebra would keep the other ranks from the processors.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
# pytest-mpi 0.6 doesn't know newer ones, and the tests of mpi-list measure their coverage.
TESTING = ("pytest<8.4", "pytest-mpi==0.6", "pytest-cov==7.1.0")


@dataclass(frozen=True)
class Program:
    """A program, what it needs, and the launch of it that is compared."""

    source: Source
    what: str  # is launched, as the table says it
    ranks: int
    words: tuple[str, ...]  # after `python`; {} is its unpacked archive
    further: tuple[str, ...] = ()  # packages
    files: dict[str, str] = field(default_factory=dict)  # in the folder in which it runs: name and text
    ported: tuple[str, ...] = ()  # files that use mpi4py
    port: tuple[
        tuple[str, str | Callable[[re.Match[str]], str]], ...
    ] = ()  # beyond the usual replacements: regular expressions, and what replaces them


# What most programs need: polympi by the name that mpi4py's module had, and properties instead of Get_ methods.
USUAL: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"from mpi4py import MPI( as \w+)?", lambda found: f"import polympi{found[1] or ' as MPI'}"),
    (r"MPI\.COMM_WORLD", "MPI.world"),
    (r"\.Get_(rank|size)\(\)", r".\1"),
    (r"\.Get_source\(\)", ".source"),
    (r"\.(Barrier|Ibarrier|Isend|Test)\(", lambda found: f".{found[1].lower()}("),
)

MIXTURE = """
likelihood:
  gaussian_mixture: {means: [0.2, 0], covs: [[0.1, 0.05], [0.05, 0.2]]}
params:
  a: {prior: {min: -0.5, max: 3}}
  b: {prior: {dist: norm, loc: 0, scale: 1}, ref: 0, proposal: 0.5}
sampler:
  mcmc: {seed: 1, Rminus1_stop: 0.1}
"""

WALKERS = """
import emcee, numpy as np, schwimmbad
def log_probability(x):
    return -0.5 * np.sum(x**2)
with schwimmbad.MPIPool() as pool:
    if not pool.is_master():
        pool.wait()
        raise SystemExit
    np.random.seed(1)
    sampler = emcee.EnsembleSampler(32, 3, log_probability, pool=pool)
    sampler.run_mcmc(np.random.randn(32, 3), 300)
    assert np.all(np.abs(sampler.get_chain(flat=True).mean(axis=0)) < 0.5)
"""

NESTED = """
import numpy as np, ultranest
def log_likelihood(theta):
    return -0.5 * np.sum(((theta - 0.5) / 0.1) ** 2, axis=-1)
sampler = ultranest.ReactiveNestedSampler(["a", "b"], log_likelihood, lambda cube: cube, vectorized=True)
result = sampler.run(min_num_live_points=200, show_status=False, viz_callback=False)
assert abs(result["logz"] - np.log(2 * np.pi * 0.01)) < 1
"""

_PYLOPS = [f"{{}}/tests/test_{name}.py" for name in ("distributedarray", "halo", "blockdiag", "stack")]
_LIBENSEMBLE = "{}/libensemble/tests/functionality_tests/test_"
_FARMER = (
    *("--module-name", "{}/mpisppy/tests/examples/farmer", "--num-scens", "6", "--solver-name", "appsi_highs"),
    *("--max-iterations", "10", "--max-solver-threads", "1", "--default-rho", "1", "--lagrangian", "--xhatshuffle"),
    *("--rel-gap", "0.01", "--linearize-proximal-terms"),
)

PROGRAMS = (
    Program(
        Source("cobaya", "3.6", "a51691c9084565801998999ff4a5d0bbece04173d9c9a27da736059664fd17b7"),
        "four chains of its MCMC sampler",
        4,
        ("-m", "cobaya", "run", "mixture.yaml"),
        files={"mixture.yaml": MIXTURE},
        ported=("cobaya/mpi.py",),
        port=(
            (
                r'getattr\(get_mpi_comm\(\), "Get_(size|rank)", lambda: (0|None)\)\(\)',
                r'getattr(get_mpi_comm(), "\1", \2)',
            ),
            ('"COMM_WORLD"', '"world"'),
            (r"get_mpi_comm\(\)\.Abort\(1\)", "get_mpi().abort(1)"),
            (r"_mpi\.pickle\.__init__\(dill\.dumps, dill\.loads\)", "pass"),
            (r"source=_mpi\.ANY_SOURCE, tag=self\.tag\)", "tag=self.tag)"),
            (r" +status = _mpi\.Status\(\)\n", ""),
            (
                r"_mpi_comm\.Recv\(\s+self\._recv_state, source=_mpi.ANY_SOURCE, tag=self.tag, status=status\s+\)",
                "_, status = _mpi_comm.recv(tag=self.tag, into=self._recv_state, status=True)",
            ),
        ),
    ),
    Program(
        Source("dask-mpi", "2026.3.0", "10ebe4e4a1d53c12546a08b4275bc762a4676a175cc40b5ecc6ca2c91e8a2e7e"),
        "a test with scheduler, client and two workers",
        4,
        ("{}/dask_mpi/tests/execute_basic.py", "4", "1", "0", "True"),
        ported=("dask_mpi/execute.py",),
    ),
    Program(
        Source("emcee", "3.1.6", "11af4daf6ab8f9ca69681e3c29054665db7bbd87fd4eb8e437d2c3a1248c637d"),
        "9,600 samples with schwimmbad's pool",
        3,
        ("walkers.py",),
        ("schwimmbad==0.4.2",),
        {"walkers.py": WALKERS},
        ported=("schwimmbad/mpi.py",),
        port=(
            # The pool ends its workers twice, at the end of `with` and at exit, where nobody receives the message.
            (r"atexit\.register\(lambda: MPIPool\.close\(self\)\)", "pass"),
            (r"MPI\.world\.Abort\(\)", "MPI.abort(1)"),
            (r" +status = MPI\.Status\(\)\n", ""),
            (
                r"(task|result) = (self\.comm\.recv\(\s*source=[\w.]+, tag=[\w.]+, status=)status",
                r"\1, status = \2True",
            ),
            (r"\.(Iprobe|Probe)\(source=MPI\.ANY_SOURCE, tag=MPI\.ANY_TAG\)", lambda found: f".{found[1].lower()}()"),
        ),
    ),
    Program(
        Source("libensemble", "1.6.1", "a3f44cf0bc2196b3fa9e8d343911d1799f09166cddc8e0f0c457249ddeef1827"),
        "a test of sampling by a manager and three workers",
        4,
        (f"{_LIBENSEMBLE}1d_super_simple.py", "--comms", "mpi"),
    ),
    Program(
        Source("mpi-list", "0.4.0", "90e546be5f9568dad00b7406aec08cb8251f957bd3fd3c087880b589812bd924"),
        "its 23 tests",
        2,
        (*PYTEST, "--no-cov", "{}/tests"),
        ported=("mpi_list/dfm.py", "mpi_list/reducer.py"),
        port=(
            (r"\.Recv\(\[(.+?), .+, self\.MPI\.BYTE\], (.+)\)", r".recv(\2, into=\1)"),
            (r"\.Send\(\[(.+?), .+, self\.MPI\.BYTE\], (.+)\)", r".send(\1, \2)"),
        ),
    ),
    Program(
        Source("mpi-sppy", "0.14.0", "a5a2d3df936d69c1f24d0f102cbdd089412c3fe8a26069e42c330cc0b9dd4983"),
        "the farmer's problem by a hub and two spokes, which exchange bounds through windows",
        3,
        ("-m", "mpisppy.generic_cylinders", *_FARMER),
        ("highspy==1.16.0", "pyomo==6.10.1", "scipy==1.16.3"),
    ),
    Program(
        Source("pylops-mpi", "0.8.0", "02c9c72beff47f781829c352c9bce072c242c8fb7aaeeb67776bed55fc5dacbf"),
        "124 tests of arrays, halos and operators",
        2,
        (*PYTEST, "--with-mpi", *_PYLOPS),
    ),
    Program(
        Source("ultranest", "4.6.3", "7d8fe3440b4e86c37f02dce9f8532fa1100522d9628626b69d9ca9d5239784f8"),
        "nested sampling of a Gaussian",
        2,
        ("nested.py",),
        files={"nested.py": NESTED},
        ported=("ultranest/integrator.py",),
    ),
)


def install(program: Program, stack: Stack) -> Path:
    """The folder with a program and all that it needs but mpi4py, which is the stack's."""
    wanted = [f"{program.source.name}=={program.source.version}", *program.further, *TESTING]
    key = hashlib.sha256(" ".join(wanted).encode()).hexdigest()[:8]
    folder = home() / "tests" / f"{program.source.folder}-{key}-for-{stack.name}"
    with made_once(folder) as made:
        if made:
            command = [stack.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            command += ["--root-user-action=ignore", "--target", str(made), *wanted]
            subprocess.run(command, check=True, timeout=INSTALL_S)
            for part in made.glob("mpi4py*"):
                if not part.name.startswith("mpi4py_fft"):
                    shutil.rmtree(part)
    return folder


@dataclass(frozen=True)
class Launch:
    """How a launch ended."""

    code: int | None  # None: its time was up
    seconds: float
    tail: str  # the last that it wrote

    @property
    def outcome(self) -> str:
        """As the table says it."""
        return "waits forever" if self.code is None else "passes" if self.code == 0 else f"code {self.code}"


def port(program: Program, packages: Path) -> tuple[Path, int]:
    """A copy of the installed packages with the ported files, and how many lines changed."""
    folder, changed = packages.with_name(f"{packages.name}-ported"), 0
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(packages, folder, symlinks=True)
    for name in program.ported:
        before = after = (packages / name).read_text()
        for pattern, replacement in (*USUAL, *program.port):
            after = re.sub(pattern, replacement, after)
        (folder / name).write_text(after)
        changed += sum(line.startswith("+ ") for line in difflib.ndiff(before.splitlines(), after.splitlines()))
    return folder, changed


def launch(program: Program, stack: Stack, arm: str, packages: Path) -> Launch:
    """Run a program once, in an empty folder."""
    archive = str(fetch(program.source) / program.source.folder)
    words = words_of(arm, [word.replace("{}", archive) for word in program.words])
    command = mpiexec_command(stack, program.ranks, [stack.python, *words], processors=len(os.sched_getaffinity(0)))
    variables = {
        **{key: value for key, value in os.environ.items() if key in {"PATH", "HOME", "LANG"}},
        **stack.variables(),
        **ONE_THREAD,
        "PYTHONPATH": f"{SOURCES}{os.pathsep}{packages}",
        "POLYMPI_CORE_FOLDER": str(build_core(stack)),
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, text in program.files.items():
            Path(folder, name).write_text(text)
        output = Path(folder, "output")
        ended = run_tree(command, environment=variables, timeout_s=LAUNCH_S, output=output, folder=Path(folder))
    return Launch(ended.exit_code, ended.wall_ns / 1e9, ended.tail)


def row(program: Program, rounds: Sequence[Mapping[str, Launch]], changed: int) -> str:
    """A line of the table, from what each round found."""
    cells = [f"{program.source.name} {program.source.version}", program.what, str(program.ranks)]
    for arm in WAYS:
        launches = [found[arm] for found in rounds if arm in found]
        ends = ", ".join(f"{count} {end}" for end, count in Counter(launch.outcome for launch in launches).items())
        if arm == PLAIN:
            cells.append(f"{ends}, {statistics.median(launch.seconds for launch in launches):.1f} s")
        elif launches:
            ratios = [found[arm].seconds / found[PLAIN].seconds for found in rounds]
            cells.append(f"{ends}, {statistics.median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})")
    return " | ".join(["", *cells, *([f"{changed} lines"] if changed else ["", ""]), ""]).strip()


def compare(program: Program, stack: Stack, rounds: int) -> tuple[str, bool]:
    """The line of the table for a program, and whether it ends well in every way if it does with mpi4py."""
    packages = install(program, stack)
    ported, changed = port(program, packages) if program.ported else (packages, 0)
    ways = [way for way in WAYS if changed or way != PORTED]
    found = [
        {
            way: launch(program, stack, way, ported if way == PORTED else packages)
            for way in ways[:: -1 if turn % 2 else 1]
        }
        for turn in range(rounds)
    ]
    good = True
    for launches in found:
        for way in ways[1:] if launches[PLAIN].code == 0 else []:
            if launches[way].code != 0:
                good = False
                print(f"{program.source.name}, {way}:", launches[way].tail, sep="\n", file=sys.stderr)
    return row(program, found, changed), good


def main() -> int:
    """Launch all, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stack", default="mpich")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--programs", help="names, separated by commas; all if not given")
    arguments = parser.parse_args()
    names = [program.source.name for program in PROGRAMS]
    named = (arguments.programs or ",".join(names)).split(",")
    if unknown := sorted({*named} - {*names}):
        parser.error(f"unknown programs: {', '.join(unknown)}")
    print("| program | launched | ranks | mpi4py | accelerated | ported | changed |", "|---" * 7 + "|", sep="\n")
    all_good = True
    for program in PROGRAMS:
        if program.source.name in named:
            line, good = compare(program, installed_stacks()[arguments.stack], arguments.rounds)
            print(line, flush=True)
            all_good &= good
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
