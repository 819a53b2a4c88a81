"""Names that an older module had, and that its facade has not."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn


def refusing(module: str, of: str, differences: Mapping[str, str]) -> Callable[[str], NoReturn]:
    """The ``__getattr__`` of a facade: of a name that the original had it says what to do instead.

    Args:
        module: the name of the facade.
        of: what it stands in for.
        differences: ``DIFFERENCES`` of the facade, which also has the names that are not there.
    """

    def refuse(name: str) -> NoReturn:
        if name in differences:
            raise AttributeError(f"{name} of {of} is not in {module}. {differences[name]}", name=name)
        raise AttributeError(f"module '{module}' has no attribute '{name}'", name=name)

    return refuse
