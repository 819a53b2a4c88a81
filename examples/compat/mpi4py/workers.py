"""A master hands out pieces of work to the next free worker; a tag tells the workers to stop."""

from mpi4py import MPI

WORK, RESULT, STOP = 1, 2, 3
comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
status = MPI.Status()

if rank == 0:
    waiting, results, busy = list(range(20)), {}, 0
    for worker in range(1, size):
        comm.send(waiting.pop(), dest=worker, tag=WORK)
        busy += 1
    while busy:
        comm.Probe(MPI.ANY_SOURCE, RESULT, status)
        number, square = comm.recv(source=status.Get_source(), tag=RESULT)
        results[number] = square
        if waiting:
            comm.send(waiting.pop(), dest=status.Get_source(), tag=WORK)
        else:
            comm.send(None, dest=status.Get_source(), tag=STOP)
            busy -= 1
    print("sum of squares:", sum(results.values()))
else:
    while True:
        number = comm.recv(source=0, status=status)
        if status.Get_tag() == STOP:
            break
        comm.send((number, number**2), dest=0, tag=RESULT)
