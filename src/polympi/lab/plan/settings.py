"""Settings as levels of a factor: variables of the environment and arguments of the launcher, under a name."""

import re
import shlex
from collections.abc import Sequence

from polympi.lab.errors import UsageError
from polympi.lab.records import SETTING, Level

EXAMPLE = "--with 'eager: MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE=65536'"
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
# What a setting may be called: it stands in the names of stacks, of tabs and of files.
_NAME = re.compile(r"[^\s,/:][^,/\x00-\x1f]{0,39}")
# The families of stacks that read variables of these names. Any stack may read other names.
_READERS = {
    "OMPI_": ("openmpi",),
    "PRTE_": ("openmpi",),
    "MPIR_CVAR_": ("mpich", "impi"),
    "HYDRA_": ("mpich", "impi"),
    "I_MPI_": ("impi",),
}


def settings_of(texts: Sequence[str]) -> list[Level]:
    """The settings asked for, as ``NAME: VARIABLE=VALUE ... --ARGUMENT ...``; one variable needs no name."""
    found: list[Level] = []
    for text in texts:
        one = _setting(text)
        if one.name in [other.name for other in found]:
            raise UsageError(f"--with names the setting '{one.name}' twice: give each setting its own name.")
        found.append(one)
    return found


def _setting(text: str) -> Level:
    name, named, rest = text.partition(": ")
    try:
        words = shlex.split(rest if named else text)
    except ValueError as error:
        raise UsageError(f"--with '{text}' cannot be read ({error}): close what is quoted.") from None
    environment: dict[str, str] = {}
    while words and (found := _VARIABLE.fullmatch(words[0])):
        environment[found[1]] = found[2]
        words.pop(0)
    if not environment and not words:
        raise UsageError(f"--with '{text}' sets nothing: give a name and what it stands for, as in {EXAMPLE}.")
    if words and not words[0].startswith("-"):
        raise UsageError(
            f"--with '{text}': '{words[0]}' is neither a variable (NAME=VALUE) nor an argument of the launcher (-...): "
            f"write {EXAMPLE}."
        )
    name = name.strip() if named else text.strip()
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"--with '{text}' needs a short name in front, of up to 40 characters without comma, slash or colon: "
            f"{EXAMPLE}."
        )
    return Level(factor=SETTING, name=name, environment=environment, arguments=words)


def setting_words(level: Level) -> str:
    """What a level adds to a launch, as one would write it in a shell."""
    variables = [f"{name}={shlex.quote(value)}" for name, value in level.environment.items()]
    return " ".join([*variables, *map(shlex.quote, level.arguments)])


def why_no_part(level: Level, family: str) -> str | None:
    """Why a level would be the base once more on stacks of a family; None if it may be something else there."""
    if level.arguments or not level.environment:
        return None
    readers = [next((who for prefix, who in _READERS.items() if name.startswith(prefix)), None)
               for name in level.environment]  # fmt: skip
    if any(who is None or family in who for who in readers):
        return None
    return f"only another MPI reads {', '.join(level.environment)}"
