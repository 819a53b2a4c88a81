"""Folders that Open MPI's launcher and its daemons leave if they are killed, and in whose presence others cannot start.

PRRTE names them by the process, puts them where temporary files go, and removes them at its end. A launcher or daemon
that later gets the process id of one that was killed finds the address of that one in the folder, and gives up: it ends
with code 213, says "The PMIx server's listener thread failed to start", or waits for ever. As process ids come round
(after 32768, on many machines), this happens once in many launches, and nothing in them shows why.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

# Of a singleton or a virtual machine, mpiexec of Open MPI, prterun, prun, and a daemon; on a shared file system with
# the name of the host.
_NAME = re.compile(r"(?:prte|ompi|prtrn|prun|prted)\.(?:.*\.)?([0-9]+)")
_PLAIN = ("prte", "ompi", "prtrn", "prun", "prted")


def places(environment: Mapping[str, str]) -> list[Path]:
    """Where these folders are: as PMIx looks for it, and where daemons look that do not get our environment."""
    named = next((environment[name] for name in ("TMPDIR", "TEMP", "TMP") if environment.get(name)), "/tmp")
    return [Path(place) for place in dict.fromkeys((named, "/tmp"))]


def remove_session_folders(processes: Iterable[int], environment: Mapping[str, str]) -> None:
    """Remove what processes have left that we have killed; what cannot be removed stays.

    Args:
        processes: their process ids, of which none may run any more.
        environment: theirs.
    """
    for place in places(environment):
        for process in processes:
            for name in _PLAIN:
                shutil.rmtree(place / f"{name}.{process}", ignore_errors=True)


def left_behind(environment: Mapping[str, str]) -> list[Path]:
    """Such folders of processes that are not there any more."""
    found = []
    for place in places(environment):
        for entry in sorted(place.iterdir() if os.access(place, os.R_OK) else ()):
            named = _NAME.fullmatch(entry.name)
            if named and entry.is_dir() and not Path("/proc", named.group(1)).exists():
                found.append(entry)
    return found
