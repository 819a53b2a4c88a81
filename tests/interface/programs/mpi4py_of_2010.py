"""A script with the arguments that mpi4py 1.x had: `python -m polympi --as mpi4py1` runs it."""

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
ranks = list(range(size))

assert comm.reduce(rank, None, MPI.SUM, 0) == (sum(ranks) if rank == 0 else None)
assert comm.reduce(rank, op=MPI.MAX, root=size - 1) == (size - 1 if rank == size - 1 else None)
assert comm.allreduce(rank, None, MPI.MIN) == 0 and comm.allreduce(rank, MPI.MAX) == size - 1
assert comm.allreduce(rank) == sum(ranks)
assert comm.scan(rank, None, MPI.SUM) == sum(ranks[: rank + 1])
assert comm.exscan(rank, None, MPI.SUM) == (sum(ranks[:rank]) if rank else None)
assert comm.gather(rank, None, 0) == (ranks if rank == 0 else None)
assert comm.gather(rank, root=0) == (ranks if rank == 0 else None)
assert comm.gather(rank, 0) == (ranks if rank == 0 else None)
assert comm.scatter(ranks if rank == 0 else None, None, 0) == rank
assert comm.allgather(rank, None) == ranks and comm.alltoall(ranks, None) == [rank] * size
assert comm.bcast("all", 0) == "all"

if rank == 0:  # from rank 0, with tag 0, unless told otherwise
    for other in ranks[1:]:
        comm.send(("hello", other), other)
else:
    assert comm.recv() == ("hello", rank)
right, left = (rank + 1) % size, (rank - 1) % size
assert comm.sendrecv(rank, right, 5, None, left, 5) == left
request = comm.isend(rank, right, 6)
assert comm.recv(None, left, 6) == left
MPI.Request.Waitall([request])
assert MPI.Compute_dims(size, [0, 0])
print("good")
