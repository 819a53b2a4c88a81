"""Every rank says which it is: what a program needs before it does anything."""

# mypy: disable-error-code="untyped-decorator"
import numba
import numba_mpi


@numba.njit
def hello() -> None:
    """Compiled, as the loops are for which one takes numba-mpi."""
    print("Hello from rank", numba_mpi.rank(), "of", numba_mpi.size())


hello()
