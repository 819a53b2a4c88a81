"""Libraries whose arrays are on a device, without one."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import stand_in_device
from numpy.typing import NDArray

from polympi import devices, file_pieces
from polympi.errors import MismatchError


class Buffer:
    """Memory of CUDA that only CuPy and the like can copy."""

    def __init__(self, array: stand_in_device.Array) -> None:
        self.array = array
        self.__cuda_array_interface__ = array.__cuda_array_interface__


class View(devices.Library):
    """The stand-in in the place of CuPy."""

    def __init__(self, name: str) -> None:
        super().__init__("stand_in_device")


@pytest.fixture
def cupy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(asarray=lambda buffer: buffer.array))  # type: ignore[arg-type]
    monkeypatch.setitem(devices.LIBRARIES, "cupy", ("cupy", View))


@pytest.mark.usefixtures("cupy")
def test_memory_without_dlpack_is_copied_as_an_array_of_cupy() -> None:
    buffer = Buffer(stand_in_device.asarray(np.arange(3.0)))
    name, host = devices.to_host(buffer) or pytest.fail("it is not pickled")
    assert (name, host.tolist()) == ("cupy:device", [0, 1, 2])
    memory = devices.memory_for(buffer)
    memory[:2] = 7
    devices.fill(buffer, memory, 2)
    assert buffer.array.host().tolist() == [7, 7, 2]


def test_memory_without_dlpack_needs_a_library_that_copies_it() -> None:
    with pytest.raises(BufferError, match="import CuPy or Numba"):
        devices.to_host(Buffer(stand_in_device.asarray(np.arange(3.0))))


class Absent(devices.Library):
    """A library that is installed, on a machine without its device."""

    def present(self, place: str) -> bool:
        return False


def test_without_the_library_or_a_device_an_array_stays_on_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    host = np.arange(3)
    assert devices.to_device("no_such_library:device", host) is host
    assert isinstance(devices.to_device("stand_in_device:device", host), stand_in_device.Array)
    monkeypatch.setitem(devices.LIBRARIES, "stand_in_device", ("stand_in_device", Absent))
    assert devices.to_device("stand_in_device:device", host) is host


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [("f4", np.float32), (np.dtype("c8"), np.complex64), ("library.int16", np.int16), (float, np.float64)],
)
def test_types_of_elements_are_numpys(dtype: Any, expected: type[np.generic]) -> None:
    assert devices.dtype_of(SimpleNamespace(dtype=dtype)) == expected


def test_a_type_that_numpy_lacks_is_named() -> None:
    with pytest.raises(BufferError, match="NumPy has no float3; install ml_dtypes"):
        devices.dtype_of(SimpleNamespace(dtype="torch.float3"))


@pytest.mark.parametrize(
    ("array", "in_order"),
    [
        (np.zeros((2, 3)), True),
        (np.zeros((2, 3), order="F"), False),
        (np.zeros((2, 3))[:, :1], False),
        (np.zeros((2, 3))[:1], True),
        (np.zeros((0, 3)).T, True),
        (np.zeros(()), True),
    ],
    ids=lambda value: f"{value.shape}" if isinstance(value, np.ndarray) else None,
)
def test_only_elements_in_c_order_are_given_to_the_library(
    monkeypatch: pytest.MonkeyPatch, array: NDArray[Any], in_order: bool
) -> None:
    class Settled(devices.Library):
        def settle(self, array: Any) -> bool:
            return True

    monkeypatch.setattr(devices, "mpi_knows", lambda device: device == devices.CUDA)
    monkeypatch.setitem(devices.LIBRARIES, "stand_in_device", ("stand_in_device", Settled))
    whole = stand_in_device.Array(stand_in_device.empty((1,), "f8")._memory, array)
    given = devices.direct(whole)
    assert (given is not None) == in_order
    if given and array.size:
        name, memory = given
        assert name == "stand_in_device:device"
        assert memory.ctypes.data == array.ctypes.data
        assert (memory.dtype, memory.shape) == (array.dtype, array.shape)


def test_files_take_host_memory_only() -> None:
    with pytest.raises(MismatchError, match="this Array gives the CPU no access"):
        file_pieces.array_over(stand_in_device.asarray(np.arange(3.0)), writable=False)


ANSWERS = {
    "int MPIX_Query_cuda_support(void) { return 1; }": {devices.CUDA},
    "int MPIX_Query_cuda_support(void) { return 0; } int MPIX_Query_rocm_support(void) { return 1; }": {devices.ROCM},
    "int MPIX_Query_hip_support(void) { return 1; }": {devices.ROCM},
    "int MPIX_GPU_query_support(int type, int *known) { *known = type == 0; return 0; }": {devices.CUDA},
    "int MPIX_GPU_query_support(int type, int *known) { *known = 1; return 5; }": set(),
    "int MPI_Init(void) { return 0; }": set(),
}


# MPICH ends a process that asks at another time.
RUNNING = """
int MPI_Initialized(int *flag) {{ *flag = {started}; return 0; }}
int MPI_Finalized(int *flag) {{ *flag = 0; return 0; }}
"""


@pytest.mark.parametrize("started", [1, 0])
@pytest.mark.parametrize(("source", "expected"), ANSWERS.items())
def test_the_mpi_library_says_which_devices_it_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, expected: set[int], started: int
) -> None:
    library = tmp_path / "libmpi.so"
    source += RUNNING.format(started=started)
    subprocess.run(["gcc", "-shared", "-fPIC", "-xc", "-", "-o", library], input=source, text=True, check=True)
    monkeypatch.setattr(devices.mpi_library, "chosen", (str(library), "mpich"))
    monkeypatch.setattr(devices.mpi_library, "library_path", lambda: str(library))
    known = {device for device in (devices.CUDA, devices.ROCM, 8) if devices.mpi_knows(device)}
    assert known == (expected if started else set())
