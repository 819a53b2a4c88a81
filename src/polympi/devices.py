"""Arrays in the memory of a device: copies on the host and back, made by the libraries of the arrays.

The core asks for them with arrays that say, by DLPack or ``__cuda_array_interface__``, that the CPU can't read them. A
copy waits for what the library's current stream was given before, as the library's own blocking copies do. Where the
MPI library knows devices, it gets the memory itself, once that stream has nothing left to do.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.util
import math
import sys

import numpy as np

from polympi import library as mpi_library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Array = NDArray[Any]


class Library:
    """A library whose arrays may be on a device, by the Python array API: other libraries override what they lack.

    Attributes:
        module: its array namespace.
    """

    def __init__(self, name: str) -> None:
        self.module: Any = importlib.import_module(name)

    def place(self, array: Any) -> str:
        """The kind of device, for the ranks that receive the array."""
        return "device"

    def present(self, place: str) -> bool:
        """Whether this process has such a device."""
        return True

    def host(self, array: Any) -> Array | None:
        """A copy on the host; None if the library's own pickle has to send the array."""
        try:
            return np.from_dlpack(array, device="cpu", copy=True)
        except (BufferError, TypeError) as error:
            raise BufferError(f"its library gives no copy by DLPack ({error}); copy it to the CPU first") from error

    def empty(self, array: Any) -> Array:
        """Host memory for elements of a writable array."""
        return np.empty(tuple(array.shape), dtype_of(array))

    def settle(self, array: Any) -> bool:
        """Wait for what the stream of an array was given; False if the library doesn't say how."""
        return False

    def make(self, host: Array, place: str) -> Any:
        """A new array with these elements on the current device."""
        return self.module.asarray(host)

    def fill(self, array: Any, host: Array) -> None:
        """Copy elements to an array, before what its stream is given next."""
        array[...] = self.module.asarray(host, device=array.device)


class _CuPy(Library):
    def present(self, place: str) -> bool:
        return bool(self.module.cuda.is_available())

    def host(self, array: Any) -> Array | None:
        copied: Array = self.module.asnumpy(array, out=self.empty(array))
        return copied

    def empty(self, array: Any) -> Array:
        if array.size == 0:
            return super().empty(array)
        memory: Array = importlib.import_module("cupyx").empty_like_pinned(array)
        return memory

    def settle(self, array: Any) -> bool:
        with array.device:
            self.module.cuda.get_current_stream().synchronize()
        return True

    def fill(self, array: Any, host: Array) -> None:
        with array.device:
            array[...] = self.module.asarray(host)


class _Torch(Library):
    def place(self, array: Any) -> str:
        return str(array.device.type)

    def present(self, place: str) -> bool:
        backend = getattr(self.module, place, None)
        return backend is not None and bool(backend.is_available())

    def host(self, array: Any) -> Array | None:
        if array.requires_grad:
            return None
        return _numpy_of(self._pinned(array).copy_(array), array)

    def empty(self, array: Any) -> Array:
        if array.requires_grad:
            raise BufferError("it requires gradients; give its detach()")
        return _numpy_of(self._pinned(array), array)

    def settle(self, array: Any) -> bool:
        self.module.cuda.current_stream(array.device).synchronize()
        return True

    def _pinned(self, array: Any) -> Any:
        return self.module.empty_like(array, device="cpu", pin_memory=array.is_cuda)

    def _tensor(self, host: Array) -> Any:
        """A tensor over an array, whose type NumPy itself may not have, such as bfloat16."""
        if host.dtype.isbuiltin == 1:
            return self.module.from_numpy(host)
        same_size = np.dtype(f"i{host.itemsize}")
        return self.module.from_numpy(host.view(same_size)).view(getattr(self.module, host.dtype.name))

    def make(self, host: Array, place: str) -> Any:
        return self._tensor(host).to(place)

    def fill(self, array: Any, host: Array) -> None:
        array.copy_(self._tensor(host))


