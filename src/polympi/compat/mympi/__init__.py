"""MYMPI, also known as pydusa 1.15: the calls of MPI by their names in C, for scripts that say ``import mpi``.

``python -m polympi --as mympi script.py`` runs one unmodified. Communicators, datatypes, operations and groups are
numbers, and arguments are given by position. :data:`DIFFERENCES` has all that is not as it was.
"""

# mypy: implicit-reexport
# ruff: noqa: F401  (what is imported is the interface)

from __future__ import annotations

from polympi.compat import exports as _exports
from polympi.compat import missing as _missing
from polympi.compat.mympi.absent import (
    mpi_array_of_errcodes,
    mpi_close_port,
    mpi_comm_accept,
    mpi_comm_connect,
    mpi_comm_disconnect,
    mpi_comm_spawn,
    mpi_comm_split_type,
    mpi_intercomm_merge,
    mpi_irecv,
    mpi_isend,
    mpi_open_port,
    mpi_test,
    mpi_wait,
    mpi_win_allocate_shared,
    mpi_win_free,
    mpi_win_shared_query,
)
from polympi.compat.mympi.collectives import (
    mpi_alltoall,
    mpi_alltoallv,
    mpi_barrier,
    mpi_bcast,
    mpi_gather,
    mpi_gatherv,
    mpi_reduce,
    mpi_scatter,
    mpi_scatterv,
)
from polympi.compat.mympi.communicators import (
    MPI_COMM_WORLD,
    mpi_comm_create,
    mpi_comm_dup,
    mpi_comm_free,
    mpi_comm_get_parent,
    mpi_comm_group,
    mpi_comm_rank,
    mpi_comm_set_errhandler,
    mpi_comm_size,
    mpi_comm_split,
    mpi_group_rank,
)
from polympi.compat.mympi.constants import (
    ARRAY_LIBRARY,
    MPI_ANY_SOURCE,
    MPI_ANY_TAG,
    MPI_ARGV_NULL,
    MPI_BOTTOM,
    MPI_BSEND_OVERHEAD,
    MPI_COMM_NULL,
    MPI_COMM_TYPE_SHARED,
    MPI_DATATYPE_NULL,
    MPI_ERRHANDLER_NULL,
    MPI_GROUP_NULL,
    MPI_HOST,
    MPI_INFO_NULL,
    MPI_IO,
    MPI_KEYVAL_INVALID,
    MPI_MAX_ERROR_STRING,
    MPI_MAX_PROCESSOR_NAME,
    MPI_OP_NULL,
    MPI_PROC_NULL,
    MPI_REQUEST_NULL,
    MPI_ROOT,
    MPI_SUBVERSION,
    MPI_TAG_UB,
    MPI_UNDEFINED,
    MPI_UNIVERSE_SIZE,
    MPI_VERSION,
    MPI_WTIME_IS_GLOBAL,
    VERSION,
)
from polympi.compat.mympi.datatypes import (
    MPI_2INT,
    MPI_BYTE,
    MPI_CHAR,
    MPI_DOUBLE,
    MPI_DOUBLE_INT,
    MPI_FLOAT,
    MPI_FLOAT_INT,
    MPI_INT,
    MPI_LB,
    MPI_LONG,
    MPI_LONG_DOUBLE,
    MPI_LONG_DOUBLE_INT,
    MPI_LONG_INT,
    MPI_LONG_LONG_INT,
    MPI_PACKED,
    MPI_SHORT,
    MPI_SHORT_INT,
    MPI_UB,
    MPI_UNSIGNED,
    MPI_UNSIGNED_CHAR,
    MPI_UNSIGNED_LONG,
    MPI_UNSIGNED_SHORT,
)
from polympi.compat.mympi.errors import error, mpi_error
from polympi.compat.mympi.groups import mpi_group_incl
from polympi.compat.mympi.messages import mpi_get_count, mpi_iprobe, mpi_probe, mpi_recv, mpi_send, mpi_status
from polympi.compat.mympi.operations import (
    MPI_BAND,
    MPI_BOR,
    MPI_BXOR,
    MPI_LAND,
    MPI_LOR,
    MPI_LXOR,
    MPI_MAX,
    MPI_MAXLOC,
    MPI_MIN,
    MPI_MINLOC,
    MPI_PROD,
    MPI_SUM,
)
from polympi.compat.mympi.start import (
    mpi_attr_get,
    mpi_finalize,
    mpi_get_processor_name,
    mpi_init,
    mpi_start,
    mpi_wtick,
    mpi_wtime,
    pydusa_version,
)

