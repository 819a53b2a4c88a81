"""The Mandelbrot set: the rows of the picture are scattered, computed and gathered.

    mpiexec -n 4 python -m polympi --as pympi examples/compat/pympi/mandelbrot.py

A list is scattered in slices, and lists are gathered as one.
"""

import mpi

WIDTH, HEIGHT, STEPS = 60, 25, 40


def pixel(column, row):
    """The sign of a point: a blank if its orbit leaves the circle of radius 2."""
    point = complex(-2.0 + 2.6 * column / (WIDTH - 1), -1.2 + 2.4 * row / (HEIGHT - 1))
    z = 0j
    for _ in range(STEPS):
        z = z * z + point
        if abs(z) > 2:
            return " "
    return "*"


def line(row):
    """A row of the picture."""
    return "".join(pixel(column, row) for column in range(WIDTH))


rows = mpi.scatter(list(range(HEIGHT)))
picture = mpi.gather([line(row) for row in rows])
if mpi.rank == 0:
    print("\n".join(picture))
    assert picture == [line(row) for row in range(HEIGHT)]
