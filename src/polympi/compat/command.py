"""``python -m polympi --as pypar script.py``, with ``-m module`` and ``-c code`` as Python has them; ``--check``."""

from __future__ import annotations

import argparse
import os
import sys

from polympi.compat import check, runner
from polympi.compat.choice import choose
from polympi.compat.facades import FACADES
from polympi.compat.script import ScriptError, of_module, parse, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from polympi.compat.script import Script


def wanted(arguments: Sequence[str]) -> bool:
    """Whether a command line begins as those of this command do."""
    return bool(arguments) and (arguments[0] in ("--as", "--check") or arguments[0].startswith("--as="))


def main(arguments: Sequence[str]) -> int:
    """Follow a command line; gives the exit code, 2 if it cannot be followed. What the script raises is not caught."""
    parser = argparse.ArgumentParser(
        prog="python -m polympi",
        description="Run a script that is written for an older MPI module of Python.",
        epilog="Modules: " + "; ".join(f"{facade.name} is {facade.of}" for facade in FACADES.values()) + ".",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--as",
        dest="name",
        default="auto",
        metavar="MODULE",
        help="which module the script is written for; auto tells by what it imports",
    )
    parser.add_argument(
        "--check", action="store_true", help="say what the script uses and what differs here; run nothing"
    )
    given, name, own = parse_program(parser, arguments)
    try:
        script = program(given, name)
        facade, why = choose(given.name, script)
    except ScriptError as error:
        if is_first():
            print(f"python -m polympi: {error}", file=sys.stderr)
            if given.check and error.idioms:
                print("\n".join(check.of_python_2(name, error.idioms)))
        return 2
    if given.check:
        if is_first():
            print("\n".join(check.report(script, facade)))
        return 0
    if given.name == "auto" and is_first():
        print(f"polympi: {script.path} runs as one for {facade.name} ({facade.of}): {why}", file=sys.stderr)
    runner.run(script, own, facade)
    return 0


def parse_program(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> tuple[argparse.Namespace, str, list[str]]:
    """Parse a command line that ends with a program, as Python's own does.

    Returns:
        What was given; the name of the script or module, or the code; and the arguments that follow it.
    """
    rest = argparse.REMAINDER
    parser.add_argument("-m", dest="module", nargs=rest, help="run a module instead of a script; its arguments follow")
    parser.add_argument("-c", dest="code", nargs=rest, help="run this code instead of a script; its arguments follow")
    parser.add_argument("script", nargs="?")
    parser.add_argument("arguments", nargs=rest, help="of the script")
    given = parser.parse_args(arguments)
    if not (given.module or given.code or given.script):
        parser.error("a script, or -m with a module, or -c with code must be given")
    name, *own = given.module or given.code or [given.script, *given.arguments]
    return given, name, own


def program(given: argparse.Namespace, name: str) -> Script:
    """What is to be run: a module, code, or a script."""
    if given.module:
        return of_module(name)
    return parse("-c", name, "<string>") if given.code else read(name)


def is_first() -> bool:
    """Whether this is rank 0, as far as the launcher's variables tell; MPI is not started yet."""
    ranks = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID")
    return next((os.environ[name] for name in ranks if name in os.environ), "0") == "0"
