"""The command line: thin, every command in a file of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the ``polympi`` command; errors that a user can mend are one sentence and exit code 2."""
    try:
        from polympi.lab.cli.app import run_app  # noqa: PLC0415 - so that its absence can be said in a sentence
    except ModuleNotFoundError as error:
        sys.exit(f"polympi: the laboratory needs the package '{error.name}': pip install 'polympi[lab]'")
    run_app()
