"""The arena: the one memory map that all message buffers are cut from (``docs/protocol.md``, Buffers)."""

from __future__ import annotations

import mmap
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

HUGE_PAGE = 2 << 20
STRIDE = 4096  # every buffer begins at a multiple of a small page
UNSEEN = 0xEE  # what a buffer holds before a message has arrived


_asked_for = "huge"


def choose_pages(pages: str) -> None:
    """Let all arenas from now on ask for huge pages (``huge``) or for nothing (``plain``), as the plan says."""
    global _asked_for  # noqa: PLW0603  the choice is one of the whole launch
    _asked_for = pages


def space(sizes: Iterable[int]) -> int:
    """Bytes of arena that buffers of these sizes take; an empty buffer has its own place, too."""
    return sum(_round_up(max(size, 1), STRIDE) for size in sizes)


class Arena:
    """One anonymous private memory map, aligned to 2 MiB, every page written.

    It lies on huge pages where the kernel has any, unless :func:`choose_pages` says to ask for none.

    Args:
        size: bytes that the largest case carves out of it.
    """

    def __init__(self, size: int) -> None:
        length = _round_up(max(size, 1), HUGE_PAGE)
        # Python's default is a shared map, which the kernel backs by other pages than C's private one.
        mapping = mmap.mmap(-1, length + HUGE_PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        whole = np.frombuffer(mapping, dtype=np.uint8)
        start = -int(whole.ctypes.data) % HUGE_PAGE
        if _asked_for == "huge" and hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a kernel without transparent huge pages: small ones then, for all programs
                mapping.madvise(mmap.MADV_HUGEPAGE, start, length)
        self._bytes: NDArray[np.uint8] = whole[start : start + length]
        self._bytes.fill(UNSEEN)

    @property
    def size(self) -> int:
        """Bytes of the arena."""
        return len(self._bytes)

    def huge_bytes(self, path: str = "/proc/self/smaps") -> int:
        """Bytes of the arena that lie on huge pages, as the kernel says; 0 where it does not.

        Args:
            path: the kernel's account of all mappings.
        """
        begin = int(self._bytes.ctypes.data)
        end = begin + self.size
        ours, found = False, 0
        with suppress(OSError), open(path, encoding="ascii", errors="replace") as account:
            for line in account:
                head, _, rest = line.partition(" ")
                if head == "AnonHugePages:":
                    found += int(rest.split()[0]) * 1024 if ours else 0
                elif not head.endswith(":"):
                    first, last = (int(bound, 16) for bound in head.split("-"))
                    ours = first < end and begin < last
        return min(found, self.size)  # a neighbour can share the mapping

    def carve(self, sizes: Iterable[int]) -> list[NDArray[np.uint8]]:
        """Buffers of these sizes from the beginning of the arena; those carved before are given up."""
        buffers = []
        offset = 0
        for size in sizes:
            buffers.append(self._bytes[offset : offset + size])
            offset += space([size])
        if offset > len(self._bytes):
            raise ValueError(f"{offset} bytes do not fit in an arena of {len(self._bytes)}")
        return buffers

    def between(self, first: NDArray[np.uint8], beyond: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The memory from the beginning of a buffer to that of one carved after it."""
        begin, end = (int(buffer.ctypes.data - self._bytes.ctypes.data) for buffer in (first, beyond))
        return self._bytes[begin:end]


def _round_up(size: int, multiple: int) -> int:
    return -(-size // multiple) * multiple