class _Jax(Library):
    def present(self, place: str) -> bool:
        return bool(self.module.default_backend() != "cpu")

    def host(self, array: Any) -> Array | None:
        return np.asarray(array)

    def empty(self, array: Any) -> Array:
        raise BufferError("arrays of JAX are immutable; leave `into` out")

    def settle(self, array: Any) -> bool:
        array.block_until_ready()
        return True

    def make(self, host: Array, place: str) -> Any:
        return self.module.device_put(host)


class _Numba(Library):
    def present(self, place: str) -> bool:
        return bool(self.module.is_available())

    def host(self, array: Any) -> Array | None:
        copied: Array = array.copy_to_host()
        return copied

    def settle(self, array: Any) -> bool:
        self.module.synchronize()
        return True

    def make(self, host: Array, place: str) -> Any:
        return self.module.to_device(host)

    def fill(self, array: Any, host: Array) -> None:
        if array.is_c_contiguous():
            array.copy_to_device(host)
        else:
            array[...] = host


# By the package that defines the type of an array.
LIBRARIES: dict[str, tuple[str, type[Library]]] = {
    "cupy": ("cupy", _CuPy),
    "jax": ("jax", _Jax),
    "jaxlib": ("jax", _Jax),
    "numba": ("numba.cuda", _Numba),
    "numba_cuda": ("numba.cuda", _Numba),
    "torch": ("torch", _Torch),
}
# Those that take any memory of CUDA as theirs, by ``__cuda_array_interface__``, and wait for its stream.
VIEWS = {"cupy": "asarray", "numba.cuda": "as_cuda_array"}
# By DLPack's type of a device: the functions with which MPI libraries say that they know it, those that return the
# answer and, with the number of the type, MPICH's MPIX_GPU_query_support.
CUDA, ROCM = 2, 10
QUERIES = {
    CUDA: (("MPIX_Query_cuda_support",), 0),
    ROCM: (("MPIX_Query_rocm_support", "MPIX_Query_hip_support"), 2),
}


def dtype_of(array: Any) -> np.dtype[Any]:
    """NumPy's type for the elements of another library's array; that of ml_dtypes for those which NumPy lacks.

    Raises:
        BufferError: neither has one.
    """
    try:
        dtype: np.dtype[Any] = np.dtype(array.dtype)
    except TypeError:
        dtype = _dtype_named(str(array.dtype).rpartition(".")[2])
    return dtype


def _dtype_named(name: str) -> np.dtype[Any]:
    try:
        return np.dtype(name)
    except TypeError:
        if importlib.util.find_spec("ml_dtypes"):
            found = getattr(importlib.import_module("ml_dtypes"), name, None)
            if found is not None:
                dtype: np.dtype[Any] = np.dtype(found)
                return dtype
        raise BufferError(f"NumPy has no {name}; install ml_dtypes if that has") from None


def _numpy_of(tensor: Any, like: Any) -> Array:
    """The array over a tensor of PyTorch on the host."""
    dtype = dtype_of(like)
    if dtype.isbuiltin != 1:
        tensor = tensor.view(getattr(sys.modules["torch"], f"int{8 * dtype.itemsize}"))
    array: Array = tensor.numpy()
    return array.view(dtype)


def _library(array: Any) -> tuple[str, Library, Any]:
    """The name of an array's library, the library, and the array, or a view of it that the library has made.

    Raises:
        BufferError: no library can copy it.
    """
    packages = [cls.__module__.partition(".")[0] for cls in type(array).__mro__]
    for package in packages:
        if package in LIBRARIES:
            name, kind = LIBRARIES[package]
            return name, kind(name), array
    if not hasattr(array, "__dlpack__"):
        for name, view in VIEWS.items():
            if name in sys.modules:
                return name, LIBRARIES[name.partition(".")[0]][1](name), getattr(sys.modules[name], view)(array)
        raise BufferError("import CuPy or Numba, which can copy it")
    namespace = getattr(array, "__array_namespace__", None)
    name = namespace().__name__ if namespace else packages[0]
    return name, Library(name), array


