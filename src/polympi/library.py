"""Finding this process's MPI library, and the core that was compiled for its ABI.

An MPI program runs only on the library that its launcher belongs to, so the variables of the launcher decide
first; then what is installed with this Python; then what the machine's loader finds. Every start of every rank runs
this, so nothing here imports a module that takes a millisecond.
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
BACKEND_VARIABLE = "POLYMPI_BACKEND"  # mpi, or serial: one rank, and no MPI library
CORES_VARIABLE = "POLYMPI_CORE_FOLDER"  # where cores are looked for before the package itself

chosen: tuple[str, str] | None = None
"""The library that was loaded (path, or name that the loader found it by), and its ABI; None before.

With the serial backend both are ``serial``.
"""


def load_core() -> ModuleType:
    """Load the MPI library of this process, then the core that fits it.

    Raises:
        LibraryError: there is no library or no core, or they do not fit each other.
    """
    global chosen  # noqa: PLW0603  (one MPI library a process: this is where it is remembered)
    folders = [folder for folder in (os.environ.get(CORES_VARIABLE), *native.__path__) if folder]
    backend = os.environ.get(BACKEND_VARIABLE) or "mpi"
    if backend not in ("mpi", "serial"):
        raise LibraryError(f"{BACKEND_VARIABLE} is '{backend}': set it to mpi or serial.")
    cores = _cores(folders, ["serial"] if backend == "serial" else [*FILES])
    if not cores:
        raise LibraryError(
            "polympi was installed without its compiled core, because a C compiler, Python's headers or an MPI was "
            "missing: install them (on Debian: apt install gcc python3-dev; pip install mpich numpy), then run "
            f"'{sys.executable} -m polympi.native.build'."
        )
    path, abi = chosen = ("serial", "serial") if backend == "serial" else find_library(cores)
    native.__path__[:] = folders
    try:
        __import__(f"polympi.native.core_{abi}")
        _require_gil()
    except LibraryError:
        raise
    except ImportError as error:
        missing = str(error).partition("undefined symbol: ")[2]
        older = missing.startswith("MPI_")
        reason = f"it has no {missing}, being older than the core" if older else str(error)
        raise LibraryError(
            f"polympi's core for {ABI_WORDS[abi]} does not run on the MPI library {path}: {reason}; "
            f"compile one for it: {_build_command(path)}."
        ) from error
    return sys.modules[f"polympi.native.core_{abi}"]


def _require_gil() -> None:
    """Refuse a free-threaded Python in which loading the core has not switched the GIL on (PYTHON_GIL=0)."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        raise LibraryError(
            "polympi needs the GIL as its lock around the MPI library, but it is switched off in this free-threaded "
            "Python: unset PYTHON_GIL, or start Python without -X gil=0."
        )


def find_library(cores: set[str]) -> tuple[str, str]:
    """Load the MPI library for this process, with symbols that all modules see.

    Args:
        cores: the ABIs there is a core for.

    Returns:
        Its path or name, and its ABI.

    Raises:
        LibraryError: there is none, none with a core, or not the requested one.
    """
    wanted = os.environ.get(ABI_VARIABLE)
    if wanted and wanted not in FILES:
        raise LibraryError(
            f"{ABI_VARIABLE} is '{wanted}', which is not an MPI that polympi knows: set it to mpich, openmpi or abi."
        )
    present = _loaded()
    explicit = os.environ.get(LIBRARY_VARIABLE)
    if explicit:
        path, abi = explicit, _open_explicit(explicit, present)
    elif present:
        path, abi, _ = present
    else:
        return _search(cores, [[wanted]] if wanted else _preferences(cores))
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
        "(LD_LIBRARY_PATH): pip install mpich or load your site's MPI module; or set "
        f"{LIBRARY_VARIABLE} to the library's path. Without any, {BACKEND_VARIABLE}=serial runs a program on one rank."
    )


