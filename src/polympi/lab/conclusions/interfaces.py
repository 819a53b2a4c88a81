"""What the interfaces of the study of modules have, by the names of their calls, and how old they are."""

from collections.abc import Mapping

from polympi.lab.published import published

USAGE = "mpi4py_usage"
_MODULES = ("pypar", "pympi", "mympi", "scientific", "boostmpi-compat", "mpi4py", "polympi")


def _named(*names: str) -> dict[str, str]:
    return {module: name for module, name in zip(_MODULES, names, strict=True) if name}


# For each call its name in pypar, pympi, mympi, scientific, boostmpi, mpi4py and polympi; a test looks for all of them.
CALLS: Mapping[str, Mapping[str, str]] = {
    "blocking messages": _named("send", "send", "mpi_send", "send", "send", "Send", "send"),
    "nonblocking messages": _named("", "isend", "", "nonblockingSend", "isend", "Isend", "isend"),
    "send and receive at once": _named("", "sendrecv", "", "", "", "Sendrecv", "sendrecv"),
    "buffered sends": _named("bsend", "", "", "", "", "Bsend", "bsend"),
    "probe": _named("", "", "mpi_probe", "nonblockingProbe", "probe", "Probe", "probe"),
    "barrier": _named("barrier", "barrier", "mpi_barrier", "barrier", "barrier", "Barrier", "barrier"),
    "broadcast": _named("broadcast", "bcast", "mpi_bcast", "broadcast", "broadcast", "Bcast", "bcast"),
    "reduce": _named("reduce", "reduce", "mpi_reduce", "reduce", "reduce", "Reduce", "reduce"),
    "allreduce": _named("", "allreduce", "", "allreduce", "all_reduce", "Allreduce", "allreduce"),
    "gather and scatter": _named("gather", "gather", "mpi_gather", "", "gather", "Gather", "gather"),
    "allgather": _named("", "allgather", "", "share", "all_gather", "Allgather", "allgather"),
    "alltoall": _named("", "", "mpi_alltoall", "", "all_to_all", "Alltoall", "alltoall"),
}

# For what programs of today use of mpi4py, as the table of its use calls it: a name in each, where it has the same.
USES: Mapping[str, Mapping[str, str]] = {
    "collectives of objects": _named("broadcast", "bcast", "", "", "broadcast", "bcast", "bcast"),
    "barrier": CALLS["barrier"],
    "collectives of buffers": _named("reduce", "", "mpi_reduce", "allreduce", "", "Allreduce", "allreduce"),
    "p2p objects": _named("send", "send", "", "", "send", "send", "send"),
    "Split": _named("", "", "mpi_comm_split", "", "split", "Split", "split"),
    "p2p buffers": _named("send", "", "mpi_send", "send", "", "Send", "send"),
    "v-collectives with counts": _named("", "", "mpi_gatherv", "", "", "Gatherv", "gather"),
    "Abort": _named("abort", "abort", "", "abort", "abort", "Abort", "abort"),
    "nonblocking p2p": CALLS["nonblocking messages"],
    "Init/Finalize by hand": _named("init", "finalize", "mpi_init", "", "init", "Init", "init"),
    "groups (Get_group, Incl, Create_group)": _named("", "", "mpi_group_incl", "subset", "", "Get_group", ""),
    "C/Fortran handle (py2f,_addressof,handleof)": _named("", "", "", "", "", "py2f", "fortran_handle"),
    "excepthook that aborts / -m mpi4py": _named("abort", "abort", "", "abort", "abort", "Abort", "abort"),
    "Dup/Clone": _named("", "comm_dup", "mpi_comm_dup", "duplicate", "", "Dup", "dup"),
    "Split_type": _named("", "", "mpi_comm_split_type", "", "", "Split_type", ""),
    "probe": CALLS["probe"],
    "cart": _named("", "cart_create", "", "", "", "Create_cart", "cart"),
    "waitall": _named("", "waitall", "", "", "wait_all", "Waitall", "wait_all"),
    "Op.Create or custom": _named("", "reduce", "", "", "reduce", "Create", "reduce"),
    "processor name": _named(
        "get_processor_name", "", "mpi_get_processor_name", "", "processor_name", "Get_processor_name", ""
    ),
    "library version": _named("", "", "", "", "", "Get_library_version", "library_version"),
    "Wtime": _named("time", "wtime", "mpi_wtime", "", "Timer", "Wtime", ""),
    "intercomm create/merge": _named("", "", "mpi_intercomm_merge", "", "", "Create_intercomm", ""),
    "reduce_scatter": _named("", "", "", "", "", "Reduce_scatter", "reduce_scatter"),
    "MPI-IO": _named("", "", "", "", "", "File", "open"),
    "spawn/get_parent": _named("", "", "mpi_comm_spawn", "", "", "Spawn", ""),
}

# What was last published of the module itself, whose interface polympi has; and of those that are developed.
LAST: Mapping[str, str] = {
    "pypar": "2.1.4 of 2009; sources of 2016",
    "pympi": "2.5b0, for Python 2",
    "mympi": "1.15; as pydusa 4.0 of 2024",
    "scientific": "2.9.4 of 2015, for Python 2",
    "boostmpi-compat": "1.38, for Python 2",
    "mpi4py": "4.1, developed",
    "polympi": "this version, developed",
}


def coverage(interface: str) -> float:
    """The share that an interface has of all uses that programs make of mpi4py: each counts once a program."""
    programs = dict(published(USAGE).frame.select("capability", "programs_of_80").iter_rows())
    has_all = interface == "mpi4py"
    had = sum(number for use, number in programs.items() if has_all or interface in USES.get(use, {}))
    return float(had / sum(programs.values()))


def lacking(interface: str, most: int = 3) -> list[str]:
    """The uses of mpi4py that most programs make and an interface has no call for, up to a maximum."""
    rows = published(USAGE).frame.select("capability", "programs_of_80").iter_rows()
    absent = sorted((row for row in rows if interface not in USES.get(row[0], {})), key=lambda row: -row[1])
    return [str(use).partition(" (")[0] for use, _ in absent[:most]]
