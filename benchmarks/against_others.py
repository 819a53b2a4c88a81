"""Does the C program of the laboratory measure what other benchmarks measure?

    python benchmarks/against_others.py --stack mpich --osu OSU_FOLDER --imb IMB-MPI1 --rounds 10 --csv others.csv
    python benchmarks/against_others.py --stack system --netpipe --rounds 10

launches our program and those of others in one interleaved run: each once a round, in random order. Times of an
operation are compared size by size: the median over rounds of the paired log-ratio, with its interval. A size is
outside its target if all of the interval is, and unsettled if only the median is. It exits with 1 if a size is outside,
and with 3 if none is, but some are unsettled. The others are built by you, with the MPI of the stack; :mod:`opponents`
says what each of them does, and how it is called. About a minute and a half a round.

Three figures stand side by side: theirs; ours **as reports show it**, the median over the batches of a launch, with
what the clock and the common start cost taken off; and ours **computed as theirs is** (:mod:`our_figures`). Intel MPI
Benchmarks and NetPIPE time a series of messages, as we do: what reports show has to be within 10 % and 5 % of theirs.
OSU has the clock in every iteration, and in collectives the average over ranks of each one's own time behind a
barrier, where ours is the time of the last rank from a common start: there ours computed as theirs has to be within
10 %.

All have two buffers on plain pages: nobody asks for huge ones, and the launches inherit that the kernel may not give
them unasked. All are launched while the CPUs are near each other (:mod:`cpu_distance`): a launch before or after which
they were far apart is made again, whosever it is, and without a look at its times.
"""

import ctypes
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Annotated

import polars as pl
import typer
from cpu_distance import Distance
from evidence import MISSED, UNSETTLED, CsvFile, StackName, keep_raw, refuse_existing, run_command
from opponents import Opponent, imb_opponent, netpipe_opponent, osu_opponents
from our_figures import LAUNCH_TIMEOUT_S, PROFILE, RANKS, REPORTED, Figure, OurPrograms
from rich.table import Table
from rounds import RAW_SCHEMA, Comparison, Difference, compare, conclusion, farthest

from polympi.lab.cli.arguments import choose_seed
from polympi.lab.cli.console import results, say
from polympi.lab.cli.exit_codes import INTERRUPTED
from polympi.lab.errors import StackError, UsageError
from polympi.lab.plan.cases import select_cases
from polympi.lab.plan.profiles import get_profile
from polympi.lab.plan.schedule import block_order
from polympi.lab.process import run_tree
from polympi.lab.run.stopping import stop_on_signals
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack, get_stack
from polympi.lab.tools.tool import PRINTED
from polympi.lab.units import format_ns, format_size, parse_sizes

PR_SET_THP_DISABLE = 41  # prctl(2); children inherit it
MOST_REPEATS = 10  # of one launch; the CPUs stay where they are for seconds at least, as long as most launches take


