"""Communicators go from mpi4py to polympi and back, and to C; arguments: what is imported first, a library of C."""

import ctypes
import sys

import cffi
from hostless import refused

first, library = sys.argv[1:]
if first == "mpi4py":
    from mpi4py import MPI
import polympi as mpi

world = mpi.world
if first == "polympi":
    from mpi4py import MPI
rank, other = world.rank, 1 - world.rank


assert world.fortran_handle == MPI.COMM_WORLD.py2f()
assert world.handle_size == MPI._sizeof(MPI.COMM_WORLD)
if hasattr(MPI.COMM_WORLD, "handle"):
    assert world.handle == MPI.COMM_WORLD.handle

# Messages of mpi4py, of the communicator made from its own, and of a third one never meet.
theirs = MPI.COMM_WORLD.Split(0, -rank)
ours, by_handle = mpi.wrap(theirs), mpi.wrap(theirs.handle)
third = mpi.wrap(ours)
assert (ours.rank, ours.size) == (theirs.rank, theirs.size) == (other, 2)
requests = [
    theirs.isend("mpi4py", rank),
    ours.isend({"polympi": 1}, rank),
    by_handle.isend(2, rank),
    third.isend(3, rank),
]
assert third.recv() == 3
assert by_handle.recv() == 2
assert ours.recv() == {"polympi": 1}
assert theirs.recv() == "mpi4py"
for request in requests:
    request.wait()

# The owner may free the communicator; ours lives on.
theirs.Free()
assert ours.allreduce(1) == 2
duplicate = ours.to_mpi4py()
assert isinstance(duplicate, MPI.Intracomm)
assert (duplicate.rank, duplicate.size) == (ours.rank, ours.size)
request = duplicate.isend("for mpi4py", rank)
ours.send("for polympi", rank) if rank == 0 else None
if rank == 1:
    assert ours.recv() == "for polympi"
assert duplicate.recv() == "for mpi4py"
request.wait()
assert duplicate.allreduce(1) == 2
duplicate.Free()

# C, by its own handle and by that of Fortran.
c = ctypes.CDLL(library)
handle = ctypes.c_int if world.handle_size == 4 else ctypes.c_void_p
c.total.argtypes, c.total.restype = [handle, ctypes.c_double], ctypes.c_double
c.total_as_fortran.argtypes, c.total_as_fortran.restype = [ctypes.c_int, ctypes.c_double], ctypes.c_double
ffi = cffi.FFI()
ffi.cdef(f"""
typedef {"int" if world.handle_size == 4 else "void *"} MPI_Comm;
double total(MPI_Comm comm, double mine);
double total_as_fortran(int comm, double mine);
""")
by_cffi = ffi.dlopen(library)
for comm in (world, world.dup(), world.split(0), world.cart([2]), ours, world.raw, mpi.raw_world.dup()):
    assert c.total(comm.handle, 1.5) == c.total_as_fortran(comm.fortran_handle, 1.5) == 3
    assert by_cffi.total(ffi.cast("MPI_Comm", comm.handle), 2.5) == 5
    assert by_cffi.total_as_fortran(comm.fortran_handle, 2.5) == 5

# What is refused, and leaves everything as it was.
refused(mpi.MismatchError, "MPI_COMM_NULL", lambda: mpi.wrap(MPI.COMM_NULL))
refused(TypeError, "wrap(): a str isn't a communicator", lambda: mpi.wrap("world"))
refused(TypeError, "wrap(): a bool isn't a communicator", lambda: mpi.wrap(True))
alone = MPI.COMM_WORLD.Split(rank)
between = alone.Create_intercomm(0, MPI.COMM_WORLD, other)
refused(mpi.MismatchError, "intercommunicator", lambda: mpi.wrap(between))
between.Free()
assert mpi.wrap(alone).size == 1
ours.free()
refused(mpi.StateError, "", lambda: ours.handle)
refused(mpi.StateError, "", ours.to_mpi4py)
late = MPI.COMM_WORLD.Dup()
if rank == 0:  # only one rank comes
    sys.modules["polympi.native.core"].set_timeout(0.1)
    refused(mpi.Timeout, "rank 0 waited 0.1 s in wrap()", lambda: mpi.wrap(late))
    sys.modules["polympi.native.core"].set_timeout(0)
assert world.allreduce(1) == 2

# Without the communicator of the world there is still that of MPI.
world.free()
assert mpi.wrap(MPI.COMM_WORLD).allreduce(1) == 2
assert mpi.raw_world.sendrecv(b"x", other, into=bytearray(1), source=other) == b"x"
print("done")
