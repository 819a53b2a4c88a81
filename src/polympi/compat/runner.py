"""Run a program with a facade in the place of the module that it imports."""

from __future__ import annotations

import builtins
import sys
import types
from importlib.machinery import BuiltinImporter, SourceFileLoader
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polympi.compat.facades import Facade
    from polympi.compat.script import Script


def run(script: Script, arguments: Sequence[str], facade: Facade) -> None:
    """Run it as Python does: as `__main__`, with what is its own first on the path.

    What it raises is not caught: polympi ends the whole job then.
    """
    facade.install()
    execute(script, arguments)


def execute(script: Script, arguments: Sequence[str], name: str = "__main__", also: str = "__main__") -> None:
    """Run it as the module `__main__`, which may learn another name of itself, and be found by a third one."""
    main = _main(script)
    main.__name__ = name
    sys.argv = [script.path, *arguments]
    if script.spec is None and not getattr(sys.flags, "safe_path", False):  # else Python takes no folder of scripts
        sys.path[0] = str(Path(script.filename).resolve().parent) if hasattr(main, "__file__") else ""
    code = compile(script.source, script.filename, "exec", dont_inherit=True)
    sys.modules["__main__"] = sys.modules[also] = main  # objects of its classes are found there when they are unpickled
    exec(code, main.__dict__)


def _main(script: Script) -> types.ModuleType:
    """The module `__main__`, with the attributes that Python gives it for a script, a module, or code."""
    main = types.ModuleType("__main__")
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    if script.spec is not None:
        main.__spec__, main.__loader__ = script.spec, script.spec.loader
        main.__package__ = script.spec.parent
        main.__file__, main.__cached__ = script.filename, script.spec.cached  # type: ignore[attr-defined]
    elif script.path != "-c":
        main.__file__, main.__cached__ = script.filename, None  # type: ignore[attr-defined]
        main.__loader__ = SourceFileLoader("__main__", script.filename)
    else:
        main.__loader__ = BuiltinImporter
    return main
