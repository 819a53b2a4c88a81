"""What mpi4py's names are called here, for the errors that using them raises."""

from __future__ import annotations

MODULE = {
    "COMM_WORLD": "polympi.world, the communicator of all ranks",
    "COMM_SELF": "polympi.self_world, a communicator of this rank alone",
    "COMM_NULL": "None",
    "UNDEFINED": "None",
    "IN_PLACE": "comm.allreduce(a, into=a)",
    "Comm": "polympi.Communicator",
    "Intercomm": "polympi.Intercommunicator",
    "Exception": "polympi.Error",
    "Op": "polympi.op(function)",
    "Attach_buffer": "polympi.buffer_attach(nbytes)",
    "Detach_buffer": "polympi.buffer_detach()",
    "Compute_dims": "comm.cart(ndim=n).dims",
    "Init": "polympi.init()",
    "Init_thread": "polympi.init(threads)",
    "Finalize": "polympi.finalize()",
    "Query_thread": "polympi.thread_level()",
    "Get_library_version": "polympi.library_version()",
    "Get_processor_name": "polympi.processor_name()",
    "Group": "a sequence of ranks, such as range(comm.size), and comm.subset(ranks)",
    "Win": "comm.window(array), or comm.shared(shape, dtype) on one host",
    "File": "comm.open(path, mode)",
    "Wtime": "time.perf_counter()",
    "MPI": "polympi itself, or `from polympi.mpi4py import MPI` for mpi4py's own interface",
}

_SAME = """
    Send Ssend Bsend Rsend Isend Issend Ibsend Irsend Probe Iprobe Barrier Scatter Gather Allgather Alltoall Reduce
    Allreduce Scan Exscan Reduce_scatter Split Dup Free Ibarrier Igather Iscatter Iallgather Ialltoall
    Ireduce Iallreduce Ireduce_scatter Iscan Iexscan
"""
_IN_PLANS = "Barrier Bcast Gather Scatter Allgather Alltoall Reduce Allreduce Reduce_scatter Scan Exscan"
COMMUNICATOR = {
    **{name: f"comm.{name.lower()}" for name in _SAME.split()},
    "Get_rank": "comm.rank",
    "Get_size": "comm.size",
    "Recv": "comm.recv(source, into=array)",
    "Irecv": "comm.irecv(source, into=array)",
    "Sendrecv": "comm.sendrecv(array, dest, source=source, into=other)",
    "Bcast": "comm.bcast(into=array)",
    "Ibcast": "comm.ibcast(into=array)",
    "Gatherv": "comm.gather",
    "Scatterv": "comm.scatter(array, counts=counts)",
    "Allgatherv": "comm.allgather",
    "Alltoallv": "comm.alltoall(array, counts=counts)",
    "Reduce_scatter_block": "comm.reduce_scatter",
    "Clone": "comm.dup",
    "Abort": "polympi.abort(code)",
    "Send_init": "comm.plan() and plan.send",
    "Recv_init": "comm.plan() and plan.recv",
    **{f"{name}_init": f"comm.plan() and plan.{name.lower()}" for name in _IN_PLANS.split()},
    "Create_cart": "comm.cart(dims, periods)",
    "Create_dist_graph_adjacent": "comm.graph(sources, destinations)",
    "Get_coords": "coords_of(rank) of a mesh",
    "Get_cart_rank": "rank_of(coords) of a mesh",
    "Shift": "shift(axis, step) of a mesh",
    "Sub": "sub(keep) of a mesh",
    "Create_group": "comm.subset(ranks)",
    "Create_intercomm": "comm.create_intercomm(local_leader, peer_comm, remote_leader, tag)",
    "Spawn": "polympi.spawn(command, n, comm=comm)",
    "Get_parent": "polympi.parent",
    "Disconnect": "comm.free()",
    "Get_group": "a sequence of ranks, range(comm.size), and comm.subset(ranks)",
    "Split_type": "comm.split_by_host()",
    "Compare": "comm.compare(other)",
    "Get_name": "comm.name",
    "Set_name": "comm.name = name",
    "Get_attr": "comm.attributes[key]",
    "Set_attr": "comm.attributes[key] = value",
    "Delete_attr": "del comm.attributes[key]",
    "py2f": "comm.fortran_handle",
}


class Absent:
    """In a class: a name that is different here. Unlike ``__getattr__``, it costs other attributes no time."""

    def __init__(self, name: str, word: str) -> None:
        self.name = name
        self.word = word

    def __get__(self, instance: object, owner: type | None = None) -> object:
        """Raise an error with polympi's name."""
        raise AttributeError(f"a communicator of polympi has no {self.name}: use {self.word}")


class Listed(type):
    """A class that doesn't list absent names."""

    def __dir__(cls) -> list[str]:
        """All names but the absent ones."""
        absent = {name for kind in cls.__mro__ for name, value in vars(kind).items() if isinstance(value, Absent)}
        return [name for name in super().__dir__() if name not in absent]
