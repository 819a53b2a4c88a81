"""A message goes around a ring; each processor adds its number to it.

mpiexec -n 4 python -m polympi --as pypar examples/compat/pypar/ring.py
"""

import pypar

numproc = pypar.size()
myid = pypar.rank()

if numproc < 2:
    print("Alone there is no ring: start it on two processors or more")
elif myid == 0:
    pypar.send([0], 1)
    message = pypar.receive(numproc - 1)
    print("Processor 0 got the message back, which went through", message)
    assert message == list(range(numproc))
else:
    message, status = pypar.receive(myid - 1, return_status=True)
    assert status.source == myid - 1
    pypar.send([*message, myid], (myid + 1) % numproc)

pypar.finalize()
