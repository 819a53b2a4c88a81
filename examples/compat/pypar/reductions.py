"""Reductions of the arrays of all processors, by each operation.

mpiexec -n 4 python -m polympi --as pypar examples/compat/pypar/reductions.py
"""

import numpy
import pypar

numproc = pypar.size()
myid = pypar.rank()

operations = [
    ("SUM", pypar.SUM, numpy.add),
    ("PROD", pypar.PROD, numpy.multiply),
    ("MAX", pypar.MAX, numpy.maximum),
    ("MIN", pypar.MIN, numpy.minimum),
    ("BAND", pypar.BAND, numpy.bitwise_and),
    ("BOR", pypar.BOR, numpy.bitwise_or),
    ("BXOR", pypar.BXOR, numpy.bitwise_xor),
]
everybodys = [numpy.array([1, 2, 3, 4]) * (n + 1) for n in range(numproc)]

for name, operation, computed in operations:
    buffer = numpy.zeros(4, int)
    pypar.reduce(everybodys[myid], operation, 0, buffer=buffer)
    if myid == 0:
        print(f"{name:5} of the arrays of all: {buffer}")
        assert (buffer == computed.reduce(everybodys)).all()
    else:
        assert not buffer.any()

z = numpy.array([1 + 1j, 2j])
total = pypar.reduce(z, pypar.SUM, 0)  # without a buffer, too
assert myid != 0 or (total == numproc * z).all()

pypar.finalize()
