"""A master gives work to slaves, which answer with arrays of any length; it asks for the length, then receives.

mpiexec -n 3 python -m polympi --as mympi examples/compat/mympi/master_slave.py
"""

import sys

import mpi

WORK, STOP = 1, 2
TASKS = 20

sys.argv = mpi.mpi_init(len(sys.argv), sys.argv)
world = mpi.MPI_COMM_WORLD
myid = mpi.mpi_comm_rank(world)
numnodes = mpi.mpi_comm_size(world)


def factors(number):
    """The prime factors of a number."""
    found, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return found


def master():
    """Give each slave a number, and another one whenever it answers."""
    results, tasks = {}, iter(range(2, 2 + TASKS))
    working = {}
    for slave in range(1, numnodes):
        working[slave] = next(tasks)
        mpi.mpi_send(working[slave], 1, mpi.MPI_INT, slave, WORK, world)
    while working:
        mpi.mpi_probe(mpi.MPI_ANY_SOURCE, mpi.MPI_ANY_TAG, world)
        slave = mpi.mpi_status()[0]
        count = mpi.mpi_get_count(mpi.MPI_INT)
        results[working.pop(slave)] = list(mpi.mpi_recv(count, mpi.MPI_INT, slave, WORK, world))
        number = next(tasks, None)
        if number is None:
            mpi.mpi_send(0, 1, mpi.MPI_INT, slave, STOP, world)
        else:
            working[slave] = number
            mpi.mpi_send(number, 1, mpi.MPI_INT, slave, WORK, world)
    return results


def slave():
    """Answer until there is nothing to do."""
    while True:
        number = mpi.mpi_recv(1, mpi.MPI_INT, 0, mpi.MPI_ANY_TAG, world)[0]
        if mpi.mpi_status()[1] == STOP:
            return
        found = factors(number)
        mpi.mpi_send(found, len(found), mpi.MPI_INT, 0, WORK, world)


assert numnodes > 1, "It needs a master and a slave"
if myid == 0:
    results = master()
    print(f"{len(results)} results of {numnodes - 1} slaves; 20 is", " * ".join(map(str, results[20])))
    assert results == {number: factors(number) for number in range(2, 2 + TASKS)}
else:
    slave()

mpi.mpi_finalize()
