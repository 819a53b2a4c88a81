"""Running Python programs on several ranks, on real MPI libraries, with this checkout's polympi."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from cores import COVERAGE, SANITIZE, core_folder
from hosts import HOSTS, Hosts, hosts_or_skip
from jobs import PROGRAM as PROGRAM_OF_JOBS
from jobs import CompanyError, Job, Jobs
from rank_programs import without_what_is_not_used
from sharing import patience

from polympi.lab.launch.not_started import not_started
from polympi.lab.process import run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack
from polympi.native import build

pytest.register_assert_rewrite("compiled_applications")

PROGRAMS = Path(__file__).parent / "programs"
VALUES = Path(__file__).parents[1] / "native"  # of all kinds, which programs send, too
PROCESSORS = len(os.sched_getaffinity(0))
DEFAULTS = {  # as without these variables
    "POLYMPI_MAILBOXES": "1",
    "POLYMPI_THREADS": "serialized",
    "MPIR_CVAR_NOLOCAL": "0",
}
CALLERS = 8  # that a report names of each malloc and free; to find 30, as is usual, takes time at every call
QUARANTINE_MB = 16  # of freed memory that each rank keeps apart; 256 for each of all ranks of the jobs are 15 GB
SESSION_S = 3600.0  # for a job that programs of a whole session use


UCX_WARNING = re.compile(r"\[[\d.]+\] \[[^]]+\] +\S+ +UCX +WARN +(.*)\n")
# Of Open MPI 5.0, when a window is made where UCX has no device.
WITHOUT_UCX = re.compile(r"\[\S+:\d+\] \S+osc_ucx_component\.c:\d+ +Error: OSC UCX component priority set .*\n\s*?\n")


@dataclass(frozen=True)
class Outcome:
    """How a program ended: the launcher's exit code (None when it was killed for time), and what all ranks wrote.

    `left` messages were received by nobody, as UCX has it, which carries MPICH's over several hosts.
    """

    exit_code: int | None
    stdout: str
    stderr: str
    left: int = 0

    def __str__(self) -> str:
        return f"exit code {self.exit_code}\n--- stdout\n{self.stdout}\n--- stderr\n{self.stderr}"

    def succeeded(self) -> str:
        """Standard output of a program that must have ended with code 0."""
        assert self.exit_code == 0, str(self)
        assert self.left == 0, f"{self.left} messages are left\n{self}"
        return self.stdout

    def as_on_one_host(self) -> Outcome:
        """Without what names hosts, as tests expect it that run on one and on several.

        PRRTE warns if it is slower than the child that starts a daemon on another host, and does its work again.
        """
        slower = re.compile(r"(?m)^\[\w+:\d+\] plm:ssh: Warning: setpgid.*\n")
        texts = (re.sub(r" \(host \w+\)", "", slower.sub("", text)) for text in (self.stdout, self.stderr))
        return Outcome(self.exit_code, *texts, self.left)

    @property
    def said(self) -> list[str]:
        """What polympi reported, sorted; launchers and MPI libraries have their own words."""
        return sorted(line for line in self.stderr.splitlines() if line.startswith("[rank "))

    def ends(self, code: int = 0, words: str | None = None, said: Sequence[str] | None = None) -> Outcome:
        """Assert that it ended with this code and wrote these words, and that polympi reported this in any order.

        If it may have reported nothing, standard error must be empty.
        """
        if code == 0:
            self.succeeded()
        assert self.exit_code == code, str(self)
        assert words is None or sorted(self.stdout.split()) == sorted(words.split()), str(self)
        assert said is None or self.said == sorted(said), str(self)
        assert said or said is None or self.stderr == "", str(self)
        return self


@pytest.fixture(scope="session")
def sanitizers() -> dict[str, str]:
    """Variables that let an interpreter, which is not sanitized itself, load a core that is.

    Python frees little at its end, so leaks are not looked for; its allocator would hide overruns of objects.
    """
    libraries = []
    for name in ("libasan.so", "libubsan.so"):
        said = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
        libraries.append(str(Path(said.stdout.strip()).resolve()))
    return {
        "LD_PRELOAD": " ".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99:use_sigaltstack=0:"
        f"malloc_context_size={CALLERS}:quarantine_size_mb={QUARANTINE_MB}",
        "UBSAN_OPTIONS": "print_stacktrace=1:exitcode=99",
        "PYTHONMALLOC": "malloc",
    }


def _file(script: str | Path, folder: Path) -> Path:
    """The file of a program, of which this may be the text."""
    if isinstance(script, Path):
        return script
    if script.endswith(".py"):
        return PROGRAMS / script
    program = folder / "program.py"
    program.write_text(without_what_is_not_used(textwrap.dedent(script)))
    return program


def _python(script: str | Path, stack: Stack, folder: Path, request: pytest.FixtureRequest) -> list[str]:
    """The command line of a rank."""
    python = [stack.python, str(_file(script, folder))]
    if SANITIZE:  # for the ranks alone: launchers are not what is examined
        variables: dict[str, str] = request.getfixturevalue("sanitizers")
        variables = variables | {"LD_PRELOAD": f"{variables['LD_PRELOAD']} {patience().get('LD_PRELOAD', '')}"}
        python = ["env", *(f"{name}={value}" for name, value in variables.items()), *python]
    return python


def _variables(stack: Stack) -> dict[str, str]:
    """Variables of the ranks, by which they import this checkout's polympi, and what programs share."""
    core = str(core_folder(stack))
    counted = {"GCOV_PREFIX": core, "GCOV_PREFIX_STRIP": "99"} if COVERAGE else {}  # next to the notes, flat as these
    return {
        "PYTHONPATH": f"{build.SOURCES.parents[1]}:{PROGRAMS}:{VALUES}",
        "PYTHONUNBUFFERED": "",  # would let lines of several ranks run into one another
        "POLYMPI_CORE_FOLDER": core,
        **patience(),
        **counted,
    }


