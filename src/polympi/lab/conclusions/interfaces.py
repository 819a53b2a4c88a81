"""What the interfaces of the study of modules have, by the names of their calls, and how old they are."""

from collections.abc import Mapping

from polympi.lab.published import published

USAGE = "mpi4py_usage"
_MODULES = ("pypar", "pympi", "mympi", "scientific", "boostmpi-compat", "mpi4py", "polympi")


def _named(*names: str) -> dict[str, str]:
    return {module: name for module, name in zip(_MODULES[: len(names)], names, strict=True) if name}


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

# For what programs of today use of mpi4py, as the table of its use calls it: a name in each other module, where it has
# the same.
USES: Mapping[str, Mapping[str, str]] = {
    "collectives of objects": _named("broadcast", "bcast", "", "", "broadcast", "bcast"),
    "barrier": CALLS["barrier"],
    "collectives of buffers": _named("reduce", "", "mpi_reduce", "allreduce", "", "Allreduce"),
    "p2p objects": _named("send", "send", "", "", "send", "send"),
    "Split": _named("", "", "mpi_comm_split", "", "split", "Split"),
    "p2p buffers": _named("send", "", "mpi_send", "send", "", "Send"),
    "v-collectives with counts": _named("", "", "mpi_gatherv", "", "", "Gatherv"),
    "Abort": _named("abort", "abort", "", "abort", "abort", "Abort"),
    "nonblocking p2p": CALLS["nonblocking messages"],
    "Init/Finalize by hand": _named("init", "finalize", "mpi_init", "", "init", "Init"),
    "groups (Get_group, Incl, Create_group)": _named("", "", "mpi_group_incl", "subset", "", "Get_group"),
    "C/Fortran handle (py2f,_addressof,handleof)": _named("", "", "", "", "", "py2f"),
    "excepthook that aborts / -m mpi4py": _named("abort", "abort", "", "abort", "abort", "Abort"),
    "Dup/Clone": _named("", "comm_dup", "mpi_comm_dup", "duplicate", "", "Dup"),
    "Split_type": _named("", "", "mpi_comm_split_type", "", "", "Split_type"),
    "probe": CALLS["probe"],
    "cart": _named("", "cart_create", "", "", "", "Create_cart"),
    "waitall": _named("", "waitall", "", "", "wait_all", "Waitall"),
    "Op.Create or custom": _named("", "reduce", "", "", "reduce", "Create"),
    "processor name": _named(
        "get_processor_name", "", "mpi_get_processor_name", "", "processor_name", "Get_processor_name"
    ),
    "library version": _named("", "", "", "", "", "Get_library_version"),
    "Wtime": _named("time", "wtime", "mpi_wtime", "", "Timer", "Wtime"),
    "intercomm create/merge": _named("", "", "mpi_intercomm_merge", "", "", "Create_intercomm"),
    "reduce_scatter": _named("", "", "", "", "", "Reduce_scatter"),
    "MPI-IO": _named("", "", "", "", "", "File"),
    "spawn/get_parent": _named("", "", "mpi_comm_spawn", "", "", "Spawn"),
}

# What a program calls in polympi for each of these uses: what does the same, or makes it superfluous. (): nothing.
COUNTERPARTS: dict[str, tuple[str, ...]] = {
    "collectives of objects": ("Communicator.bcast", "Communicator.gather", "Communicator.allreduce"),
    "barrier": ("Communicator.barrier",),
    "collectives of buffers": ("Communicator.bcast", "Communicator.gather", "Communicator.allreduce"),
    "p2p objects": ("Communicator.send", "Communicator.recv"),
    "Split": ("Communicator.split",),
    "p2p buffers": ("Communicator.send", "Communicator.recv"),
    "v-collectives with counts": ("Communicator.scatter", "Communicator.gather", "Communicator.alltoall"),
    "Abort": ("abort",),
    "nonblocking p2p": ("Communicator.isend", "Communicator.irecv"),
    "COMM_SELF": ("self_world",),
    "Init/Finalize by hand": ("init", "finalize"),
    "groups (Get_group, Incl, Create_group)": ("Communicator.subset", "Communicator.translate"),
    "C/Fortran handle (py2f,_addressof,handleof)": ("Communicator.handle", "Communicator.fortran_handle"),
    "numpy<->MPI type table (_typedict)": ("Communicator.send",),
    "excepthook that aborts / -m mpi4py": ("init",),
    "Dup/Clone": ("Communicator.dup",),
    "derived datatypes": ("Communicator.send", "File.write_at_all"),  # of views, structured dtypes, a[indices]
    "cupy/GPU in an mpi4py file": ("Communicator.send", "Communicator.recv", "Communicator.allreduce"),
    "IN_PLACE": ("Communicator.allreduce",),
    "Split_type": ("Communicator.split_by_host",),
    "probe": ("Communicator.probe", "Communicator.iprobe"),
    "cart": ("Communicator.cart",),
    "rc settings": ("init",),
    "waitall": ("wait_all",),
    "Op.Create or custom": ("op",),
    "nonblocking collectives": ("Communicator.ibcast", "Communicator.iallreduce", "Communicator.ibarrier"),
    "processor name": ("processor_name",),
    "library version": ("library_version",),
    "info": ("Communicator.open",),  # hints
    "Wtime": ("world",),
    "intercomm create/merge": ("Communicator.create_intercomm",),
    "reduce_scatter": ("Communicator.reduce_scatter",),
    "RMA": (
        "Communicator.window",
        "Window.put",
        "Window.get",
        "Window.iget",
        "Window.get_accumulate",
        "Window.lock",
        "Window.fence",
    ),
    "MPI-IO": ("Communicator.open", "File.read_at_all", "File.write_at_all", "File.size", "File.resize", "File.sync"),
    "spawn/get_parent": ("spawn", "parent"),
    "futures pool": ("pool", "Pool.map", "Pool.submit"),
    "pkl5": ("Communicator.send",),
    "attributes/keyvals": ("Communicator.attributes",),
    "alltoallw": ("Communicator.alltoall", "Communicator.plan"),
    "shared-memory window": ("Communicator.shared", "Communicator.split_by_host"),
    "neighbourhood coll": ("Graph.neighbor_alltoall", "Graph.ineighbor_alltoall"),
    "persistent p2p": ("Communicator.plan",),
    "persistent coll": ("Communicator.plan", "Plan.allreduce"),
    "Waitany/Testall/Waitsome": ("wait_any", "test_all"),
}
# What hasn't run yet on what it is for, here on a GPU; it doesn't count as covered.
EXPERIMENTAL = frozenset({"cupy/GPU in an mpi4py file"})

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


def _has(interface: str, use: str) -> bool:
    if interface == "polympi":
        return bool(COUNTERPARTS.get(use)) and use not in EXPERIMENTAL
    return interface == "mpi4py" or interface in USES.get(use, {})


def coverage(interface: str) -> float:
    """The share that an interface has of all uses that programs make of mpi4py: each counts once a program."""
    programs = dict(published(USAGE).frame.select("capability", "programs_of_80").iter_rows())
    had = sum(number for use, number in programs.items() if _has(interface, use))
    return float(had / sum(programs.values()))


def lacking(interface: str, most: int = 3) -> list[str]:
    """The uses of mpi4py that most programs make and an interface has no call for, up to a maximum."""
    rows = published(USAGE).frame.select("capability", "programs_of_80").iter_rows()
    absent = sorted((row for row in rows if not _has(interface, row[0])), key=lambda row: -row[1])
    return [str(use).partition(" (")[0] for use, _ in absent[:most]]
