"""A master gives work to the rank that asks first: the status says who that is.

    mpiexec -n 3 python -m polympi --as boostmpi examples/compat/boostmpi/master_slave.py

Tags tell questions for work from results. The master looks by a probe what the next message is.
"""

import boostmpi as mpi

TASKS = list(range(20))
ASK, RESULT, WORK, STOP = 1, 2, 3, 4  # tags


def master():
    """Serve workers until all results have arrived and all workers have been sent the stop message."""
    todo, results, working = list(TASKS), {}, mpi.size - 1
    while working:
        found = mpi.world.probe(mpi.any_source, mpi.any_tag)
        message = mpi.world.recv(found.source, found.tag)
        if found.tag == RESULT:
            results.update(message)
        elif todo:
            mpi.world.send(found.source, WORK, todo.pop(0))
        else:
            mpi.world.send(found.source, STOP)  # no value: None
            working -= 1
    return results


def worker():
    """Ask for work, do it, and send the result."""
    while True:
        mpi.world.send(0, ASK)
        task, status = mpi.world.recv(0, return_status=True)
        if status.tag == STOP:
            assert task is None
            return
        mpi.world.send(0, RESULT, {task: task**2})


if mpi.size == 1:
    found = {task: task**2 for task in TASKS}
elif mpi.rank == 0:
    found = master()
else:
    worker()
if mpi.rank == 0:
    print(f"{len(found)} results of {max(mpi.size - 1, 1)} workers, their sum is {sum(found.values())}")
    assert found == {task: task**2 for task in TASKS}
