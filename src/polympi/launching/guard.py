"""Runs a launcher, and ends all that it has started when the process that wanted it is gone.

``python -I -S guard.py COMMAND...``, where standard input is a pipe of that process, which writes a byte there when MPI
has started. The guard adopts processes whose
parent has ended (prctl(2), PR_SET_CHILD_SUBREAPER), so that all of them are its descendants, as long as they are on
this machine; those on other hosts end with the launcher, or with their connection.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import subprocess
import sys
import time

PR_SET_CHILD_SUBREAPER = 36  # of linux/prctl.h
LOOK_S = 1.0  # a forked child of the parent may keep the pipe open, so its end is also looked for
GRACE_S = 1.0  # for a launcher to end its ranks after SIGTERM, and to remove its files
END_S = 10.0  # a process in an uninterruptible wait can't be ended
# What MPICH and Open MPI leave in /dev/shm if their ranks are killed.
LIBRARY_FILES = ("/dev/shm/mpich_shm_", "/dev/shm/sm_segment.")


def main() -> None:
    """Run the command to its end, or to the end of the parent."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL) as launcher:
        ended = os.pidfd_open(launcher.pid)
        files: set[str] = set()
        while os.getppid() == parent:
            ready = select.select([0, ended], [], [], LOOK_S)[0]
            if ended in ready or (ready and not os.read(0, 1)):
                break
            if ready:
                files = _library_files()  # later, a launcher may have ended the ranks that use them
        if launcher.poll() is None:
            launcher.terminate()
            select.select([ended], [], [], GRACE_S)
        _end_descendants()
    for file in files:
        try:
            os.unlink(file)
        except OSError:  # the library has removed it
            continue
    sys.exit(launcher.returncode if launcher.returncode >= 0 else 128 - launcher.returncode)


def _end_descendants() -> None:
    end = time.monotonic() + END_S
    while (found := _descendants()) and time.monotonic() < end:
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:  # it has ended
                continue
        time.sleep(0.005)
        _reap(found)


def _reap(pids: list[int]) -> None:
    """Let ended children go; the launcher's status, if it is among them, is that of a killed process."""
    for pid in pids:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:  # a child of another one, which ends as well
            continue


def _descendants() -> list[int]:
    """The processes below this one, by the parents that /proc names."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:  # it has ended
                continue
            children.setdefault(parent, []).append(int(name))
    found = children.get(os.getpid(), [])
    for pid in found:  # grows as it is read
        found += children.get(pid, [])
    return found


def _library_files() -> set[str]:
    """Files of the MPI library in shared memory that the descendants use."""
    files = set()
    for pid in _descendants():
        try:
            with open(f"/proc/{pid}/maps", errors="replace") as maps:
                paths = {"/" + line.rstrip("\n").partition("/")[2] for line in maps}
        except OSError:  # it has ended
            continue
        files |= {path for path in paths if path.startswith(LIBRARY_FILES)}
    return files


if __name__ == "__main__":
    main()
