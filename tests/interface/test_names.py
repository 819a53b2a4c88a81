"""Names, signatures and completion of the interface, as users meet them in help and in editors."""

import ast
from pathlib import Path

import jedi
import pytest

import polympi

SOURCES = Path(__file__).parents[2] / "src"

SIGNATURES = """
import inspect
import polympi as mpi

def public():
    for name in mpi.__all__:
        value = getattr(mpi, name)
        yield name, value
        if inspect.isclass(value):
            for inner in dir(value):
                member = getattr(value, inner)
                home = getattr(member, "__objclass__", value)
                if not inner.startswith("_") and home.__module__ != "builtins":
                    yield f"{name}.{inner}", member

found = [(name, value) for name, value in public() if callable(value)]
for name, value in found:
    inspect.signature(value)
    assert value.__doc__, name
assert {"Communicator.recv", "Raw.reduce", "Cartesian.scan", "SUM"} <= {name for name, _ in found}
assert str(inspect.signature(mpi.world.recv)).startswith("(source=ANY_SOURCE, tag=ANY_TAG, *, into=None")
assert inspect.signature(mpi.world.recv).parameters["source"].default == mpi.ANY_SOURCE
"""

WORDS = """
import polympi as mpi

def refused(owner, name):
    try:
        getattr(owner, name)
    except AttributeError as error:
        return str(error)

world = mpi.world
assert refused(mpi, "COMM_WORLD") == "polympi has no COMM_WORLD: use polympi.world, the communicator of all ranks"
assert refused(world, "Get_rank") == "a communicator of polympi has no Get_rank: use comm.rank"
assert "use comm.send" in refused(world, "Send")
assert "use comm.allreduce" in refused(world.cart(ndim=1), "Allreduce")
assert not hasattr(world, "Get_size") and not hasattr(world, "nothing")
for owner in (world, mpi.Communicator, mpi.Cartesian):
    assert "send" in dir(owner) and "Send" not in dir(owner)
"""


@pytest.mark.parametrize("stack", ["mpich"], indirect=True)
@pytest.mark.parametrize("script", [SIGNATURES, WORDS], ids=["signatures", "words"])
def test_public_names_explain_themselves(run, stack, script: str) -> None:
    run(script, 1, stack).succeeded()


def test_the_stub_of_the_package_has_the_public_names() -> None:
    stub = ast.parse((SOURCES / "polympi" / "__init__.pyi").read_text())
    names = {alias.asname for line in stub.body if isinstance(line, ast.ImportFrom) for alias in line.names}
    names |= {ast.unparse(line.target) for line in stub.body if isinstance(line, ast.AnnAssign)}
    assert names - {None, "__version__"} == {*polympi.__all__, "print"} == set(dir(polympi))
    assert "print" not in polympi.__all__  # `from polympi import *` keeps Python's own


@pytest.mark.parametrize(
    ("program", "completed"),
    [
        ("mpi.", set(polympi.__all__)),
        ("mpi.world.", {"rank", "send", "recv", "allreduce", "cart", "free"}),
        ("mpi.world.cart(ndim=2).", {"coords", "halo", "send"}),
        ("mpi.world.isend(1, 0).", {"wait", "test"}),
    ],
)
def test_editors_complete(program: str, completed: set[str]) -> None:
    project = jedi.Project(SOURCES, added_sys_path=[str(SOURCES)])
    found = jedi.Script(f"import polympi as mpi\n{program}", project=project).complete()
    assert completed <= {name.name for name in found}
