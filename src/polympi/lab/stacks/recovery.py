"""All or nothing: a stack is added or completed as a whole, or stays as it was.

While a stack is worked on, ``adding/NAME.lock`` is there and held by ``flock``; the kernel lets go of it when the
process dies. It says whether the stack is new. One that is not is copied beforehand to ``adding/NAME``, by hard links:
pip replaces files and never writes into them, so that the copy costs no space and stays as it was. Whoever finds a lock
file that nobody holds puts things back.
"""

import contextlib
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from polympi.lab.errors import StackError
from polympi.lab.home import home
from polympi.lab.stacks.stack import stack_folder

_NEW, _EXISTING = b"new", b"existing"


@contextlib.contextmanager
def all_or_nothing(name: str) -> Iterator[None]:
    """Put a stack back as it was if what is done inside fails, is interrupted, or is killed."""
    folder, copy, lock = stack_folder(name), _copy(name), home() / "adding" / f"{name}.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _held(descriptor):
            raise StackError(f"Another polympi is working on stack '{name}': wait until it is done.")
        _put_back(name, descriptor)  # what was killed before
        if (folder / "stack.json").is_file():
            _copy_by_links(folder, copy)
            os.pwrite(descriptor, _EXISTING, 0)
        else:
            shutil.rmtree(folder, ignore_errors=True)  # without a record it isn't a stack
            os.pwrite(descriptor, _NEW, 0)
        try:
            yield
        except BaseException:
            _put_back(name, descriptor)
            lock.unlink()
            raise
        os.ftruncate(descriptor, 0)  # from here on nothing is put back
        shutil.rmtree(copy, ignore_errors=True)
        lock.unlink()
    finally:
        os.close(descriptor)


def undo_broken_off(say: Callable[[str], None] = lambda _: None) -> None:
    """Put back the stacks that a killed process was working on."""
    for lock in sorted((home() / "adding").glob("*.lock")):
        with contextlib.suppress(FileNotFoundError):  # it was done just now
            descriptor = os.open(lock, os.O_RDWR)
            try:
                if _held(descriptor):
                    name = lock.name.removesuffix(".lock")
                    if _put_back(name, descriptor):
                        say(f"stack {name} was being installed when polympi was ended: it is as it was before")
                    lock.unlink()
            finally:
                os.close(descriptor)


def _put_back(name: str, descriptor: int) -> bool:
    """Undo what was done to a stack, as its lock file says; whether there was anything to undo."""
    folder, copy = stack_folder(name), _copy(name)
    was = os.pread(descriptor, 16, 0)
    if was == _NEW:
        shutil.rmtree(folder, ignore_errors=True)
    elif was == _EXISTING and copy.is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        copy.rename(folder)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.rmtree(_unfinished(copy), ignore_errors=True)
    os.ftruncate(descriptor, 0)
    return was in (_NEW, _EXISTING)


def _copy_by_links(folder: Path, copy: Path) -> None:
    unfinished = _unfinished(copy)
    for leftover in (copy, unfinished):
        shutil.rmtree(leftover, ignore_errors=True)
    shutil.copytree(folder, unfinished, symlinks=True, copy_function=_link)
    unfinished.rename(copy)  # a copy of this name is a whole one


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:  # a file system without hard links
        shutil.copy2(source, target, follow_symlinks=False)


def _held(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _copy(name: str) -> Path:
    return home() / "adding" / name


def _unfinished(copy: Path) -> Path:
    return copy.with_name(f"{copy.name}.unfinished")
