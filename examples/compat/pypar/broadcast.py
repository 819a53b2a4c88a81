"""Processor 0 gives an array, a text and an object to all.

mpiexec -n 3 python -m polympi --as pypar examples/compat/pypar/broadcast.py
"""

import numpy
import pypar

myid = pypar.rank()
expected = numpy.arange(12, dtype=float).reshape(3, 4)

array = expected.copy() if myid == 0 else numpy.zeros((3, 4))
pypar.broadcast(array, 0)
assert (array == expected).all()

text = f"from processor {myid}"
text = pypar.broadcast(text, 0)
assert text == "from processor 0"

thing = pypar.broadcast({"grid": expected, "level": 3} if myid == 0 else {}, 0, vanilla=True)
assert thing["level"] == 3
assert (thing["grid"] == expected).all()

pypar.barrier()
if myid == 0:
    print(f"All {pypar.size()} processors have the array, '{text}' and the object")

pypar.finalize()
