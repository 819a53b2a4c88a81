"""What MPI procedures do, by their names in the standard."""

from __future__ import annotations

RECEIVES = frozenset({"MPI_Recv", "MPI_Mrecv", "MPI_Probe", "MPI_Mprobe"})
SENDS = frozenset({"MPI_Send", "MPI_Ssend", "MPI_Rsend", "MPI_Bsend"})
EXCHANGES = frozenset({"MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Isendrecv", "MPI_Isendrecv_replace"})
NONBLOCKING_SENDS = frozenset(
    {"MPI_Isend", "MPI_Issend", "MPI_Irsend", "MPI_Ibsend"}
    | {"MPI_Send_init", "MPI_Ssend_init", "MPI_Rsend_init", "MPI_Bsend_init", "MPI_Psend_init"}
)
NONBLOCKING_RECEIVES = frozenset({"MPI_Irecv", "MPI_Imrecv", "MPI_Recv_init", "MPI_Precv_init"})
WAITS_FOR_ALL = frozenset({"MPI_Wait", "MPI_Waitall"})
WAITS_FOR_ANY = frozenset({"MPI_Waitany", "MPI_Waitsome"})
TESTS = frozenset({"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Request_get_status"})
PROBES = frozenset({"MPI_Iprobe", "MPI_Improbe"})
FINDS = PROBES | {"MPI_Probe", "MPI_Mprobe"}
TAKES = frozenset({"MPI_Recv", "MPI_Mrecv"})  # a message that was found
ENDS = frozenset({"MPI_Finalize", "MPI_Session_finalize"})
# What needs a lock of another rank's window, or that the rank makes progress.
LOCKS = frozenset({"MPI_Win_lock", "MPI_Win_lock_all"})
UNLOCKS = frozenset({"MPI_Win_unlock", "MPI_Win_unlock_all"})
OF_WINDOWS = (
    LOCKS
    | UNLOCKS
    | {
        "MPI_Win_flush",
        "MPI_Win_flush_all",
        "MPI_Win_flush_local",
        "MPI_Win_flush_local_all",
        "MPI_Get",
        "MPI_Put",
        "MPI_Accumulate",
        "MPI_Get_accumulate",
        "MPI_Fetch_and_op",
        "MPI_Compare_and_swap",
    }
)
# Whose ranks give the same number of bytes.
OF_EQUAL_COUNTS = frozenset({"MPI_Bcast", "MPI_Reduce", "MPI_Allreduce", "MPI_Scan", "MPI_Exscan"})
# In which ranks wait for all others, for the root, or only the root waits for the others.
FROM_ROOT = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
TO_ROOT = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
_COLLECTIVES = frozenset(
    {"barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv"}
    | {"alltoallw", "reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
    | {f"neighbor_{name}" for name in ("allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw")}
)
# Of communicators, windows and files; those whose names begin like this.
_COLLECTIVE_BEGINS = (
    *("MPI_Comm_dup", "MPI_Comm_idup", "MPI_Comm_split", "MPI_Cart_create", "MPI_Cart_sub", "MPI_Graph_create"),
    *("MPI_Dist_graph_create", "MPI_Intercomm_merge", "MPI_Comm_spawn", "MPI_Win_allocate", "MPI_Win_create"),
    *("MPI_Win_fence", "MPI_Win_free", "MPI_Comm_free", "MPI_Comm_disconnect"),
)
_OF_FILES = (
    "_open",
    "_close",
    "_all",
    "_all_begin",
    "_ordered",
    "_ordered_begin",
    "_preallocate",
    "_sync",
    "_set_size",
)
_NOT_COLLECTIVE = ("MPI_Win_create_errhandler", "MPI_Win_create_keyval", "MPI_Win_free_keyval", "MPI_Comm_free_keyval")
POLLS = TESTS | PROBES


def plain(procedure: str) -> str:
    """The name without the mark of its variant with large counts."""
    return procedure.removesuffix("_c")


def blocking(procedure: str) -> str:
    """The blocking variant of a collective: MPI_Bcast of MPI_Ibcast."""
    name = plain(procedure).removesuffix("_init")
    if name.startswith("MPI_I") and len(name) > 5:
        return f"MPI_{name[5:].capitalize()}"
    return name


def sends(procedure: str) -> bool:
    """Whether it sends to one rank."""
    name = plain(procedure)
    return name in SENDS or name in NONBLOCKING_SENDS


def receives(procedure: str) -> bool:
    """Whether it receives from one rank, or looks for a message."""
    name = plain(procedure)
    return name in RECEIVES or name in NONBLOCKING_RECEIVES or name in PROBES


def collective(procedure: str) -> bool:
    """Whether all ranks of a communicator call it."""
    name = plain(procedure)
    if blocking(name).removeprefix("MPI_").lower() in _COLLECTIVES or name == "MPI_Comm_create":
        return True
    if name.startswith("MPI_File_"):
        return name.endswith((*_OF_FILES, "_set_view"))
    return name.startswith(_COLLECTIVE_BEGINS) and name not in _NOT_COLLECTIVE
