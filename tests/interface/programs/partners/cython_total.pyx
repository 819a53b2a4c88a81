# cython: language_level=3
"""A function in Cython that communicates: the sum of what all ranks give."""

from libc.stdint cimport intptr_t


cdef extern from "mpi.h":
    ctypedef void *MPI_Comm
    ctypedef void *MPI_Datatype
    ctypedef void *MPI_Op
    MPI_Datatype MPI_DOUBLE
    MPI_Op MPI_SUM
    int MPI_Allreduce(const void *mine, void *all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)


def total(comm, double mine):
    """The sum, by the handle of a communicator of polympi."""
    cdef double everything = 0
    MPI_Allreduce(&mine, &everything, 1, MPI_DOUBLE, MPI_SUM, <MPI_Comm><intptr_t>comm.handle)
    return everything
