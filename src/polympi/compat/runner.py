"""Run a script with a facade in the place of the module that it imports."""

from __future__ import annotations

import builtins
import sys
import types
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polympi.compat.facades import Facade
    from polympi.compat.script import Script


def run(script: Script, arguments: Sequence[str], facade: Facade) -> None:
    """Run it as `python script.py arguments` does: as `__main__`, with its folder first on the path.

    What it raises is not caught: polympi ends the whole job then.
    """
    facade.install()
    sys.argv = [script.path, *arguments]
    if not getattr(sys.flags, "safe_path", False):  # where Python is told to, it takes no folder of scripts
        sys.path[0] = str(Path(script.path).resolve().parent)
    code = compile(script.source, script.path, "exec", dont_inherit=True)
    main = types.ModuleType("__main__")
    main.__file__ = script.path
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    sys.modules["__main__"] = main  # objects of its classes are found there when they are unpickled
    exec(code, main.__dict__)
