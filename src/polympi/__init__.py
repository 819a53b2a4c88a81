"""polympi: one Pythonic MPI interface, and the laboratory that measures what MPI bindings cost.

``import polympi`` alone starts nothing and loads no MPI library. The first use of :data:`polympi.world` does.
The laboratory lives in :mod:`polympi.lab` and comes with ``pip install polympi[lab]``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polympi.errors import (
        Error,
        LauncherError,
        LibraryError,
        MismatchError,
        NoBufferError,
        RankError,
        StateError,
        TagError,
        Timeout,
        TruncationError,
    )

    __version__: str

# Where each public name comes from, when it is first used.
_HOMES = {
    "polympi.errors": (
        "Error",
        "LauncherError",
        "LibraryError",
        "MismatchError",
        "NoBufferError",
        "RankError",
        "StateError",
        "TagError",
        "Timeout",
        "TruncationError",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Error",
    "LauncherError",
    "LibraryError",
    "MismatchError",
    "NoBufferError",
    "RankError",
    "StateError",
    "TagError",
    "Timeout",
    "TruncationError",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used; later uses find it in the module."""
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("polympi")
    elif name in _HOME_OF:
        from importlib import import_module

        value = getattr(import_module(_HOME_OF[name]), name)
    else:
        raise AttributeError(f"module 'polympi' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
