"""Whether one process may read another's memory, which MPI libraries need to copy a large message only once.

Cross memory attach (``process_vm_readv``, process_vm_readv(2)) is refused by seccomp filters of containers, by
missing capabilities, and by the Yama security module (``kernel.yama.ptrace_scope``). None of these can be seen from
outside for sure, so it is tried: this process reads a few bytes of its own child.
"""

import ctypes
import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

from polympi.lab.environment.files import read_int
from polympi.lab.errors import system_reason

_WORD = b"polympi cross memory attach"
_CHILD = f"""
import ctypes, sys
word = ctypes.create_string_buffer({_WORD!r})
print(ctypes.addressof(word), flush=True)
sys.stdin.read()
"""
_TIME_LIMIT_S = 10.0  # an interpreter starts in well under a second


class _Segment(ctypes.Structure):
    """``struct iovec``."""

    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def single_copy_metadata(root: Path = Path("/")) -> dict[str, Any]:
    """Whether single copy works here.

    Returns:
        ``works`` (None if it could not be tried), ``reason`` (the system's error, None if it works) and
        ``ptrace_scope`` (Yama's setting, None without Yama).
    """
    works, reason = try_reading_a_child()
    return {"works": works, "reason": reason, "ptrace_scope": read_int(root / "proc/sys/kernel/yama/ptrace_scope")}


def try_reading_a_child() -> tuple[bool | None, str | None]:
    """Read a child's memory; whether that worked (None: could not be tried), and why not."""
    try:
        read = ctypes.CDLL(None, use_errno=True).process_vm_readv
    except (OSError, AttributeError):
        return None, "the system has no process_vm_readv"
    try:
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
    except OSError as error:
        return None, f"no child could be started: {system_reason(error)}"
    with child:
        try:
            address = int(child.stdout.readline()) if child.stdout else 0
            return _read_word(read, child.pid, address)
        except ValueError:
            return None, "the child did not start"
        finally:
            _end(child)


def _read_word(read: Any, pid: int, address: int) -> tuple[bool, str | None]:
    buffer = ctypes.create_string_buffer(len(_WORD))
    local = _Segment(ctypes.addressof(buffer), len(_WORD))
    remote = _Segment(address, len(_WORD))
    read.restype = ctypes.c_ssize_t
    count = read(
        pid, ctypes.byref(local), ctypes.c_ulong(1), ctypes.byref(remote), ctypes.c_ulong(1), ctypes.c_ulong(0)
    )
    if count == len(_WORD) and buffer.raw == _WORD:
        return True, None
    number = ctypes.get_errno()
    return False, errno.errorcode.get(number, str(number))


def _end(child: subprocess.Popen[str]) -> None:
    """Let the child see the end of its input, and make sure that it has ended."""
    if child.stdin:
        child.stdin.close()
    try:
        child.wait(_TIME_LIMIT_S)
    except subprocess.TimeoutExpired:
        child.kill()
