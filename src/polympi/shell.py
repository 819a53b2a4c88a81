"""A prompt whose lines run on all ranks: ``python -m polympi.shell -n 4``."""

from __future__ import annotations

import argparse
import code
import contextlib
import sys
from typing import TYPE_CHECKING

from polympi.launching.answers import ranks_in_words
from polympi.launching.line import on_rank
from polympi.launching.ranks import Ranks, launch

if TYPE_CHECKING:
    from collections.abc import Sequence


class Shell(code.InteractiveConsole):
    """Reads lines here, and runs them on ranks."""

    def __init__(self, ranks: Ranks) -> None:
        super().__init__(filename="<shell>")
        self._ranks = ranks

    def runsource(self, source: str, filename: str = "<shell>", symbol: str = "single") -> bool:
        """Run a complete statement; True if lines are missing."""
        if source.strip() in {"exit", "quit", "exit()", "quit()"}:
            raise SystemExit
        if not any(line.strip() and not line.strip().startswith("#") for line in source.splitlines()):
            return False
        try:
            if self.compile(source, filename, symbol) is None:
                return True
        except (OverflowError, SyntaxError, ValueError):
            self.showsyntaxerror(filename)
            return False
        try:
            for line in grouped(self._ranks.run(on_rank, source)):
                print(line)
        except KeyboardInterrupt:
            print("KeyboardInterrupt")
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
        return False


def grouped(results: list[str]) -> list[str]:
    """Results with the ranks that have them, those of equal ones once."""
    ranks: dict[str, list[int]] = {}
    for rank, result in enumerate(results):
        ranks.setdefault(result, []).append(rank)
    ranks.pop("", None)
    labels = {result: "all ranks" if len(of) == len(results) else ranks_in_words(of) for result, of in ranks.items()}
    return [f"[{label}] {line}" for result, label in labels.items() for line in result.splitlines()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Follow the command line."""
    parser = argparse.ArgumentParser(prog="polympi shell", description="A prompt whose lines run on all ranks of MPI.")
    parser.add_argument("-n", type=int, default=2, metavar="RANKS", help="how many ranks (default: 2)")
    parser.add_argument("--launcher", help="the command that starts ranks, such as 'srun'")
    options = parser.parse_args(arguments)
    with contextlib.suppress(ImportError):
        __import__("readline")  # input() then edits lines
    try:
        with launch(options.n, launcher=options.launcher) as ranks, contextlib.suppress(SystemExit):
            banner = f"Lines run on {options.n} ranks, with mpi and world; exit ends them."
            Shell(ranks).interact(banner, exitmsg="")
    except (OSError, RuntimeError, ImportError, ValueError) as error:
        sys.exit(f"polympi shell: {error}")


if __name__ == "__main__":
    main()
