"""Buffered sends return at once, so that all processors may send before any receives.

mpiexec -n 3 python -m polympi --as pypar examples/compat/pypar/buffered_sends.py
"""

import numpy
import pypar

numproc = pypar.size()
myid = pypar.rank()
after, before = (myid + 1) % numproc, (myid - 1) % numproc

array = numpy.full(50000, float(myid))
text = f"from processor {myid}"

pypar.push_for_alloc(array)
needed = pypar.push_for_alloc(text)
pypar.alloc_and_attach()
pypar.bsend(array, after, tag=1)
pypar.bsend(text, after, tag=2)
assert (pypar.receive(before, tag=1) == before).all()
assert pypar.receive(before, tag=2) == f"from processor {before}"
pypar.detach_and_dealloc()

if myid == 0:
    print(f"Both messages went around in buffers of {needed} bytes")
pypar.finalize()
