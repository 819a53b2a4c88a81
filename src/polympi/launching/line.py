"""Lines of the shell, on a rank."""

from __future__ import annotations

import sys
import traceback

import polympi

_names: dict[str, object] = {"__name__": "__main__"}  # of the lines, on each rank


def on_rank(source: str) -> str:
    """Run a line on this rank: what it evaluates to, or the traceback; empty if there is nothing to show."""
    _names.setdefault("mpi", polympi)
    _names.setdefault("world", polympi.world)
    shown: list[str] = []
    hook, sys.displayhook = sys.displayhook, lambda value: None if value is None else shown.append(repr(value))
    try:
        exec(compile(source, "<shell>", "single"), _names)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # sys.exit as well: the ranks stay
        trace = error.__traceback__ and error.__traceback__.tb_next
        shown.append("".join(traceback.format_exception(type(error), error, trace)).rstrip("\n"))
    finally:
        sys.displayhook = hook
    return "\n".join(shown)
