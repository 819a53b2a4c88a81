"""Which facades there are, and by which names their scripts import them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from polympi.compat import aliases, exports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from polympi.compat.script import Script, Use


@dataclass(frozen=True)
class Facade:
    """The interface of an older module.

    The module that has it also has ``DIFFERENCES``, a dictionary of names: in a sentence each, what is not as it was.

    Attributes:
        name: what ``--as`` takes.
        of: the module and its version.
        modules: what scripts import, and which module they get. The first has the interface.
        version: of mpi4py, whose own module scripts get, with methods replaced; the module only lists its names.
        automatic: whether ``--as auto`` considers it.
    """

    name: str
    of: str
    modules: Mapping[str, str]
    version: int | None = None
    automatic: bool = True

    @property
    def module(self) -> str:
        """The module that has the interface."""
        return next(iter(self.modules.values()))

    def install(self) -> None:
        """Have scripts that are run from now on get it."""
        if self.version is None:
            aliases.install(self.modules)
        else:
            import_module("polympi.mpi4py").install(version=self.version)

    def uses(self, script: Script) -> list[Use]:
        """What a script uses of the interface; other modules, like that of Scientific.N, do not count."""
        return [use for use in script.uses(set(self.modules)) if self.modules[use.module] == self.module]

    def names(self) -> set[str]:
        """The public names of the interface; the module is not imported for that, since that may start MPI."""
        if self.version is None:
            return exports.bound(_parsed(self.module))
        return set(str(_assigned(self.module, "NAMES")).split())

    def differences(self) -> dict[str, str]:
        """What differs from the module, by name; the module is not imported for that, either."""
        found = _assigned(self.module, "DIFFERENCES")
        assert isinstance(found, dict)
        return found


def _assigned(module: str, name: str) -> object:
    """The literal that a module assigns to a name."""
    for node in _parsed(module).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            assert isinstance(node, (ast.Assign, ast.AnnAssign))
            assert node.value is not None
            return ast.literal_eval(node.value)
    raise LookupError(f"{module} does not assign {name} at its top")


def _parsed(module: str) -> ast.Module:
    """The source of a module, which is found without importing it."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


_ALL: tuple[Facade, ...] = (
    Facade("pypar", "Pypar 2.1.4", {"pypar": "polympi.compat.pypar"}),
    Facade("pympi", "pyMPI 2.5b0", {"mpi": "polympi.compat.pympi"}),
    Facade(
        "scientific",
        "Scientific.MPI of ScientificPython 2.9",
        {
            "Scientific.MPI": "polympi.compat.scientific.MPI",
            "Scientific": "polympi.compat.scientific",
            "Scientific.MPI.IO": "polympi.compat.scientific.MPI.IO",
            "Scientific.N": "polympi.compat.scientific.N",
            "Scientific.BSP": "polympi.compat.scientific.BSP",
        },
    ),
    Facade(
        "boostmpi",
        "boostmpi 1.38 or boost.mpi 1.74",
        {
            "boostmpi": "polympi.compat.boostmpi",
            "boost.mpi": "polympi.compat.boostmpi",
            "boost.parallel.mpi": "polympi.compat.boostmpi",  # its older name
            "boost": "polympi.compat.boost",
            "boost.parallel": "polympi.compat.boost",
            "mpi": "polympi.compat.boostmpi",
        },
    ),
    Facade(
        "mympi",
        "MYMPI or pydusa 1.15",
        {
            "mpi": "polympi.compat.mympi",
            "mympi": "polympi.compat.mympi",
            "Numeric": "polympi.compat.scientific.N",  # the names of Numeric on NumPy
        },
    ),
    Facade("mpi4py", "mpi4py 4", {"mpi4py.MPI": "polympi.mpi4py.interface"}, version=4),
    Facade("mpi4py1", "mpi4py 1.x of 2010", {"mpi4py.MPI": "polympi.mpi4py.interface"}, version=1, automatic=False),
)
FACADES = {facade.name: facade for facade in _ALL}
