"""Which folders of this machine a container sees, so that programs are at the same place on all hosts."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from polympi.lab.errors import UsageError
from polympi.lab.home import home

# Folders that a container has itself, and would not work without. Below /usr/local and /opt it has nothing.
_OWN = frozenset(
    Path(f"/{name}") for name in ("bin", "boot", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "sys", "usr")
)
_OWN_ITSELF = frozenset(
    Path(name) for name in ("/", "/run", "/tmp", "/var", "/var/lib", "/var/tmp")
)  # not what is in them
_LOCAL = Path("/usr/local")


def shared_folders(programs: Sequence[Path], written: Sequence[Path]) -> dict[Path, bool]:
    """The folders, and whether programs on the hosts may write in each, those first that have others in them.

    These are the interpreter, the modules it finds, and folders of programs, to read; stacks and builds, the working
    directory, and further folders, to write, too, with all that is in them. What belongs to the system comes from the
    image.
    """
    home().mkdir(parents=True, exist_ok=True)
    for folder in written:
        if not folder.is_dir():
            raise UsageError(f"--mount '{folder}' is impossible: there is no such folder.")
        if _is_own(folder.absolute()):
            raise UsageError(f"--mount '{folder}' is impossible: a container has one of its own.")
    python = Path(sys.executable)
    read = [Path(sys.prefix), Path(sys.base_prefix), python.resolve().parents[1], *map(Path, sys.path), *programs]
    wanted = {path: False for folder in read for path in _places(folder)}
    wanted.update({path: True for folder in [home(), Path.cwd(), *written] for path in _places(folder)})
    shared: dict[Path, bool] = {}
    for path in sorted(wanted, key=lambda path: path.parts):
        around = next((parent for parent in path.parents if parent in shared), None)
        if around is None or (wanted[path] and not shared[around]):
            shared[path] = wanted[path]
    if odd := next((path for path in shared if ":" in str(path)), None):
        raise UsageError(f"The folder '{odd}' cannot be seen by containers, because of the colon: work in another one.")
    return shared


def _places(folder: Path) -> Iterator[Path]:
    """A folder by its own name, and by the one that links in it lead to."""
    if folder.is_dir():
        yield from (path for path in {folder.absolute(), folder.resolve()} if not _is_own(path))


def _is_own(path: Path) -> bool:
    if path == _LOCAL or _LOCAL in path.parents:
        return False
    return path in _OWN_ITSELF or not _OWN.isdisjoint((path, *path.parents))
