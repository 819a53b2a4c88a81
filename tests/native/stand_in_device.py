"""An array library whose arrays are on a device, as others see them, on a machine without one.

The memory of an array can't be touched by the CPU: it is protected except while this module copies it, so that whatever
reads it directly crashes. Operations run only when the stream is synchronised, as on a device that is slower than the
program: what doesn't wait for them sees old elements.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

CUDA = 2
_libc = ctypes.CDLL(None, use_errno=True)


class OutOfMemoryError(RuntimeError):
    """The device has no memory left."""


class Counts:
    """What has happened since the last `reset`."""

    def reset(self) -> None:
        self.to_host = self.to_device = self.synchronised = 0


counts = Counts()
counts.reset()
failing: set[str] = set()  # "to_host", "to_device": raise OutOfMemoryError
protecting = True  # or the "device" is memory that the CPU reads, as an MPI library that knows devices does
_stream: list[Callable[[], None]] = []


def synchronise() -> None:
    """Run what was enqueued."""
    counts.synchronised += 1
    while _stream:
        _stream.pop(0)()


class _Memory:
    """Pages that only this module opens."""

    def __init__(self, nbytes: int) -> None:
        self.pages = mmap.mmap(-1, max(nbytes, 1))
        self.bytes: NDArray[np.uint8] = np.frombuffer(self.pages, np.uint8)
        self.address = self.bytes.ctypes.data
        self.protect(protecting)

    def protect(self, closed: bool) -> None:
        allowed = 0 if closed else mmap.PROT_READ | mmap.PROT_WRITE
        if _libc.mprotect(ctypes.c_void_p(self.address), ctypes.c_size_t(len(self.pages)), allowed):
            raise OSError(ctypes.get_errno(), "mprotect failed")


class Array:
    """An array on the device, or a view of one."""

    device = "stand-in:0"

    def __init__(self, memory: _Memory, view: NDArray[Any]) -> None:
        self._memory = memory
        self._view = view
        self.shape, self.dtype = view.shape, view.dtype

    def __len__(self) -> int:
        return len(self._view)

    def __getitem__(self, key: Any) -> Array:
        return Array(self._memory, self._view[key if isinstance(key, tuple) else (key, ...)])

    def __setitem__(self, key: Any, values: Array) -> None:
        """Enqueue a copy from one array of the device to another."""
        target = self if key is ... else self[key]

        def copy() -> None:
            elements = values.read()
            self._memory.protect(closed=False)
            target._view[...] = elements
            self._memory.protect(protecting)

        _stream.append(copy)

    def read(self) -> NDArray[Any]:
        """The elements as they are at this moment."""
        self._memory.protect(closed=False)
        elements = self._view.copy()
        self._memory.protect(protecting)
        return elements

    def host(self) -> NDArray[Any]:
        """The elements after all that was enqueued; not counted, for assertions."""
        while _stream:
            _stream.pop(0)()
        return self.read()

    def __array_namespace__(self) -> ModuleType:
        return sys.modules[__name__]

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, 0

    def __dlpack__(self, *, dl_device: tuple[int, int] | None = None, copy: bool | None = None, **options: Any) -> Any:
        if dl_device != (1, 0) or not copy:
            raise BufferError("the CPU can't read this memory")
        if "to_host" in failing:
            raise OutOfMemoryError("no memory for a copy on the host")
        counts.to_host += 1
        synchronise()
        return self.read().__dlpack__(**options)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._view.ctypes.data, False),
            "strides": None if self._view.flags.c_contiguous else self._view.strides,
            "version": 3,
            "stream": 1,
        }

    def __reduce__(self) -> Any:
        raise TypeError("its memory is on a device")


def empty(shape: tuple[int, ...], dtype: DTypeLike) -> Array:
    """A new array."""
    dtype = np.dtype(dtype)
    memory = _Memory(math.prod(shape) * dtype.itemsize)
    view = np.ndarray(shape, dtype, buffer=memory.bytes.data)
    return Array(memory, view)


def asarray(host: NDArray[Any], device: str | None = None) -> Array:
    """A copy of an array of the host on the device, complete when this returns."""
    assert device in (None, Array.device)
    if "to_device" in failing:
        raise OutOfMemoryError("no memory for a copy on the device")
    counts.to_device += 1
    array = empty(host.shape, host.dtype)
    array._memory.protect(closed=False)
    array._view[...] = host
    array._memory.protect(protecting)
    return array
