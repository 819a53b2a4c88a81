"""Constants other than datatypes and operations."""

from __future__ import annotations

import polympi

VERSION = "1.15.0"
ARRAY_LIBRARY = "NUMPY"
MPI_VERSION, MPI_SUBVERSION = 2, 0  # the standard that has the calls of this module

MPI_ANY_SOURCE = polympi.ANY_SOURCE
MPI_ANY_TAG = polympi.ANY_TAG
MPI_PROC_NULL = polympi.PROC_NULL
MPI_UNDEFINED = -32766  # the number in the MPI libraries of MYMPI's time and of today
MPI_ROOT = -4
MPI_BOTTOM = MPI_ARGV_NULL = 0

# Handles of nothing. None of a thing that is there is 0.
MPI_COMM_NULL = MPI_OP_NULL = MPI_GROUP_NULL = MPI_DATATYPE_NULL = 0
MPI_REQUEST_NULL = MPI_ERRHANDLER_NULL = MPI_INFO_NULL = 0
MPI_COMM_TYPE_SHARED = 1

# Keys of mpi_attr_get.
MPI_KEYVAL_INVALID = 0
MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE = range(1, 6)

MPI_MAX_PROCESSOR_NAME = 256  # no name of a machine is longer on Linux
MPI_MAX_ERROR_STRING = 1024
MPI_BSEND_OVERHEAD = 512
