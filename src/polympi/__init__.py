"""polympi: one Pythonic MPI interface, and the laboratory that measures what MPI bindings cost.

``import polympi as mpi`` alone starts nothing and loads no MPI library: the first use of :data:`polympi.world`, the
communicator of all ranks, does. The laboratory lives in :mod:`polympi.lab` and comes with the extra ``lab``.
"""

# Not MPI's own numbers, which differ between libraries and where -1 may be a wildcard: `rank - 1` must be an error.
ANY_SOURCE = -101  # receive from any rank
PROC_NULL = -102  # no partner: nothing is sent or received
ANY_TAG = -103  # receive with any tag
ROOT = -106  # in collectives of an intercommunicator: this rank is the root

# The public names by module, which is imported when a name is first used.
_HOMES = {
    "polympi": ("ANY_SOURCE", "ANY_TAG", "PROC_NULL", "ROOT", "parent", "raw_world", "self_world", "world"),
    "polympi.background": ("progress_thread",),
    "polympi.block": ("Block",),
    "polympi.buffered": ("buffer_attach", "buffer_detach"),
    "polympi.cartesian": ("Cartesian",),
    "polympi.communicator": ("Communicator",),
    "polympi.completion": ("as_completed", "wait_some"),
    "polympi.errors": (
        *("EndedError", "Error", "FileError", "LauncherError", "LibraryError", "MismatchError", "NoBufferError"),
        *("RankError", "RemoteError", "StateError", "TagError", "Timeout", "TruncationError"),
    ),
    "polympi.file": ("File",),
    "polympi.graph": ("Graph",),
    "polympi.halo": ("Halo",),
    "polympi.intercommunicator": ("Intercommunicator",),
    "polympi.launching.ranks": ("Ranks", "launch"),
    "polympi.library": ("get_include", "library_path"),
    "polympi.native.core": ("Raw", "Plan", "Request", "Status", "progress", "test_all", "wait_all", "wait_any"),
    "polympi.npy": ("load_npy", "save_npy"),
    "polympi.operations": (
        *("SUM", "PROD", "MIN", "MAX", "LAND", "LOR", "LXOR", "BAND", "BOR", "BXOR", "MINLOC", "MAXLOC"),
        "op",
    ),
    "polympi.partners": ("raw", "wrap"),
    "polympi.spawning": ("spawn",),
    "polympi.startup": ("abort", "finalize", "init", "library_version", "processor_name", "thread_level"),
    "polympi.turns": ("in_turn", "logging_filter", "print"),
    "polympi.waits": ("waiting",),
    "polympi.window": ("Window",),
    "polympi.workers.failures": ("WorkerError",),
    "polympi.workers.pool": ("Pool", "pool"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

_FORMER = {"Plain": "Raw", "plain": "raw", "plain_world": "raw_world"}

__all__ = [name for name in _HOME_OF if name != "print"]  # `from polympi import *` keeps Python's own


def __getattr__(name: str) -> object:
    """Fetch a public name when it is first used; afterwards it is an ordinary name of the module."""
    from importlib import import_module

    if name == "world":
        value = import_module("polympi.startup").init()
    elif name == "self_world":
        value = import_module("polympi.startup").self_world()
    elif name == "parent":
        value = import_module("polympi.startup").parent()
    elif name == "raw_world":
        value = import_module("polympi.startup").raw_world()
    elif name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
    elif name in _FORMER:
        advice = f"polympi.{name} is now polympi.{_FORMER[name]}; the old name goes with the next release"
        import_module("warnings").warn(advice, DeprecationWarning, stacklevel=2)
        return __getattr__(_FORMER[name])
    elif name == "__version__":
        value = import_module("importlib.metadata").version("polympi")
    elif name == "shown":  # by the signatures of the core
        value = import_module("polympi.shown")
    else:
        words = {} if name.startswith("_") else import_module("polympi.mpi4py_words").MODULE
        if name in words:
            raise AttributeError(f"polympi has no {name}: use {words[name]}")
        raise AttributeError(f"module 'polympi' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "print"]
