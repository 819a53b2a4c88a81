"""A master gives work to the rank that asks first: it learns from the status who that is.

    mpiexec -n 3 python -m polympi --as pympi examples/compat/pympi/master_slave.py

The answer to a request goes to the rank that the status names.
"""

import mpi

TASKS = list(range(20))
ASK, RESULT = 1, 2  # tags


def master():
    """Serve workers until all results have arrived and all workers have been sent the stop message."""
    todo, results, working = list(TASKS), {}, mpi.size - 1
    while working:
        message, status = mpi.recv(mpi.ANY_SOURCE, mpi.ANY_TAG)
        if status.tag == RESULT:
            results.update(message)
        elif todo:
            mpi.send(todo.pop(0), status.source)
        else:
            mpi.send(None, status.source)
            working -= 1
    return results


def worker():
    """Ask for work, do it, and send the result."""
    while True:
        mpi.send("work, please", 0, ASK)
        task, _status = mpi.recv(0)
        if task is None:
            return
        mpi.send({task: task**2}, 0, RESULT)


if mpi.size == 1:
    found = {task: task**2 for task in TASKS}
elif mpi.rank == 0:
    found = master()
else:
    worker()
if mpi.rank == 0:
    print(f"{len(found)} results of {max(mpi.size - 1, 1)} workers, their sum is {sum(found.values())}")
    assert found == {task: task**2 for task in TASKS}
