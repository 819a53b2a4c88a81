"""The calls that the recommendations say an interface has are there, and those that they say are not there are not."""

import pytest

from polympi.lab.conclusions.interfaces import CALLS, USES
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library

WHERE = {
    "pypar": ("from polympi.compat import pypar", "[pypar]"),
    "pympi": ("from polympi.compat import pympi", "[pympi]"),
    "mympi": ("from polympi.compat import mympi", "[mympi]"),
    "scientific": ("from polympi.compat.scientific import MPI", "[MPI, MPI.world]"),
    "boostmpi-compat": ("from polympi.compat import boostmpi", "[boostmpi, boostmpi.world]"),
    "mpi4py": ("from mpi4py import MPI", "[MPI, MPI.COMM_WORLD, MPI.Request, MPI.Op]"),
    "polympi": ("import polympi", "[polympi, polympi.world]"),
}


@pytest.mark.parametrize("interface", WHERE)
def test_calls_have_the_names_that_are_listed(run, mpich: Stack, interface: str) -> None:
    how, places = WHERE[interface]
    names = sorted({of[interface] for of in (*CALLS.values(), *USES.values()) if interface in of})
    script = f"{how}\nprint([n for n in {names} if not any(hasattr(place, n) for place in {places})])"
    assert run(script, 1, mpich).succeeded().splitlines()[-1] == "[]"
