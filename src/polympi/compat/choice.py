"""Which facade a script needs."""

from __future__ import annotations

from polympi.compat.facades import FACADES
from polympi.compat.script import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from polympi.compat.facades import Facade
    from polympi.compat.script import Script


def choose(name: str, script: Script) -> tuple[Facade, str]:
    """A facade by its name, or, for ``auto``, by what the script imports and uses; and why, in words.

    Several facades have a module of one name, ``mpi``. Of these the one is chosen that has the most of the names that
    the script uses.

    Raises:
        ScriptError: there is no such facade; or the script imports none of the modules, or those of several.
    """
    if name != "auto":
        if name not in FACADES:
            raise ScriptError(f"there is no facade {name}, but {', '.join(sorted(FACADES))}, and auto.")
        return FACADES[name], "as asked"
    fitting = [facade for facade in FACADES.values() if facade.automatic and script.imports & set(facade.modules)]
    if not fitting:
        known = sorted({module for facade in FACADES.values() for module in facade.modules if facade.automatic})
        raise ScriptError(f"{script.path} imports none of the modules that polympi stands in for: {', '.join(known)}.")
    counts = {facade.name: _fitting_names(facade, script) for facade in fitting}
    best = max(counts.values())
    chosen = [facade for facade in fitting if counts[facade.name] == best]
    if len(chosen) > 1:
        names = " and ".join(facade.name for facade in chosen)
        raise ScriptError(f"{script.path} may be written for {names}: say which with --as.")
    imported = ", ".join(sorted(script.imports & set(chosen[0].modules)))
    others = [facade.name for facade in fitting if facade is not chosen[0]]
    instead = f" and uses more names of it than of {' or '.join(others)}" if others else ""
    return chosen[0], f"it imports {imported}{instead}"


def _fitting_names(facade: Facade, script: Script) -> int:
    """How many of the names that a script uses a facade has."""
    names = facade.names()
    return len({use.name for use in facade.uses(script)} & names)
