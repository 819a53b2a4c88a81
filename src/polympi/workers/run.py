"""Running a script on rank 0, with the other ranks as workers of all its pools."""

from __future__ import annotations

import argparse
import sys
from functools import partial

from polympi.compat import command
from polympi.compat.runner import execute
from polympi.compat.script import ScriptError
from polympi.workers import mpi4py_futures
from polympi.workers.opening import Where
from polympi.workers.pool import Pool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The script's name on workers, as with mpi4py.futures: tasks need what it defines, and not what is for `__main__`.
WORKER = "__worker__"


def main(arguments: Sequence[str] | None = None) -> None:
    """Follow a command line; what the script raises isn't caught."""
    parser = argparse.ArgumentParser(
        prog="python -m polympi.pool",
        description="Run a script on rank 0; the other ranks are workers of its pools, also those of mpi4py.futures.",
        allow_abbrev=False,
    )
    given, name, own = command.parse_program(parser, arguments)
    try:
        script = command.program(given, name)
    except ScriptError as error:
        if command.is_first():
            print(f"python -m polympi.pool: {error}", file=sys.stderr)
        sys.exit(2)
    mpi4py_futures.install()
    with Pool(Where(before=partial(execute, script, own, WORKER, WORKER))) as pool:
        if pool:
            execute(script, own, also=WORKER)
