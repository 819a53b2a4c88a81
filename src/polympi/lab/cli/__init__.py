"""The command line: thin, every command in a file of its own, imported when it is used."""

from __future__ import annotations

import os
import sys

COMPLETING = "_POLYMPI_COMPLETE"  # set by the shell when it asks how a word may go on


def main() -> None:
    """Run the ``polympi`` command; errors that a user can mend are one sentence and exit code 2."""
    if sys.argv[1:] == ["--version"]:  # before anything else is imported: tools ask for it
        from polympi import __version__

        print(f"polympi {__version__}")
        return
    import signal

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _exit)
    try:
        from polympi.lab.cli.app import run_app  # after which its absence can be said in a sentence

        run_app()
    except ModuleNotFoundError as error:
        if COMPLETING in os.environ:  # somebody is typing: no place for a sentence
            sys.exit(1)
        sys.exit(f"polympi: the laboratory needs the package '{error.name}': pip install 'polympi[lab]'")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _exit(number: int, _frame: object) -> None:
    """Leave in order, so that whatever was launched is ended on the way out."""
    sys.exit(128 + number)
