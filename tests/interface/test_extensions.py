"""Extension modules in C that take communicators (polympi.h)."""

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

import polympi
from polympi.lab.stacks.stack import Stack

SOURCE = """
#include <polympi.h>

static PyObject *size_of(PyObject *module, PyObject *arguments) {
    MPI_Comm comm;
    int size;
    if (!PyArg_ParseTuple(arguments, "O&", polympi_comm_converter, &comm))
        return NULL;
    MPI_Comm_size(comm, &size);
    return PyLong_FromLong(size);
}
static PyMethodDef methods[] = {{"size_of", size_of, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "sizes", NULL, -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit_sizes(void) { return PyModule_Create(&definition); }
"""


@pytest.fixture
def sizes(stack: Stack, tmp_path: Path) -> str:
    """What makes the module importable that is compiled for the stack."""
    (tmp_path / "sizes.c").write_text(SOURCE)
    headers = [f"-I{polympi.get_include()}", f"-I{sysconfig.get_path('include')}"]
    module = tmp_path / f"sizes{sysconfig.get_config_var('EXT_SUFFIX')}"
    command = [stack.mpicc, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", *headers]
    subprocess.run([*command, str(tmp_path / "sizes.c"), "-o", str(module)], check=True)
    return f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"


def test_the_communicator_of_an_argument_is_found(run, stack: Stack, sizes: str) -> None:
    program = """
import polympi as mpi
from mpi4py import MPI
import sizes

halves = mpi.world.split(mpi.world.rank % 2)
assert [sizes.size_of(comm) for comm in (mpi.world, halves, mpi.raw_world)] == [3, halves.size, 3]
theirs = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
assert sizes.size_of(theirs) == halves.size
halves.free()
for wrong, error, sentence in (
    (7, TypeError, "a int isn't a communicator: give one of polympi or mpi4py"), (halves, mpi.Error, "was freed"),
):
    try:
        sizes.size_of(wrong)
    except error as said:
        assert sentence in str(said), said
    else:
        raise AssertionError(wrong)
"""
    run(sizes + program, 3, stack).succeeded()


def test_the_library_is_a_file_however_it_was_found(run, stack: Stack) -> None:
    ask = "import polympi; print(polympi.library_path())"
    first_loaded_by_name = f"import ctypes; ctypes.CDLL({stack.libmpi!r}, ctypes.RTLD_GLOBAL); {ask}"
    for program in (ask, first_loaded_by_name):
        assert run(program, None, stack).succeeded().split() == [os.path.realpath(stack.libmpi)]
