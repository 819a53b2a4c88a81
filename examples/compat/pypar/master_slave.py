"""A master gives work to the slave that is ready first; tags say whether there is more.

mpiexec -n 4 python -m polympi --as pypar examples/compat/pypar/master_slave.py
"""

import pypar

TAG_WORK, TAG_RESULT, TAG_DIE = 1, 2, 3
MASTER = 0
tasks = [{"name": f"task {n}", "numbers": list(range(n))} for n in range(20)]

numproc = pypar.size()
myid = pypar.rank()
assert numproc > 1, "It needs two processors or more"

if myid == MASTER:
    results = {}
    waiting = list(tasks)
    busy = 0
    for slave in range(1, numproc):  # there are more tasks than slaves
        pypar.send(waiting.pop(), slave, tag=TAG_WORK)
        busy += 1
    while busy:
        (name, result), status = pypar.receive(pypar.any_source, tag=TAG_RESULT, return_status=True)
        results[name] = result
        if waiting:
            pypar.send(waiting.pop(), status.source, tag=TAG_WORK)
        else:
            pypar.send(None, status.source, tag=TAG_DIE)
            busy -= 1
    print(f"{numproc - 1} slaves have done {len(results)} tasks")
    assert results == {task["name"]: sum(task["numbers"]) for task in tasks}
else:
    while True:
        task, status = pypar.receive(MASTER, tag=pypar.any_tag, return_status=True)
        if status.tag == TAG_DIE:
            break
        pypar.send((task["name"], sum(task["numbers"])), MASTER, tag=TAG_RESULT)

pypar.finalize()
