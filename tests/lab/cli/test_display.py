"""What a log shows of a run while it measures."""

from __future__ import annotations

import io

from rich.console import Console

from polympi.lab.cli.display import PlainDisplay
from polympi.lab.run.watcher import Progress


def test_a_log_has_the_ratios_of_the_first_block_as_soon_as_it_is_measured() -> None:
    written = io.StringIO()
    shown = PlainDisplay(Console(file=written, width=80))
    progress = Progress(stack="mpich", blocks=3)
    for block in (None, 0, 1, 2):
        progress.block = block
        if block == 1:
            progress.ratios = {("mpich", "c"): {"latency": 1.0}, ("mpich", "mpi4py"): {"latency": 1.53}}
        shown.launching(progress)
        shown.launching(progress)
    lines = [line.split() for line in written.getvalue().splitlines()]
    assert lines.count(["mpi4py", "1.53"]) == 1
    assert lines.index(["mpi4py", "1.53"]) < lines.index(["mpich:", "block", "2", "of", "3"])
