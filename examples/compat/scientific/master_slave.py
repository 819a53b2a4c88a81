"""Rank 0 gives tasks, as strings, to the next free worker; the others send results as arrays.

    mpiexec -n 3 python -m polympi --as scientific examples/compat/scientific/master_slave.py

A tag tells a task from the end, and a probe whether a result has come.
"""

import pickle

from Scientific import N
from Scientific.MPI import world

if world.size == 1:
    raise SystemExit("master_slave.py needs two ranks or more: start it by mpiexec -n 3.")

TASK, RESULT, END = 1, 2, 3
tasks = [{"number": number, "power": 2} for number in range(20)]

if world.rank == 0:
    results = {}
    waiting = list(range(len(tasks)))
    busy = {}
    free = list(range(1, world.size))
    while waiting or busy:
        while waiting and free:
            rank, place = free.pop(), waiting.pop(0)
            world.send(pickle.dumps(tasks[place]), rank, TASK)
            busy[rank] = place
        while world.nonblockingProbe(None, RESULT) is None:
            pass
        result, rank, tag, count = world.receive(N.Float, None, RESULT)
        results[busy.pop(rank)] = result[0]
        free.append(rank)
    for rank in range(1, world.size):
        world.send("no more", rank, END)
    assert [results[place] for place in range(len(tasks))] == [place**2 for place in range(len(tasks))]
    print(f"{len(tasks)} tasks were done by {world.size - 1} ranks")
else:
    while True:
        task, source, tag = world.receiveString(0)
        if tag == END:
            break
        given = pickle.loads(task)
        world.send(N.array([given["number"] ** given["power"]], N.Float), 0, RESULT)
