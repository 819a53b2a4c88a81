"""Arrays and texts are divided among the processors, and put together again.

mpiexec -n 4 python -m polympi --as pypar examples/compat/pypar/scatter_gather.py
"""

import numpy
import pypar

numproc = pypar.size()
myid = pypar.rank()
EACH = 3

whole = numpy.arange(EACH * numproc, dtype=float)
mine = pypar.scatter(whole, 0)
assert (mine == numpy.arange(EACH * myid, EACH * (myid + 1))).all()
together = pypar.gather(mine**2, 0)
if myid == 0:
    print("Squares of all numbers:", together)
    assert (together == whole**2).all()

buffer = numpy.zeros(EACH)
pypar.scatter(whole, 0, buffer=buffer)
assert (buffer == mine).all()

text = "".join(letter * EACH for letter in "abcdefghijklmnopqrstuvwxyz"[:numproc])
part = pypar.scatter(text, 0)
assert part == text[EACH * myid : EACH * (myid + 1)]
back = pypar.gather(part.upper(), 0)
if myid == 0:
    print("The text in capitals:", back)
    assert back == text.upper()

pypar.finalize()
