"""How ranks are started where it is not by the ``mpiexec`` of a stack: the launcher, its arguments, variables."""

import os
import re
import shlex
import shutil
import string
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from polympi.lab.errors import StackError, UsageError
from polympi.lab.records import Launching
from polympi.lab.stacks.family import family_of_launcher
from polympi.lab.stacks.stack import HYDRA, PRRTE, SRUN, TEMPLATE, Stack
from polympi.lab.suggest import did_you_mean

PLACEHOLDERS = {  # of a template, and what stands in their places
    "ranks": "the number of ranks",
    "hosts": "the number of hosts",
    "ranks_per_host": "the ranks of a host, the most if they differ",
    "hostlist": "the names of the hosts, with commas between them",
    "hostfile": "the host file",
    "program": "the program and its arguments",
}
PMI = {  # what srun and each library can have in common, the usual one first
    "mpich": ("pmi2", "cray_shasta", "pmix"),
    "impi": ("pmi2", "pmix"),
    "openmpi": ("pmix", "pmi2"),
}
# Without memory that ranks share: of MPICH, of UCX (whose "shm" are all ways by the memory of a machine), of Open MPI
# (since version 4 and since version 5), of Intel MPI, and of polympi. Who does not read one of them ignores it.
BY_NETWORK = {
    "MPIR_CVAR_NOLOCAL": "1",
    "UCX_TLS": "^shm",
    "OMPI_MCA_btl": "^vader,sm",
    "I_MPI_FABRICS": "ofi",
    "POLYMPI_MAILBOXES": "0",
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LIST_S = 20.0  # for srun to list its ways; it asks nobody


def asked_launching(
    launcher: str | None,
    arguments: str | None,
    variables: Sequence[str],
    *,
    by_network: bool = False,
    carried: bool = False,
) -> Launching:
    """What was asked about the launcher, words as a shell reads them, checked as far as that needs no stack."""
    words = [] if launcher is None else words_of(launcher, "--launcher")
    if launcher is not None:
        dialect_of(words)
    return Launching(
        launcher=words,
        arguments=[] if arguments is None else words_of(arguments, "--launcher-args"),
        variables={**(BY_NETWORK if by_network else {}), **dict(_variable(text) for text in variables)},
        by_network=by_network,
        carried=carried,
    )


def words_of(text: str, option: str) -> list[str]:
    """The words of an option, at least one."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise UsageError(f"{option} cannot be read: a quotation in '{text}' is not closed.") from None
    if not words:
        raise UsageError(f"{option} names nothing: give at least one word, or leave the option out.")
    return words


def _variable(text: str) -> tuple[str, str]:
    name, given, value = text.partition("=")
    if not _NAME.fullmatch(name):
        raise UsageError(f"--env '{text}' names no variable: write NAME=VALUE, or NAME for the value it has here.")
    if given:
        return name, value
    if name not in os.environ:
        raise UsageError(f"--env {name}: there is no such variable here; write --env {name}=VALUE.")
    return name, os.environ[name]


def dialect_of(words: Sequence[str]) -> str:
    """Which options a launcher understands: ``srun``, ``hydra``, ``prrte``, or those that its template says."""
    if any(_fields(word) for word in words):
        check_template(words)
        dialect = TEMPLATE
    else:
        dialect = ""
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(f"There is no launcher '{words[0]}' on PATH: install it, load its module, or name its path.")
    if dialect:
        return dialect
    name = Path(words[0]).name
    if name == "srun":
        return SRUN
    if re.match(r"mpiexec|mpirun|orterun|prterun|prun", name):
        return PRRTE if family_of_launcher(program) == "openmpi" else HYDRA
    raise UsageError(
        f"polympi does not know the options of the launcher '{name}': write how it starts ranks, as --launcher "
        f"'{name} -n {{ranks}} {{program}}'; {_listed()}."
    )


def check_template(words: Sequence[str]) -> None:
    """Make sure that all placeholders of a template are known, and that it says how many ranks there are."""
    fields = [name for word in words for name in _fields(word)]
    for name in fields:
        if name not in PLACEHOLDERS:
            raise UsageError(
                f"The launcher has '{{{name}}}', which is no placeholder: {_listed()}."
                f"{did_you_mean(name, PLACEHOLDERS)}"
            )
    if not {"ranks", "ranks_per_host"}.intersection(fields):
        raise UsageError("The launcher does not learn how many ranks to start: write {ranks} where the number belongs.")
    if any("program" in _fields(word) and word != "{program}" for word in words) or words[0] == "{program}":
        raise UsageError("{program} is several words: write it as a separate word after the launcher.")


def _listed() -> str:
    return f"there are {', '.join(f'{{{name}}}' for name in PLACEHOLDERS)}"


def _fields(word: str) -> list[str]:
    try:
        return [name for _, name, _, _ in string.Formatter().parse(word) if name is not None]
    except ValueError:
        raise UsageError(
            f"The launcher's word '{word}' has a brace without its other: write {{{{ or }}}} where one is meant."
        ) from None


def filled(words: Sequence[str], places: Mapping[str, str], program: Sequence[str]) -> list[str]:
    """The command of a template; one without ``{program}`` has the program at its end."""
    command: list[str] = []
    for word in words if "{program}" in words else [*words, "{program}"]:
        for name in _fields(word):
            if name != "program" and name not in places:
                raise UsageError(f"The launcher wants {{{name}}}, and there is no host file: give --hostfile FILE.")
        command += program if word == "{program}" else [word.format_map(places)]
    return command


def started_by(stack: Stack, launching: Launching, words: Sequence[str]) -> Stack:
    """An installed stack whose ranks are started as was asked, by a launcher in words; none for that of the stack."""
    return msgspec.structs.replace(
        stack,
        launcher=list(words) or stack.launcher,
        dialect=dialect_of(words) if words else stack.dialect,
        launcher_arguments=[*stack.launcher_arguments, *launching.arguments],
        passed={**stack.passed, **launching.variables},
    )


def ways_to_start(stack: Stack, launching: Launching) -> list[Stack]:
    """The stack with each way in which what was asked for may start its ranks, the likeliest first."""
    words = launching.launcher
    if not words or dialect_of(words) != SRUN:
        return [started_by(stack, launching, words)]
    return [started_by(stack, launching, way) for way in ways_of_srun(stack, words)]


def ways_of_srun(stack: Stack, words: Sequence[str]) -> list[list[str]]:
    """The ways in which srun may start ranks of a stack, the likeliest first: with each PMI that both may have."""
    if any(word.startswith("--mpi") for word in words):
        return [list(words)]
    there = _pmi_of_srun(words[0])
    wanted = PMI[stack.family]
    ways = [[*words, f"--mpi={name}"] for name in wanted if there is None or name in there]
    if not ways:
        raise StackError(
            f"srun cannot start ranks of stack '{stack.name}': it would need --mpi={wanted[0]}, and this Slurm has "
            f"{', '.join(sorted(there or ()))}."
        )
    return ways


def _pmi_of_srun(srun: str) -> set[str] | None:
    """What ``srun --mpi=list`` lists; None where it lists nothing, as outside of a cluster."""
    try:
        said = subprocess.run([srun, "--mpi=list"], capture_output=True, text=True, check=False, timeout=_LIST_S)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = said.stdout + said.stderr
    names = set(re.findall(r"\b(pmix(?:_v\d)?|pmi2|cray_shasta|none)\b", text)) if said.returncode == 0 else set()
    return names - {"none"} or None