def to_host(array: Any) -> tuple[str, Array] | None:
    """A copy of an array on a device, and a name with which `to_device` makes such an array.

    Returns:
        None if its library pickles it.
    """
    name, library, own = _library(array)
    host = library.host(own)
    return None if host is None else (f"{name}:{library.place(own)}", host)


def to_device(name: str, host: Array) -> object:
    """The array on the current device; the array of the host if this rank lacks the library or such a device."""
    package, _, place = name.partition(":")
    try:
        library = dict(LIBRARIES.values()).get(package, Library)(package)
    except ImportError:
        return host
    return library.make(host, place) if library.present(place) else host


def memory_for(array: Any) -> Array:
    """Host memory to receive into instead of an array on a device."""
    _, library, own = _library(array)
    return library.empty(own)


def fill(array: Any, host: Array, count: int) -> None:
    """Copy the first elements, whole rows, from what `memory_for` gave."""
    _, library, own = _library(array)
    if count < host.size:
        rows = count * len(host) // host.size
        own, host = own[:rows], host[:rows]
    if math.prod(host.shape):
        library.fill(own, host)


_loaded = functools.cache(ctypes.CDLL)


def mpi_knows(device: int) -> bool:
    """Whether MPI is running, and its library says that it takes memory of this type of device."""
    if device not in QUERIES or mpi_library.chosen is None or mpi_library.is_serial():
        return False
    mpi = _loaded(mpi_library.library_path())
    started, ended = ctypes.c_int(0), ctypes.c_int(0)
    mpi.MPI_Initialized(ctypes.byref(started))
    mpi.MPI_Finalized(ctypes.byref(ended))
    return bool(started.value and not ended.value) and _answer(mpi, device)  # MPICH ends the process otherwise


@functools.cache
def _answer(mpi: ctypes.CDLL, device: int) -> bool:
    names, number = QUERIES[device]
    if any(hasattr(mpi, name) and getattr(mpi, name)() == 1 for name in names):
        return True
    known = ctypes.c_int(0)
    query = getattr(mpi, "MPIX_GPU_query_support", None)
    return bool(query and query(number, ctypes.byref(known)) == 0 and known.value)


class _Memory:
    """Memory of an array on a device, for NumPy, which looks at its type and its place only."""

    def __init__(self, array: Any, interface: dict[str, Any], dtype: np.dtype[Any]) -> None:
        self.array = array
        shown = {name: interface[name] for name in ("shape", "data")}
        self.__array_interface__ = {**shown, "typestr": f"|V{dtype.itemsize}", "version": 3}


def direct(array: Any) -> tuple[str, Array] | None:
    """The memory of an array for the MPI library alone, with a name for `to_device`.

    Returns:
        None if only a copy can be sent: the library doesn't know the device, or the elements aren't in C order.
    """
    where = array.__dlpack_device__()[0] if hasattr(array, "__dlpack_device__") else CUDA
    if not mpi_knows(where) or getattr(array, "requires_grad", False):
        return None
    name, library, own = _library(array)
    dtype = dtype_of(own)
    try:
        interface = own.__cuda_array_interface__
    except (AttributeError, KeyError, TypeError):  # some have it for some types of elements only
        return None
    if not _in_c_order(interface, dtype.itemsize) or not library.settle(own):
        return None
    return f"{name}:{library.place(own)}", np.asarray(_Memory(own, interface, dtype)).view(dtype)


def _in_c_order(interface: dict[str, Any], itemsize: int) -> bool:
    shape, strides = interface["shape"], interface.get("strides")
    if strides is None or 0 in shape:
        return True
    steps = [itemsize * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return all(extent == 1 or step == stride for extent, step, stride in zip(shape, steps, strides, strict=True))


def read(memory: Any) -> Array:
    """A contiguous copy of what `direct` gave."""
    while isinstance(memory, np.ndarray):
        memory = memory.base
    copied = to_host(memory.array)
    assert copied is not None, "only arrays that can be copied are direct"
    return np.ascontiguousarray(copied[1])
