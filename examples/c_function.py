"""A function in C that communicates, called from Python with a communicator of polympi.

    mpiexec -n 2 python examples/c_function.py

It needs the compiler wrapper ``mpicc`` of the MPI library, beside Python or on PATH; or set ``MPICC``. Rank 0 compiles
the function; a program would come with it compiled.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import polympi as mpi

SOURCE = """
#include <mpi.h>
#include <math.h>

/* The Euclidean norm of a vector of which each rank has a part. */
double norm(MPI_Comm comm, const double *part, int n) {
    double mine = 0, all;
    for (int i = 0; i < n; i++)
        mine += part[i] * part[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sqrt(all);
}
"""


def compile_norm(folder: Path) -> Path:
    """The library with the function."""
    (folder / "norm.c").write_text(SOURCE)
    beside = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    mpicc = os.environ.get("MPICC") or shutil.which("mpicc", path=beside) or "mpicc"
    library = folder / "libnorm.so"
    subprocess.run([mpicc, "-shared", "-fPIC", "-o", str(library), str(folder / "norm.c"), "-lm"], check=True)
    return library


def main() -> None:
    """Each rank has three elements of a vector."""
    comm = mpi.world.dup()  # for the function alone, so that its messages never meet those of the program
    with tempfile.TemporaryDirectory() as folder:
        library = ctypes.CDLL(str(comm.bcast(compile_norm(Path(folder)) if comm.rank == 0 else None)))
        comm.barrier()  # all have loaded it
    handle = ctypes.c_int if comm.handle_size == 4 else ctypes.c_void_p  # an MPI_Comm
    library.norm.argtypes = [handle, ctypes.POINTER(ctypes.c_double), ctypes.c_int]
    library.norm.restype = ctypes.c_double

    part = np.full(3, 2.0)
    norm = library.norm(comm.handle, part.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), part.size)
    assert norm == np.sqrt(3 * 4.0 * comm.size)
    if comm.rank == 0:
        print(f"C says that the norm is {norm:.3f}")
    comm.free()


if __name__ == "__main__":
    main()
