"""What is compiled once and kept: one process makes it, and others that want it at that moment wait for it."""

import contextlib
import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def made_once(folder: Path) -> Iterator[Path | None]:
    """An empty folder to make something in, put in place if that succeeds; None: it is there already."""
    if folder.is_dir():
        yield None
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _only_here(folder.with_name(f"{folder.name}.lock")):
        if folder.is_dir():
            yield None
            return
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as scratch:
            made = Path(scratch, "made")
            made.mkdir()
            yield made
            put_in_place(made, folder)


@contextlib.contextmanager
def _only_here(path: Path) -> Iterator[None]:
    """Held by one process at a time; by as many as like on a file system that cannot lock, which costs time only."""
    with path.open("w") as lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def put_in_place(made: Path, folder: Path) -> None:
    """Rename a folder that was just made, unless another process has made the same one meanwhile."""
    try:
        made.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
