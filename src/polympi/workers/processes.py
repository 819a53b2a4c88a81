"""Noticing that a process has ended, in whatever way: a file descriptor per process (Linux, pidfd_open(2))."""

from __future__ import annotations

import os
import select

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polympi.workers.worker import Process


class Processes:
    """Processes that are watched, those on this host.

    Args:
        own: this process.
    """

    def __init__(self, own: Process) -> None:
        self._own = own
        self._poll = select.poll()
        self._ranks: dict[int, int] = {}  # by descriptor

    def watch(self, rank: int, process: Process) -> None:
        """Watch a rank; not on another host, nor where the kernel can't."""
        if process.space != self._own.space:
            return
        try:
            descriptor = os.pidfd_open(process.pid)
        except OSError:
            return
        self._ranks[descriptor] = rank
        self._poll.register(descriptor, select.POLLIN)

    def ended(self) -> list[int]:
        """The ranks that have ended since the last call."""
        return [self._forget(descriptor) for descriptor, _ in self._poll.poll(0)]

    def close(self) -> None:
        """Watch no longer."""
        for descriptor in list(self._ranks):
            self._forget(descriptor)

    def _forget(self, descriptor: int) -> int:
        self._poll.unregister(descriptor)
        os.close(descriptor)
        return self._ranks.pop(descriptor)
