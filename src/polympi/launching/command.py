"""The command that starts ranks: the launcher of the MPI library that they will run on."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from polympi import launcher, library
from polympi.errors import LauncherError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LAUNCHER_VARIABLE = "POLYMPI_LAUNCHER"  # the words of a launcher, as in a shell
LAUNCH_VARIABLE = "POLYMPI_LAUNCH"  # in the ranks: where they connect to, and the key; later only that they are ranks
HANG_VARIABLE, NO_REPORTS = "POLYMPI_HANG", "1e8"  # SIGUSR1 asks what a rank waits for; nothing is reported unasked
WORKER = ("-c", "from polympi.launching.rank import main; main()")
# What launchers leave to the processes that they start, without which a launcher isn't taken for one inside another.
OF_LAUNCHERS = ("PMI_", "PMIX_", "OMPI_COMM_WORLD_", "PRTE_", "HYDI_", "HYDRA_", "MPI_LOCAL")
OF_USERS = ("PMIX_MCA_", "PRTE_MCA_")
SRUN_PLUGINS = {"openmpi": "pmix", "mpich": "pmi2"}


class Launch(NamedTuple):
    """How ranks are started.

    Attributes:
        words: of the command, without the program.
        local: whether all ranks run on this machine.
        environment: of the command.
    """

    words: list[str]
    local: bool
    environment: dict[str, str]


def refuse_rank() -> None:
    """Refuse to launch in a rank: launchers can't be nested, and all ranks would start ranks.

    Raises:
        LauncherError: this process is a rank, or was started by one.
    """
    name, ranks, _ = launcher.launch_of_process()
    if os.environ.get(LAUNCH_VARIABLE) or os.environ.get(launcher.RANK_VARIABLE) or ranks > 1:
        by = f" of {ranks} that {name} started" if ranks > 1 else ""
        raise LauncherError(
            f"launch() starts ranks, but this process is itself a rank{by}, or was started by one: "
            "call it in a program that was started without a launcher, or use spawn() or subset()"
        )


def launch_for(n: int, given: str | Sequence[str] | None, env: Mapping[str, str]) -> Launch:
    """How to start ``n`` ranks.

    Args:
        n: how many.
        given: the launcher's words; None finds the launcher.
        env: variables of the ranks, in addition to those of this process.

    Raises:
        LauncherError: there is no launcher.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_LAUNCHERS)}
    kept |= {name: value for name, value in os.environ.items() if name.startswith(OF_USERS)}
    environment = {HANG_VARIABLE: NO_REPORTS, **kept, **env}
    if environment.get(library.BACKEND_VARIABLE) == "serial":
        raise LauncherError(
            f"launch() starts several ranks, but {library.BACKEND_VARIABLE} asks for the serial backend, which has "
            f"one: unset {library.BACKEND_VARIABLE}"
        )
    given = given or environment.get(LAUNCHER_VARIABLE)
    if given:
        words = shlex.split(given) if isinstance(given, str) else list(given)
        _check(words)
        return Launch([*words, "-n", str(n)], local=False, environment=environment)
    path, abi = _library(env)
    environment[library.LIBRARY_VARIABLE] = path
    if "SLURM_JOB_ID" in os.environ and shutil.which("srun"):
        plugin = [f"--mpi={SRUN_PLUGINS[abi]}"] if abi in SRUN_PLUGINS else []
        return Launch(["srun", "--overlap", *plugin, "-n", str(n)], local=False, environment=environment)
    crowd = ["--oversubscribe"] if abi == "openmpi" and n > len(os.sched_getaffinity(0)) else []
    return Launch([_beside(Path(path), abi), *crowd, "-n", str(n)], local=True, environment=environment)


def program() -> list[str]:
    """What each rank runs."""
    return [sys.executable, *WORKER]


def _check(words: list[str]) -> None:
    if not words or not shutil.which(words[0]):
        raise LauncherError(
            f"launch(): the launcher {words[0] if words else ''!r} was not found: give launcher= or "
            f"{LAUNCHER_VARIABLE} the command that starts ranks here, such as 'mpiexec'"
        )


def _library(env: Mapping[str, str]) -> tuple[str, str]:
    """The file of the MPI library that the ranks run on, and its ABI."""
    explicit = env.get(library.LIBRARY_VARIABLE)
    if explicit is None:
        path = library.library_path()
        return path, library.chosen[1] if library.chosen else ""
    names = {name: abi for abi, files in library.FILES.items() for name in files}
    return os.path.realpath(explicit), names.get(Path(explicit).name, "")


def _beside(path: Path, abi: str) -> str:
    """The mpiexec that belongs to a library: in the same installation, else by its name on PATH."""
    names = (f"mpiexec.{abi}", "mpiexec", "mpirun")
    for folder in path.parents[1:3]:  # PREFIX/lib/libmpi.so, or PREFIX/lib/x86_64-linux-gnu/libmpi.so
        for name in names:
            if os.access(folder / "bin" / name, os.X_OK):
                return str(folder / "bin" / name)
    for name in names:
        if found := shutil.which(name):
            return found
    raise LauncherError(
        f"launch(): no mpiexec was found, neither with the MPI library {path} nor on PATH: install the launcher that "
        f"belongs to the library, or name it with launcher= or {LAUNCHER_VARIABLE}"
    )
