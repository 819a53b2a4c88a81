"""Run rank 0 of a launch through another program, and the other ranks as always."""

from __future__ import annotations

from collections.abc import Sequence

from polympi.lab.audit.starting import RANK_VARIABLES


def on_rank_0(words: Sequence[str]) -> list[str]:
    """What stands before the command of every rank, so that these words stand before that of rank 0 alone."""
    rank = ""
    for name in reversed(RANK_VARIABLES):
        rank = f"${{{name}:-{rank}}}"
    choose = f'if [ "{rank}" != 0 ]; then shift {len(words)}; fi; exec "$@"'
    return ["/bin/sh", "-c", choose, "rank", *words]