DIFFERENCES = {
    "COPYWRITE": "It would name the authors of MYMPI, who have not written this.",
    "DATE_DOC": "It would be the date of MYMPI, not of this.",
    "DATE_SRC": "It would be the date of MYMPI, not of this.",
    "MPI_2INT": "Elements are pairs of a value and a place; see MPI_FLOAT_INT.",
    "MPI_ANY_SOURCE": "It is a number of polympi's, not -1: use the name, since -1 is an error.",
    "MPI_ANY_TAG": "It is a number of polympi's, not -1: use the name, since -1 is an error.",
    "MPI_BSEND_OVERHEAD": "No call needs it; a buffered send of polympi needs at most this in addition to its data.",
    "MPI_BYTE": "Elements are unsigned bytes; MYMPI made arrays of MPI_INT for it.",
    "MPI_CHAR": (
        "Characters of a str arrive as U1 elements, so that ''.join(data) gives a str; those of bytes as S1, as before."
    ),
    "MPI_COMM_WORLD": "Its messages never meet those of polympi in the same program. It can be used after mpi_init.",
    "MPI_DOUBLE_INT": "Elements are pairs of a value and a place, as MPI_MINLOC takes them; see MPI_FLOAT_INT.",
    "MPI_FLOAT_INT": (
        "Elements are pairs: give a tuple, a list of tuples, or an array of structures. Arrays that arrive have the "
        "fields value and place. MYMPI made arrays of MPI_INT."
    ),
    "MPI_LB": "It describes no elements: calls raise an error.",
    "MPI_LONG": "Elements are those of a C long; MYMPI made arrays of MPI_INT for it.",
    "MPI_LONG_DOUBLE": "Elements are those of a C long double; MYMPI made arrays of MPI_INT for it.",
    "MPI_LONG_DOUBLE_INT": "Elements are pairs of a value and a place; see MPI_FLOAT_INT.",
    "MPI_LONG_INT": "Elements are pairs of a value and a place; see MPI_FLOAT_INT.",
    "MPI_LONG_LONG_INT": "Elements are those of a C long long; MYMPI made arrays of MPI_INT for it.",
    "MPI_MAXLOC": "It combines pairs, as of MPI_DOUBLE_INT; MYMPI could not make them.",
    "MPI_MINLOC": "It combines pairs, as of MPI_DOUBLE_INT; MYMPI could not make them.",
    "MPI_PACKED": "It describes no elements: calls raise an error.",
    "MPI_SHORT": "Elements are those of a C short; MYMPI made arrays of MPI_INT for it.",
    "MPI_SHORT_INT": "Elements are pairs of a value and a place; see MPI_FLOAT_INT.",
    "MPI_SUBVERSION": "With MPI_VERSION it names the standard of these calls, not that of the library.",
    "MPI_UB": "It describes no elements: calls raise an error.",
    "MPI_UNSIGNED": "Elements are those of a C unsigned int; MYMPI made arrays of MPI_INT for it.",
    "MPI_UNSIGNED_CHAR": "Elements are those of a C unsigned char; MYMPI made arrays of MPI_INT for it.",
    "MPI_UNSIGNED_LONG": "Elements are those of a C unsigned long; MYMPI made arrays of MPI_INT for it.",
    "MPI_UNSIGNED_SHORT": "Elements are those of a C unsigned short; MYMPI made arrays of MPI_INT for it.",
    "MPI_VERSION": "It names the standard of these calls, not that of the library.",
    "copywrite": "It would name the authors of MYMPI, who have not written this.",
    "error": "Calls raise it; MYMPI never did, since an error of MPI ended the program.",
    "mpi_alltoallv": "Where displacements leave gaps, zeros fill them, and the result is as long as these need.",
    "mpi_array_of_errcodes": "It raises NotImplementedError: polympi starts no programs.",
    "mpi_attr_get": "MPI_UNIVERSE_SIZE is the number of ranks, since no programs can be started.",
    "mpi_bcast": (
        "A str or bytes at the root gives an array there, too. A count that is larger than the buffer is an error "
        "instead of a read beyond it. Arrays may have any number of axes; MYMPI took up to three."
    ),
    "mpi_close_port": "It raises NotImplementedError: polympi does not connect jobs.",
    "mpi_comm_accept": "It raises NotImplementedError: polympi does not connect jobs.",
    "mpi_comm_connect": "It raises NotImplementedError: polympi does not connect jobs.",
    "mpi_comm_create": "Ranks of one group that give different groups get an error.",
    "mpi_comm_disconnect": "It raises NotImplementedError: polympi does not connect jobs. mpi_comm_free frees.",
    "mpi_comm_get_parent": "It gives MPI_COMM_NULL; polympi.parent has the ranks that have started the program.",
    "mpi_comm_set_errhandler": (
        "With 0 an error is an exception, which ends the job if it is not caught. With 1 and 2 calls go on, and those "
        "that receive give zeros or an empty array. A communicator or datatype that does not exist is always an "
        "exception."
    ),
    "mpi_comm_spawn": "It raises NotImplementedError: use polympi.spawn.",
    "mpi_comm_split_type": "It raises NotImplementedError; it was not in 1.15. Use mpi_comm_split.",
    "mpi_error": "Numbers are those of MPICH's error classes with every library: 6 is a wrong rank, 14 a truncation.",
    "mpi_finalize": (
        "A second call does nothing, and MPI also ends with a program that does not call it. It waits until what was "
        "sent is received, and is an error if no rank receives it."
    ),
    "mpi_gatherv": "Where displacements leave gaps, zeros fill them, and the result is as long as these need.",
    "mpi_get_count": (
        "It takes the datatype, and also the status before it, as MYMPI's documentation has it. After a probe it "
        "receives the message and keeps it: that message then comes before others that mpi_recv matches."
    ),
    "mpi_init": "If MPI runs already, it gives the arguments; MYMPI crashed.",
    "mpi_intercomm_merge": "It raises NotImplementedError: use merge of what polympi.spawn gives.",
    "mpi_irecv": "It raises NotImplementedError, since it did not work in MYMPI either.",
    "mpi_isend": "It raises NotImplementedError, since it did not work in MYMPI either.",
    "mpi_iterefa": "It has nothing to do with MPI, and is not here.",
    "mpi_open_port": "It raises NotImplementedError: polympi does not connect jobs.",
    "mpi_recv": (
        "Both ranks must name the same datatype. Where fewer elements came than the count, zeros follow; so do from "
        "MPI_PROC_NULL, which gave what lay in memory. More elements are an error."
    ),
    "mpi_reduce": "A count that is larger than the buffer is an error. Characters cannot be combined.",
    "mpi_scatter": "Pieces that reach beyond the buffer are an error instead of a read beyond it.",
    "mpi_scatterv": "Pieces that reach beyond the buffer are an error instead of a read beyond it.",
    "mpi_send": (
        "A count that is larger than the buffer is an error instead of a read beyond it. Arrays may have any number "
        "of axes; MYMPI took up to three."
    ),
    "mpi_test": "It raises NotImplementedError, since it did not work in MYMPI either.",
    "mpi_wait": "It raises NotImplementedError, since it did not work in MYMPI either.",
    "mpi_win_allocate_shared": "It raises NotImplementedError; it was not in 1.15.",
    "mpi_win_free": "It raises NotImplementedError; it was not in 1.15.",
    "mpi_win_shared_query": "It raises NotImplementedError; it was not in 1.15.",
    "mpi_wtime": "It is a clock that never goes back: compare differences, not moments of ranks on two machines.",
    "par_slu": "The solvers of SuperLU are not here: use scipy.sparse.linalg.splu on one rank.",
}

__all__ = list(_exports.public(globals()))

TYPE_CHECKING = False
if not TYPE_CHECKING:
    __getattr__ = _missing.refusing(__name__, "MYMPI", DIFFERENCES)
del TYPE_CHECKING
