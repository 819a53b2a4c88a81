"""Finding this process's MPI library, and the core that was compiled for its ABI.

An MPI program runs only on the library that its launcher belongs to, so the launcher's traces in the environment decide
first; then what is installed beside this Python; then what the machine's loader finds. All of it is on the way of every
start of every rank: nothing here imports a module that takes a millisecond.
"""

from __future__ import annotations

import os
import sys
from _ctypes import dlopen, dlsym  # ctypes itself takes four times as long to import
from importlib.machinery import EXTENSION_SUFFIXES

from polympi import native
from polympi.errors import LibraryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

# The libraries of an ABI by the names they are loaded by. MPICH's is also that of Intel MPI, MVAPICH and Cray MPICH
# (the MPICH ABI Compatibility Initiative); Debian calls MPICH's own library libmpich.so.12.
FILES = {
    "mpich": ("libmpi.so.12", "libmpich.so.12"),
    "openmpi": ("libmpi.so.40",),
    "abi": ("libmpi_abi.so.1",),
}
ABI_WORDS = {"mpich": "MPICH's ABI", "openmpi": "Open MPI's ABI", "abi": "the ABI of the MPI standard"}

LIBRARY_VARIABLE = "POLYMPI_LIBMPI"  # path of the MPI library
ABI_VARIABLE = "POLYMPI_MPI"  # mpich, openmpi or abi
CORES_VARIABLE = "POLYMPI_CORE_FOLDER"  # where cores are looked for before the package itself

chosen: tuple[str, str] | None = None
"""The library that was loaded (path, or name that the loader found it by), and its ABI; None before."""


def load_core() -> ModuleType:
    """Load the MPI library of this process, then the core that fits it.

    Raises:
        LibraryError: there is no library or no core, or they do not fit each other.
    """
    global chosen  # noqa: PLW0603  (one MPI library a process: this is where it is remembered)
    folders = [folder for folder in (os.environ.get(CORES_VARIABLE), *native.__path__) if folder]
    cores = _cores(folders)
    if not cores:
        raise LibraryError(
            "polympi was installed without its compiled core, for want of a C compiler, of Python's headers or of an "
            "MPI: install them (on Debian: apt install gcc python3-dev; pip install mpich numpy), then run "
            f"'{sys.executable} -m polympi.native.build'."
        )
    path, abi = chosen = find_library(cores)
    native.__path__[:] = folders
    try:
        __import__(f"polympi.native.core_{abi}")
    except ImportError as error:
        missing = str(error).partition("undefined symbol: ")[2]
        older = missing.startswith("MPI_")
        reason = f"it has no {missing}, being older than the core" if older else str(error)
        raise LibraryError(
            f"polympi's core for {ABI_WORDS[abi]} does not run on the MPI library {path}: {reason}; "
            f"compile one for it: {_build_command(path)}."
        ) from error
    return sys.modules[f"polympi.native.core_{abi}"]


def find_library(cores: set[str]) -> tuple[str, str]:
    """Load the MPI library that this process shall use, for all modules to see.

    Args:
        cores: the ABIs there is a core for.

    Returns:
        Its path or name, and its ABI.

    Raises:
        LibraryError: there is none, none that a core fits, or not the one that was asked for.
    """
    wanted = os.environ.get(ABI_VARIABLE)
    if wanted and wanted not in FILES:
        raise LibraryError(
            f"{ABI_VARIABLE} is '{wanted}', which is no MPI that polympi knows: set it to mpich, openmpi or abi."
        )
    present = _loaded()
    explicit = os.environ.get(LIBRARY_VARIABLE)
    if explicit:
        path, abi = explicit, _open_explicit(explicit, present)
    elif present:
        path, abi, _ = present
    else:
        return _search(cores, [[wanted]] if wanted else _preferences())
    if wanted and abi != wanted:
        raise LibraryError(
            f"{ABI_VARIABLE} asks for {ABI_WORDS[wanted]}, but the MPI library {path} has {ABI_WORDS[abi]}: "
            f"unset {ABI_VARIABLE}, or choose another library with {LIBRARY_VARIABLE}."
        )
    if abi not in cores:
        raise _no_core(path, abi, cores)
    return path, abi


def _open_explicit(path: str, present: tuple[str, str, int] | None) -> str:
    """Load the library that the user names; its ABI."""
    try:
        handle = _open(path)
    except OSError as error:
        raise LibraryError(f"The MPI library that {LIBRARY_VARIABLE} names cannot be loaded: {error}.") from error
    if present and present[2] != handle:
        raise LibraryError(
            f"{LIBRARY_VARIABLE} names {path}, but this process has loaded {present[0]} already (mpi4py or another MPI "
            f"module did): two MPI libraries in one process cannot work, so name that one or unset {LIBRARY_VARIABLE}."
        )
    return _abi(path, handle)


