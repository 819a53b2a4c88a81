"""Folders that Open MPI's launcher and its daemons leave if they are killed, and in whose presence others cannot start.

PRRTE names them by the process, puts them where temporary files go, and removes them at its end. A launcher or daemon
that later gets the process id of one that was killed finds the address of that one in the folder, and gives up: it ends
with code 213, says "The PMIx server's listener thread failed to start", or waits forever. As process ids come round
(after 32768, on many machines), this happens once in many launches, and nothing in them shows why.
"""

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

# Of a singleton or a virtual machine, mpiexec of Open MPI, prterun, prun, and a daemon. A name with a host in it is
# left alone: on a shared file system the process may be of another host, and Open MPI 4 means users by the number.
_NAME = re.compile(r"(?:prte|ompi|prtrn|prun|prted)\.([0-9]+)")


def places(environment: Mapping[str, str]) -> list[Path]:
    """Where these folders are: as PMIx looks for it, and where daemons look that do not get our environment."""
    named = next((environment[name] for name in ("TMPDIR", "TEMP", "TMP") if environment.get(name)), "/tmp")
    return [Path(place) for place in dict.fromkeys((named, "/tmp"))]


def remove_session_folders(processes: Iterable[int], environment: Mapping[str, str]) -> None:
    """Remove what processes have left that we have killed; what cannot be removed stays."""
    ours = set(processes)
    for folder, process in _session_folders(environment):
        if process in ours:
            shutil.rmtree(folder, ignore_errors=True)


def left_behind(environment: Mapping[str, str]) -> list[Path]:
    """Such folders of processes that are not there any more."""
    there = ((folder, Path("/proc", str(process))) for folder, process in _session_folders(environment))
    return sorted(folder for folder, process in there if not process.exists())


def _session_folders(environment: Mapping[str, str]) -> Iterator[tuple[Path, int]]:
    """Each such folder, and the id of its process."""
    for place in places(environment):
        with contextlib.suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                named = _NAME.fullmatch(entry.name)
                if named and entry.is_dir(follow_symlinks=False):
                    yield Path(entry.path), int(named.group(1))
