"""The command ``polympi``, also ``python -m polympi``.

It is the laboratory's, or a prompt on ranks (``shell``), or runs a script for an older MPI module (``--as``,
``--check``).
"""

from __future__ import annotations

import importlib.util
import sys

import polympi
from polympi.wheels import install_command


def main() -> None:
    """Follow the command line."""
    if sys.argv[1:] == ["--version"]:  # before anything else is imported: tools ask for it
        print(f"polympi {polympi.__version__}")
        return
    if sys.argv[1:2] == ["shell"]:
        from polympi.shell import main as shell

        shell(sys.argv[2:])
        return
    from polympi.compat import command

    if command.wanted(sys.argv[1:]):
        sys.exit(command.main(sys.argv[1:]))
    if importlib.util.find_spec("polympi.lab") is None:
        print(f"polympi: the laboratory is not installed; get it with: {install_command('lab')}", file=sys.stderr)
        sys.exit(2)
    from polympi.lab.cli import main as laboratory

    laboratory()


if __name__ == "__main__":
    main()
