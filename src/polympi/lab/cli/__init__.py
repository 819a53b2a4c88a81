"""The command line: thin, each command in its own file, which is imported when it is used."""

import os
import sys

COMPLETING = "_POLYMPI_COMPLETE"  # set by the shell when it asks how a word may continue


def main() -> None:
    """Run the ``polympi`` command; errors that a user can correct are one sentence and exit code 2."""
    import signal

    from polympi.lab.cli.streams import take_every_text

    take_every_text()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _exit)
    try:
        from polympi.lab.cli.app import run_app  # from here on a missing package is reported in a sentence

        run_app()
    except ModuleNotFoundError as error:
        if COMPLETING in os.environ:  # the user is typing: no place for a message
            sys.exit(1)
        from polympi.wheels import install_command

        sys.exit(f"polympi: the laboratory needs the package '{error.name}': {install_command('lab')}")
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _exit(number: int, _frame: object) -> None:
    """Exit normally, so that every launched process is ended."""
    sys.exit(128 + number)
