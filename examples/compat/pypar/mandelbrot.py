"""The Mandelbrot set: each processor computes a block of lines, and processor 0 gathers them.

mpiexec -n 3 python -m polympi --as pypar examples/compat/pypar/mandelbrot.py
"""

import numpy
import pypar

WIDTH, HEIGHT, STEPS = 60, 24, 50  # the lines divide by the processors


def lines(first, behind):
    """How many steps the points of some lines stay near 0."""
    real = numpy.linspace(-2.2, 0.8, WIDTH)
    imaginary = numpy.linspace(-1.2, 1.2, HEIGHT)[first:behind, None]
    c = real + 1j * imaginary
    z = numpy.zeros_like(c)
    counts = numpy.zeros(c.shape, dtype="i")
    for _ in range(STEPS):
        near = abs(z) < 2
        z[near] = z[near] ** 2 + c[near]
        counts += near
    return counts


numproc = pypar.size()
myid = pypar.rank()
assert HEIGHT % numproc == 0, f"The {HEIGHT} lines do not divide by {numproc}"

mine = lines(*pypar.balance(HEIGHT, numproc, myid))
whole = pypar.gather(mine, 0)
assert whole.shape == (HEIGHT, WIDTH)  # on other processors it is full of zeros

if myid == 0:
    for row in whole:
        print("".join(" .:-=+*#"[min(7, count // 7)] for count in row))
    assert (whole == lines(0, HEIGHT)).all()
else:
    assert not whole.any()

pypar.finalize()