def by_srun_with_pmi2() -> bool:
    """Whether srun alone has started this process: mpiexec inside of srun is Hydra, which sets its own variables."""
    return "SLURM_STEP_NUM_TASKS" in os.environ and "PMI_RANK" in os.environ and "MPI_LOCALNRANKS" not in os.environ


def _preferences(cores: set[str]) -> list[list[str]]:
    """Which ABIs come first, by the variables of launchers.

    Open MPI's mpiexec, and Slurm's PMIx plugin; Hydra (MPICH, Intel MPI) and Slurm's PMI-2. Under a launcher a library
    of its family is preferred wherever it is; else the nearest one counts.
    """
    if "OMPI_COMM_WORLD_SIZE" in os.environ or "PMIX_RANK" in os.environ:
        return [["openmpi"], ["abi", "mpich"]]
    if by_srun_with_pmi2() and cores == {"openmpi"}:  # which can't work, but the launcher is the one to change
        return [["openmpi"]]
    if "PMI_RANK" in os.environ or "MPI_LOCALNRANKS" in os.environ:
        return [["mpich", "abi"], ["openmpi"]]
    return [["mpich", "openmpi", "abi"]]


def _candidates(abis: list[str]) -> Iterator[tuple[str, str]]:
    """Loaded libraries of these ABIs; lazily, so that later ones aren't loaded."""
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
    """Where libraries are searched: with this Python (where wheels put them), then next to the launcher on PATH."""
    site = sys.modules.get("site")
    prefixes = [sys.prefix, getattr(site, "USER_BASE", None) if getattr(site, "ENABLE_USER_SITE", False) else None]
    launchers = (folder for folder in os.environ.get("PATH", "").split(os.pathsep) if folder)
    beside = next((folder for folder in launchers if os.path.exists(os.path.join(folder, "mpiexec"))), None)
    prefixes.append(os.path.dirname(os.path.realpath(beside)) if beside else None)
    return list(dict.fromkeys(os.path.join(prefix, "lib") for prefix in prefixes if prefix))


def _loaded() -> tuple[str, str, int] | None:
    """The MPI library that this process has already loaded: name, ABI, handle."""
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
    """The ABI of a loaded library, found without its file name."""

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
        raise LibraryError(f"{path}, which {LIBRARY_VARIABLE} names, is not an MPI library: it has no MPI_Init.")
    # Libraries of MPICH's ABI carry Fortran's constants, those of the standard's do not (MPI 5.0, 20.3).
    return "mpich" if has("MPI_F_STATUS_IGNORE") else "abi"


def library_path() -> str:
    """The file of the MPI library that polympi runs on, without links. It is loaded if need be; MPI isn't started.

    Raises:
        LibraryError: there is none, as on the serial backend.
    """
    __import__("polympi.native.core")
    if chosen is None or is_serial():
        raise LibraryError("library_path(): the serial backend has no MPI library.")
    path = chosen[0]
    if os.path.isabs(path):
        return os.path.realpath(path)
    with open("/proc/self/maps") as maps:  # a name that the loader has found
        files = [line.rstrip("\n").partition("/")[2] for line in maps]
    return next("/" + file for file in files if os.path.basename(file).startswith(path))


def get_include() -> str:
    """The folder of ``polympi.h``, which extension modules include that take communicators."""
    return os.path.join(os.path.dirname(native.__file__), "include")


def is_serial() -> bool:
    """Whether this process runs on the serial backend: one rank, and no MPI library."""
    return chosen is not None and chosen[1] == "serial"


def _cores(folders: list[str], abis: list[str]) -> set[str]:
    """The ABIs among these that polympi is compiled for, for this Python."""
    found = set()
    for folder in folders:
        for abi in abis:
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
    """The command that compiles a core for a library: with the compiler wrapper next to it, if there is one."""
    beside = os.path.join(os.path.dirname(os.path.dirname(path)), "bin", "mpicc")
    wrapper, which = (beside, "") if os.path.isabs(path) and os.path.exists(beside) else ("mpicc", ", with its mpicc")
    return f"'{sys.executable} -m polympi.native.build --mpicc {wrapper}'{which}"