class Contest:
    """Our programs and others on one stack, ready to be launched in turn; `repeats` counts launches made again."""

    def __init__(
        self,
        stack: Stack,
        opponents: Sequence[Opponent],
        sizes: Sequence[int],
        *,
        seed: int,
        folder: Path,
        on_tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._stack, self._sizes, self._seed, self._folder, self._on_tick = stack, sizes, seed, folder, on_tick
        self._opponents = {opponent.name: opponent for opponent in opponents}
        patterns = list(dict.fromkeys(opponent.case(0).pattern for opponent in opponents))
        self._ours = OurPrograms(
            stack,
            select_cases(get_profile(PROFILE), patterns, sizes, RANKS),
            {opponent.alike for opponent in opponents},
            seed=seed,
            folder=folder,
            on_tick=on_tick,
        )
        self.distance = Distance(folder, on_tick)
        self.repeats = 0

    def round(self, number: int) -> pl.DataFrame:
        """Launch every program once, in an order that changes; raw figures, columns as in :data:`RAW_SCHEMA`.

        StackError if a launch failed, or the CPUs did not stay near each other.
        """
        rows: list[dict[str, object]] = []
        names = [*self._ours.names, *self._opponents]
        for position, name in enumerate(block_order(names, number, self._seed, self._stack.name)):
            figures = self._launch_near(name, number)
            rows += [{"round": number, "position": position, **asdict(figure)} for figure in figures]
        return pl.DataFrame(rows, schema=RAW_SCHEMA)

    def _launch_near(self, name: str, number: int) -> list[Figure]:
        opponent = self._opponents.get(name)
        for _ in range(1 + MOST_REPEATS):
            self.distance.wait_until_near()
            figures = self._ours.measure(name, number) if opponent is None else self._theirs(opponent)
            if self.distance.is_near():
                return figures
            self.repeats += 1
        raise StackError(
            f"The CPUs did not stay near each other during any of {1 + MOST_REPEATS} launches of {name}: a cache line "
            f"takes {self.distance.nearest_ns:.0f} ns from one to the other at best, and "
            f"{self.distance.farthest_ns:.0f} ns at times."
        )

    def _theirs(self, opponent: Opponent) -> list[Figure]:
        written = self._folder / opponent.tool.written
        written.unlink(missing_ok=True)
        ended = run_tree(
            mpiexec_command(self._stack, RANKS, opponent.command(self._sizes), processors=RANKS),
            environment=self._stack.variables(),
            timeout_s=LAUNCH_TIMEOUT_S,
            output=self._folder / PRINTED,
            on_tick=self._on_tick,
            folder=self._folder,
        )
        times = opponent.tool.times(written.read_text(errors="replace")) if written.is_file() else {}
        if ended.exit_code != 0 or not times:
            how = (
                "did not end in time" if ended.timed_out
                else f"ended with {ended.exit_code}" if ended.exit_code else "gave no figures"
            )  # fmt: skip
            raise StackError(
                f"{opponent.name} {how} on stack '{self._stack.name}'; it must be built with the MPI of that stack. "
                f"It said last:\n{ended.tail}"
            )
        return [Figure(opponent.name, opponent.benchmark, size, time) for size, time in times.items()]


def without_huge_pages() -> None:
    """Forbid huge pages to everything that this process starts from now on; StackError if the kernel does not do it."""
    if ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
        raise StackError("This kernel cannot forbid huge pages to a process, so that pages would not be equal.")


def main(
    *,
    stack: StackName = "mpich",
    osu: Annotated[
        Path | None, typer.Option(metavar="DIR", help="OSU Micro-Benchmarks 7.4, built for the stack.")
    ] = None,
    imb: Annotated[Path | None, typer.Option(metavar="PATH", help="IMB-MPI1, built for the stack.")] = None,
    netpipe: Annotated[bool, typer.Option("--netpipe", help="Debian's NetPIPE; the stack is Debian's MPI.")] = False,
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="Launches of each; 6 or more for intervals.")] = 10,
    sizes: Annotated[str, typer.Option(metavar="SIZES", help="Message sizes; powers of two.")] = "1:1MiB",
    csv: CsvFile = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random orders.")] = None,
) -> None:
    """Compare our C program with those of OSU, Intel and NetPIPE; exits with 1 if a size is too far off.

    All are launched once a round, in random order, on plain pages. The times mean something only if nothing else is
    running.
    """
    refuse_existing(csv)
    chosen = get_stack(stack)
    opponents = [
        *(osu_opponents(osu) if osu else []),
        *([imb_opponent(imb)] if imb else []),
        *([netpipe_opponent(chosen)] if netpipe else []),
    ]
    if not opponents:
        raise UsageError("Say with whom to compare: --osu DIR, --imb PATH, --netpipe.")
    without_huge_pages()
    figures = [pl.DataFrame(schema=RAW_SCHEMA)]
    with tempfile.TemporaryDirectory() as folder, stop_on_signals() as asked_to_stop:

        def look_up() -> None:
            if asked_to_stop():
                raise typer.Exit(INTERRUPTED)

        contest = Contest(
            chosen, opponents, parse_sizes(sizes), seed=choose_seed(seed), folder=Path(folder), on_tick=look_up
        )
        try:
            for number in range(rounds):
                say(f"round {number + 1} of {rounds}")
                figures.append(contest.round(number))
        finally:  # what is complete when a later round fails, too
            keep_raw(pl.concat(figures), csv)
    raw = pl.concat(figures)
    near, far = contest.distance.nearest_ns, contest.distance.farthest_ns
    say(f"a cache line took {near:.0f} to {far:.0f} ns from CPU to CPU; launches made again: {contest.repeats}")
    _report([compare(raw, opponent) for opponent in opponents], chosen, rounds, sizes)


def _report(comparisons: Sequence[Comparison], stack: Stack, rounds: int, sizes: str) -> None:
    for comparison in comparisons:
        if not comparison.rows:
            raise UsageError(
                f"{comparison.opponent.name} and we have none of the sizes '{sizes}' in common: "
                "start at a power of two."
            )
        results.print(_table(comparison, stack))
    results.print(_overview(comparisons, stack))
    for comparison in comparisons:
        results.print(conclusion(comparison, stack.name, rounds), soft_wrap=True)
    if any(comparison.missed for comparison in comparisons):
        raise typer.Exit(MISSED)
    if not all(comparison.met for comparison in comparisons):
        raise typer.Exit(UNSETTLED)


def _table(comparison: Comparison, stack: Stack) -> Table:
    opponent = comparison.opponent
    table = Table(title=f"{opponent.name} and {opponent.case(0).pattern} on {stack.library}")
    for heading in ("size", opponent.name, f"ours {REPORTED}", "difference", f"ours {opponent.alike}", "difference"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for row in comparison.rows:
        table.add_row(
            format_size(row.size_bytes),
            format_ns(row.theirs_ns),
            format_ns(row.reported.ours_ns),
            _percent(row.reported),
            format_ns(row.alike.ours_ns),
            _percent(row.alike),
            comparison.verdict(row),
        )
    return table


def _overview(comparisons: Sequence[Comparison], stack: Stack) -> Table:
    table = Table(title=f"Difference of ours, in the median over sizes and where it is largest, on {stack.library}")
    table.add_column("against")
    for figure in (REPORTED, "computed alike"):
        for heading in (figure, "largest", "within"):
            table.add_column(heading, justify="right")
    table.add_column("judged")
    for comparison in comparisons:
        opponent, rows = comparison.opponent, comparison.rows
        cells = []
        for reported in (True, False):
            differences = [row.reported if reported else row.alike for row in rows]
            row, off = farthest(rows, reported)
            cells += [
                f"{median(d.ratio for d in differences) - 1:+.1%}",
                f"{off.ratio - 1:+.1%} at {format_size(row.size_bytes)}",
                f"{sum(d.within(opponent.most) for d in differences)} of {len(rows)}",
            ]
        table.add_row(opponent.name, *cells, f"{opponent.judged}, {opponent.most:.0%}")
    return table


def _percent(difference: Difference) -> str:
    interval = "" if difference.low is None or difference.high is None else (
        f" ({difference.low - 1:+.1%} to {difference.high - 1:+.1%})"
    )  # fmt: skip
    return f"{difference.ratio - 1:+.1%}{interval}"


if __name__ == "__main__":
    run_command(main)
