"""The command line: thin, every command in a file of its own."""

from __future__ import annotations

import signal
import sys
from types import FrameType


def main() -> None:
    """Run the ``polympi`` command; errors that a user can mend are one sentence and exit code 2."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _exit)
    try:
        from polympi.lab.cli.app import run_app  # noqa: PLC0415 - so that its absence can be said in a sentence

        run_app()
    except ModuleNotFoundError as error:
        sys.exit(f"polympi: the laboratory needs the package '{error.name}': pip install 'polympi[lab]'")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _exit(number: int, _frame: FrameType | None) -> None:
    """Leave in order, so that whatever was launched is ended on the way out."""
    sys.exit(128 + number)