def _search(cores: set[str], groups: list[list[str]]) -> tuple[str, str]:
    """The first library with a core, in the order of the groups; inside a group, place by place."""
    for group in groups:
        for path, abi in _candidates([abi for abi in group if abi in cores]):
            return path, abi
        for path, abi in _candidates([abi for abi in group if abi not in cores]):
            raise _no_core(path, abi, cores)
    abis = [abi for group in groups for abi in group]
    names = ", ".join(name for abi in abis for name in FILES[abi])
    raise LibraryError(
        f"polympi found no MPI library ({names}) in {', '.join(_folders())} or where the loader looks "
        "(LD_LIBRARY_PATH): pip install 'polympi[mpich]' or load your site's MPI module; or set "
        f"{LIBRARY_VARIABLE} to the library's path."
    )


def _preferences() -> list[list[str]]:
    """Which ABIs come first, by what launchers leave in the environment.

    Open MPI's mpiexec, and Slurm's PMIx plugin; Hydra (MPICH, Intel MPI) and Slurm's PMI-2. Under a launcher a library
    of its family is preferred wherever it is; else the nearest one counts.
    """
    if "OMPI_COMM_WORLD_SIZE" in os.environ or "PMIX_RANK" in os.environ:
        return [["openmpi"], ["abi", "mpich"]]
    if "PMI_RANK" in os.environ or "MPI_LOCALNRANKS" in os.environ:
        return [["mpich", "abi"], ["openmpi"]]
    return [["mpich", "openmpi", "abi"]]


def _candidates(abis: list[str]) -> Iterator[tuple[str, str]]:
    """Libraries of these ABIs, loaded; what is not asked for any more is not loaded."""
    for folder in _folders():
        for abi in abis:
            for name in FILES[abi]:
                path = os.path.join(folder, name)
                if os.path.exists(path):
                    try:
                        _open(path)
                    except OSError as error:
                        raise LibraryError(
                            f"The MPI library {path} cannot be loaded: {error}; choose one with {LIBRARY_VARIABLE}."
                        ) from error
                    yield path, abi
    for abi in abis:
        for name in FILES[abi]:
            try:
                _open(name)
            except OSError:
                continue
            yield name, abi


def _folders() -> list[str]:
    """Where libraries are looked for: beside this Python (wheels put them there), then beside the launcher on PATH."""
    site = sys.modules.get("site")
    prefixes = [sys.prefix, getattr(site, "USER_BASE", None) if getattr(site, "ENABLE_USER_SITE", False) else None]
    launchers = (folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder)
    beside = next((folder for folder in launchers if os.path.exists(os.path.join(folder, "mpiexec"))), None)
    prefixes.append(os.path.dirname(os.path.realpath(beside)) if beside else None)
    return list(dict.fromkeys(os.path.join(prefix, "lib") for prefix in prefixes if prefix))


def _loaded() -> tuple[str, str, int] | None:
    """The MPI library that is in this process already, by whoever: name, ABI, handle."""
    for abi, names in FILES.items():
        for name in names:
            try:
                return name, abi, _open(name, os.RTLD_NOLOAD)
            except OSError:
                continue
    return None


def _open(path: str, mode: int = 0) -> int:
    """Load a library so that all modules see its symbols."""
    return dlopen(path, os.RTLD_LAZY | os.RTLD_GLOBAL | mode)


def _abi(path: str, handle: int) -> str:
    """The ABI of a loaded library, whatever its file is called."""

    def has(symbol: str) -> bool:
        try:
            return bool(dlsym(handle, symbol))
        except OSError:
            return False

    if os.path.basename(path).startswith("libmpi_abi."):
        return "abi"
    if has("ompi_mpi_comm_world"):
        return "openmpi"
    if not has("MPI_Init"):
        raise LibraryError(f"{path}, which {LIBRARY_VARIABLE} names, is no MPI library: it has no MPI_Init.")
    # Libraries of MPICH's ABI carry Fortran's constants, those of the standard's do not (MPI 5.0, 20.3).
    return "mpich" if has("MPI_F_STATUS_IGNORE") else "abi"


def _cores(folders: list[str]) -> set[str]:
    """The ABIs that polympi is compiled for, for this Python."""
    found = set()
    for folder in folders:
        for abi in FILES:
            if any(os.path.exists(os.path.join(folder, f"core_{abi}{suffix}")) for suffix in EXTENSION_SUFFIXES):
                found.add(abi)
    return found


def _no_core(path: str, abi: str, cores: set[str]) -> LibraryError:
    compiled = " and ".join(ABI_WORDS[core] for core in FILES if core in cores)
    return LibraryError(
        f"The MPI library {path} has {ABI_WORDS[abi]}, but polympi is compiled for {compiled} only: "
        f"add a core for it: {_build_command(path)}."
    )


def _build_command(path: str) -> str:
    """How to compile a core for a library: with the compiler wrapper beside it, as far as its place tells."""
    beside = os.path.join(os.path.dirname(os.path.dirname(path)), "bin", "mpicc")
    wrapper, which = (beside, "") if os.path.isabs(path) and os.path.exists(beside) else ("mpicc", ", with its mpicc")
    return f"'{sys.executable} -m polympi.native.build --mpicc {wrapper}'{which}"
