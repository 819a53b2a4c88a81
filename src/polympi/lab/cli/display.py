"""What is shown of a run while it measures: a live display at a terminal, lines in logs and pipes.

The live display redraws when a launch begins or ends and once a second between, never more: on a small machine,
whatever draws takes its time from the ranks that are being measured.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from polympi.lab.cli.console import errors, say
from polympi.lab.conclusions.phrases import count, listing
from polympi.lab.records import AGAIN, REFERENCE, Finding, LaunchRecord, Outcome
from polympi.lab.run.measure import Measured
from polympi.lab.run.watcher import Progress, Watcher
from polympi.lab.units import format_duration

SHOWN_BENCHMARKS = 6  # columns that fit 80 characters


@contextmanager
def shown() -> Iterator[Watcher]:
    """A watcher that shows a run on standard error; what is drawn live is wiped at the end."""
    if not errors.is_terminal:
        yield PlainDisplay(errors)
        return
    live = LiveDisplay(errors)
    try:
        yield live
    finally:
        live.wipe()


def ending(measured: Measured) -> str:
    """How a run ended, and how much it measured."""
    seconds = sum(launch.wall_ns for launch in measured.directory.launches()) / 1e9
    took, outcome = f"{format_duration(seconds)} of launches", measured.outcome
    if without := without_reference(outcome):
        return f"C failed on {listing(without)}, after {took}"
    blocks = ", ".join(f"{count(blocks, 'block')} on {stack}" for stack, blocks in outcome.blocks.items())
    return f"{outcome.ended}: {blocks}, {took}"


def without_reference(outcome: Outcome) -> list[str]:
    """The stacks on which C failed, so that the run ended there."""
    names = [name.rpartition("/") for name in outcome.withdrawn]
    return [stack for stack, _, binding in names if binding == REFERENCE]


class Display(Watcher):
    """Reports what happens before the launches."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def reported(self, text: str) -> None:
        """Say it."""
        say(text, self._console)

    def found(self, finding: Finding) -> None:
        """Warn; notes wait for the report."""
        if finding.level == "warning":
            text = f"! {finding.title}: {finding.text} {finding.advice}"
            self._console.print(text, style="yellow", markup=False)


class LiveDisplay(Display):
    """Draws where the run stands: block, binding, benchmarks, time left, and the ratios to C so far."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._estimated_at = time.monotonic()

    def wipe(self) -> None:
        """End the display and leave nothing of it."""
        self._live.stop()

    def launching(self, progress: Progress) -> None:
        """Draw again: there is a new estimate."""
        self._live.start()  # at the first launch; later it does nothing
        self._estimated_at = time.monotonic()
        self._draw(progress)

    def tick(self, progress: Progress) -> None:
        """Count the time left down."""
        self._draw(progress)

    def _draw(self, progress: Progress) -> None:
        self._live.update(_picture(progress, time.monotonic() - self._estimated_at), refresh=True)


class PlainDisplay(Display):
    """One line per block, and the ratios after the first one, for logs and pipes."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._said: tuple[str, int | None] | None = None
        self._rows = 0  # of the ratios that were shown

    def launching(self, progress: Progress) -> None:
        """Say when a block begins."""
        if self._said != (progress.stack, progress.block):
            self._said = (progress.stack, progress.block)
            if len(progress.ratios) > self._rows:
                self._rows = len(progress.ratios)
                self._console.print(_ratios(progress))
            self._console.print(_headline(progress, 0.0), soft_wrap=True)

    def launched(self, progress: Progress, record: LaunchRecord) -> None:
        """Say when a launch failed."""
        if record.outcome != "ok":
            self._console.print(f"  {record.binding}: {record.detail}", markup=False, soft_wrap=True)


def _headline(progress: Progress, elapsed_s: float) -> Text:
    where = "calibrating" if progress.block is None else f"block {progress.block + 1} of {progress.blocks}"
    text = Text(f"{progress.stack}: {where}", style="bold")
    if progress.seconds_left is not None:
        text.append(f", at most {format_duration(max(0.0, progress.seconds_left - elapsed_s))} left", style="default")
    return text


def _picture(progress: Progress, elapsed_s: float) -> Group:
    done = 0 if progress.block is None else progress.block
    benchmarks = ", ".join(f"{name} {cases}" for name, cases in progress.benchmarks.items())
    parts: list[Text | Table] = [
        _headline(progress, elapsed_s),
        _bar(done, progress.blocks),
        Text.assemble((progress.binding, "cyan"), f"  {benchmarks} (cases)"),
    ]
    if progress.ratios:
        parts.append(_ratios(progress))
    parts += [Text(f"! {failure}", style="yellow") for failure in progress.failures[-3:]]
    parts.append(Text("Ctrl-C stops and keeps what is measured.", style="dim"))
    return Group(*parts)


def _bar(done: int, blocks: int) -> Table:
    row = Table.grid()  # a bar alone would not end its line
    row.add_row(ProgressBar(total=max(blocks, 1), completed=done, width=60))
    return row


def _ratios(progress: Progress) -> Table:
    """Ratios to C so far; the columns are the benchmarks that most bindings have."""
    names: dict[str, int] = {}
    for ratios in progress.ratios.values():
        for name in ratios:
            names[name] = names.get(name, 0) + 1
    shown = sorted(names, key=lambda name: -names[name])[:SHOWN_BENCHMARKS]
    table = Table(title="time / C so far", title_justify="left", box=None, pad_edge=False, title_style="dim")
    table.add_column("binding")
    for name in shown:
        table.add_column(name, justify="right")
    for (stack, binding), ratios in progress.ratios.items():
        if binding == REFERENCE:
            continue
        label = "C again (A/A)" if binding == AGAIN else binding
        label = label if len({s for s, _ in progress.ratios}) == 1 else f"{stack} {label}"
        table.add_row(label, *(f"{ratios[name]:.2f}" if name in ratios else "-" for name in shown))
    return table