@pytest.fixture
def polympi_env(stack: Stack) -> dict[str, str]:
    """Variables of ranks that tests launch from this process, or that have the mark ``polympi``."""
    variables = {**stack.variables(), **_variables(stack), "POLYMPI_LIBMPI": str(stack.libmpi)}
    return {name: value for name, value in variables.items() if os.environ.get(name) != value}


def _several_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts | None]:
    if HOSTS == 1:
        yield None
    else:
        yield from hosts_or_skip(tmp_path_factory.mktemp("several"), HOSTS)


@pytest.fixture(scope="session")
def hosts_of_launches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts | None]:
    """Where programs run for which ranks are launched; all that runs there ends with each. None: on this machine."""
    yield from _several_hosts(tmp_path_factory)


@pytest.fixture(scope="session")
def hosts_of_jobs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts | None]:
    """Where jobs run that stay. None: on this machine."""
    yield from _several_hosts(tmp_path_factory)


def _launch(
    launcher: Stack,
    ranks: int,
    program: Sequence[str],
    *,
    variables: Mapping[str, str],
    hosts: Hosts | None,
    folder: Path,
) -> tuple[list[str], dict[str, str]]:
    """The command that starts ranks, as many on each host, and the environment of that command.

    On several hosts the variables are also words of the command: not every launcher gives them to the other hosts.
    """
    environment = {**launcher.variables(), **variables}
    if hosts is None:
        return mpiexec_command(launcher, ranks, program, processors=PROCESSORS), environment
    # All hosts share the processors of one.
    variables = {**variables, "OMPI_MCA_mpi_yield_when_idle": "1"}
    program = ["env", *(f"{name}={value}" for name, value in variables.items()), *program]
    return mpiexec_command(
        launcher,
        ranks,
        program,
        processors=PROCESSORS,
        hostfile=hosts.hostfile(launcher.family, -(-ranks // len(hosts.cluster.hosts))),
        cluster=hosts.cluster,
        folder=folder,
    ), environment


@contextlib.contextmanager
def _undisturbed(environment: Mapping[str, str], hosts: Hosts | None) -> Iterator[Mapping[str, str]]:
    """The environment of a launch whose shared memory no other one touches; what killed ranks leave of it is removed.

    Open MPI 5 names the files of that memory by 16 bits of a hash of the launch. Two launches at a time that have them
    in common read each other's messages, and one of them crashes at its end: `prterun` as processes 26501 and 27731.
    """
    if hosts or not os.access("/dev/shm", os.W_OK):  # each host has one of its own
        yield environment
        return
    with tempfile.TemporaryDirectory(prefix="mpi-of-a-test-", dir="/dev/shm") as folder:
        yield {**environment, "OMPI_MCA_btl_sm_backing_directory": folder}


def _run(
    command: Sequence[str],
    environment: Mapping[str, str],
    timeout: float,
    folder: Path,
    *,
    hosts: Hosts | None = None,
    on_tick: Callable[[], None] = lambda: None,
) -> Outcome:
    """Run a command; as in the laboratory, once more where a launcher did not reach a host: no rank is to blame."""
    output, errors = folder / "stdout.txt", folder / "stderr.txt"
    for again in (False, True):
        with _undisturbed(environment, hosts) as whole_environment:
            ended = run_tree(
                ["sh", "-c", 'exec "$@" 2>"$0"', str(errors), *command],
                environment=whole_environment,
                timeout_s=timeout * (10 if SANITIZE else 1),
                output=output,
                folder=folder,
                on_tick=on_tick,
            )
        wrote = [path.read_text(errors="replace") for path in (output, errors)]
        if again or not hosts or not ended.exit_code:
            break
        if not not_started("".join(wrote)) or hosts.cluster.what_is_lost():
            break
        hosts.end_processes()
    warnings = [text for stream in wrote for text in UCX_WARNING.findall(stream)]
    out, err = (WITHOUT_UCX.sub("", UCX_WARNING.sub("", stream)) for stream in wrote)
    return Outcome(ended.exit_code, out, err, sum("was not matched" in text for text in warnings))


def _run_to_the_end(
    command: Sequence[str], environment: Mapping[str, str], timeout: float, folder: Path, hosts: Hosts | None
) -> Outcome:
    """Run a command and end what is left of it on several hosts."""
    try:
        return _run(command, environment, timeout, folder, hosts=hosts)
    finally:
        if hosts:
            hosts.end_processes()


def _runner(
    hosts: Hosts | None, folder: Path, request: pytest.FixtureRequest, *, each_host: bool = False
) -> Callable[..., Outcome]:
    """What runs a program; with this many ranks on each host, or in all, whose output then names no hosts."""

    def start(
        script: str | Path,
        ranks: int | None,
        stack: Stack,
        *,
        timeout: float = 150,
        env: Mapping[str, str] = {},
        launched_by: Stack | None = None,
        arguments: Sequence[str] = (),
    ) -> Outcome:
        python = [*_python(script, stack, folder, request), *arguments]
        launcher, variables = launched_by or stack, {**_variables(stack), **env}
        if ranks is None:
            return _run(python, {**launcher.variables(), **variables}, timeout, folder)
        if hosts and each_host:
            ranks *= len(hosts.cluster.hosts)
        command, environment = _launch(launcher, ranks, python, variables=variables, hosts=hosts, folder=folder)
        ended = _run_to_the_end(command, environment, timeout, folder, hosts)
        return ended if each_host else ended.as_on_one_host()

    return start


@pytest.fixture(params=["1", "0"], ids=["memory", "messages"])
def mailboxes(request: pytest.FixtureRequest) -> dict[str, str]:
    """The variable by which ranks of a machine share memory for collectives, or send messages."""
    return {"POLYMPI_MAILBOXES": request.param}


@pytest.fixture
def run(tmp_path: Path, hosts_of_launches: Hosts | None, request: pytest.FixtureRequest) -> Callable[..., Outcome]:
    """Runs a Python program, its text or its file in programs/, on this many ranks of a stack.

    None starts it without a launcher. It waits `timeout` seconds for its end; no process of it outlives the call.
    `launched_by` is the stack of the launcher, where this is another one.
    """
    return _runner(hosts_of_launches, tmp_path, request)


@pytest.fixture
def run_together(
    tmp_path: Path, hosts_of_launches: Hosts | None, request: pytest.FixtureRequest
) -> Callable[..., Outcome]:
    """Runs several programs as one job: of each how many ranks, and a Python program as for `run`, or a command."""

    def start(
        parts: Sequence[tuple[int, str | Path | Sequence[str]]],
        stack: Stack,
        *,
        timeout: float = 150,
        env: Mapping[str, str] = {},
    ) -> Outcome:
        words: list[str] = []
        variables = {**_variables(stack), **env}
        given = ["env", *(f"{name}={value}" for name, value in variables.items())] if hosts_of_launches else []
        for number, (ranks, program) in enumerate(parts):
            folder = tmp_path / f"part-{number}"
            folder.mkdir()
            is_python = isinstance(program, (str, Path))
            command = _python(program, stack, folder, request) if is_python else [*program]
            words += [*([":", "-n", str(ranks), *given] if words else []), *command]
        whole = sum(ranks for ranks, _ in parts)
        command, environment = _launch(
            stack, whole, words, variables=variables, hosts=hosts_of_launches, folder=tmp_path
        )
        command[command.index("-n") + 1] = str(parts[0][0])
        return _run_to_the_end(command, environment, timeout, tmp_path, hosts_of_launches).as_on_one_host()

    return start


@pytest.fixture(scope="session")
def jobs(hosts_of_jobs: Hosts | None) -> Iterator[Jobs]:
    """The jobs of this session, which must end well."""
    jobs = Jobs()
    yield jobs
    jobs.end()


@pytest.fixture
def run_in_job(
    jobs: Jobs,
    run: Callable[..., Outcome],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Callable[..., str]:
    """Runs a program as `run` does, on ranks that stay for other tests: what these wrote, one after another.

    It fails where one of its ranks does. Programs with the same stack, number of ranks and variables have the same job.
    """

    def in_job(
        script: str | Path,
        ranks: int,
        stack: Stack,
        *,
        timeout: float = 150,
        env: Mapping[str, str] = {},
        arguments: Sequence[str] = (),
    ) -> str:
        def start() -> Job:
            folder = tmp_path_factory.mktemp("job")
            hosts_of_jobs: Hosts | None = request.getfixturevalue("hosts_of_jobs")
            python = _python(PROGRAM_OF_JOBS, stack, folder, request)
            command, environment = _launch(
                stack, ranks, python, variables={**_variables(stack), **env}, hosts=hosts_of_jobs, folder=folder
            )
            return Job(
                ranks,
                lambda place, on_tick: _run(
                    [*command, place], environment, SESSION_S, folder, hosts=hosts_of_jobs, on_tick=on_tick
                ),
            )

        key = stack.name, ranks, tuple(sorted(env.items() - DEFAULTS.items()))
        job = jobs.get(key, start)
        try:
            return job.run(_file(script, tmp_path), arguments, timeout * (10 if SANITIZE else 1))
        except CompanyError as error:
            jobs.forget(key)
            run(script, ranks, stack, timeout=timeout, env=env, arguments=arguments).succeeded()
            before = "\n".join(job.programs[:-1])
            pytest.fail(f"It succeeds alone, but not after other programs:\n{before}\n\n{error}", pytrace=False)

    return in_job


@pytest.fixture
def run_on_hosts(tmp_path: Path, hosts: Hosts, request: pytest.FixtureRequest) -> Callable[..., Outcome]:
    """Runs a program as `run` does, with this many ranks on each of two hosts."""
    return _runner(hosts, tmp_path, request, each_host=True)


@pytest.fixture(scope="session")
def four_hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    """Four hosts with a network between them."""
    yield from hosts_or_skip(tmp_path_factory.mktemp("four"), 4)


@pytest.fixture
def run_on_four_hosts(tmp_path: Path, four_hosts: Hosts, request: pytest.FixtureRequest) -> Callable[..., Outcome]:
    """Runs a program as `run` does, with this many ranks on each of four hosts."""
    return _runner(four_hosts, tmp_path, request, each_host=True)
