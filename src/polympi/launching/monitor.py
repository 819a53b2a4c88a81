"""The monitor of a rank: its parent process, which reports how it ended, and sends it signals that are asked for."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import socket
from typing import NoReturn

from polympi.launching.links import connect

PR_SET_PDEATHSIG = 1  # of linux/prctl.h
SENT = "sent"  # the answer to a signal that was asked for: from then on the rank has it


def fork_rank(words: str) -> str:
    """Become two processes: the rank, in which this returns its name among all hosts; and its monitor."""
    host, monitor = socket.gethostname(), os.getpid()
    pid = os.fork()
    if pid:
        _watch(pid, words, host)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != monitor:  # it ended before
        os._exit(1)
    return f"{host}:{os.getpid()}"


def _watch(pid: int, words: str, host: str) -> NoReturn:
    """Send signals to the rank until it ends, and end as it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended = os.pidfd_open(pid)
    link = connect(words)
    link.send(("monitor", f"{host}:{pid}"))
    while ended not in select.select([ended, link.fileno()], [], [])[0]:
        try:
            os.kill(pid, link.recv())
            link.send(SENT)
        except (EOFError, OSError):  # nobody wants the rank any more
            os.kill(pid, signal.SIGKILL)
            break
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    try:
        link.send(code)
        link.close()
    except OSError:
        pass
    os._exit(code if code >= 0 else 128 - code)
