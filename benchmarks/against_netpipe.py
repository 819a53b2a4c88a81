"""Does the C program of the laboratory measure what NetPIPE measures?

    python benchmarks/against_netpipe.py --stack system --csv netpipe.csv

launches our C program (``latency/standard/bytes``) and NetPIPE 3 from Debian in turn, in an order drawn at random, and
compares their times of a message size by size: the median over rounds of the paired log-ratio, with its interval. It
exits with 1 if the median of a size is off by more than 5 %. About half a minute a round.

Like is compared with like. How NetPIPE times is known from its source (3.7.1; 3.7.2 adds ports only) and was
checked by counting the calls of Debian's program:

- Both make the same calls: ``MPI_Send`` and ``MPI_Recv`` of bytes in a ping-pong, and report half a round trip.
- NetPIPE reports its fastest of three trials that last about 0.1 s each. So we take, *for this comparison only*, the
  fastest of three batches of 0.1 s in place of the median over batches. The fastest of many short batches would be
  lower, the more so the shorter they are.
- NetPIPE sends from and receives into one buffer, so that it sends what the receive has just brought into the cache;
  we have two, as most programs do. With the option ``-O 0,DISTANCE`` NetPIPE has two as well, so far apart that
  they do not touch. Both tools reuse their buffers without emptying the cache (NetPIPE without ``-I``).
- We ask for huge pages, NetPIPE does not. Here neither gets any: the launches inherit that the kernel may not use them.
- NetPIPE prints seconds with 8 decimals, 10 ns apart. The rate beside them has more digits, and is what we read.

What remains different: NetPIPE goes through the sizes in ascending order and without warm-up; we shuffle and warm up.
``--as-shipped`` leaves out the two adjustments of buffers and pages, and shows what they explain.
"""

from __future__ import annotations

import ctypes
import math
import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from evidence import MISSED, CsvFile, StackName, keep_raw, refuse_existing, run_command
from rich.table import Table

from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.cli.arguments import choose_seed
from polympi.lab.cli.console import results, say
from polympi.lab.cli.exit_codes import INTERRUPTED
from polympi.lab.cli.stopping import stop_on_signals
from polympi.lab.errors import BuildError, StackError, UsageError
from polympi.lab.findings.phrases import count
from polympi.lab.importers.netpipe import read_netpipe
from polympi.lab.launch.command import mpiexec_command
from polympi.lab.launch.launcher import Arm, Launched, Place, Setting, launch
from polympi.lab.launch.process import run_tree
from polympi.lab.plan.cases import select_cases
from polympi.lab.plan.profiles import PROFILES
from polympi.lab.plan.schedule import block_order, case_order
from polympi.lab.run.calibrate import calibrate
from polympi.lab.samples.records import REFERENCE, PlannedCase
from polympi.lab.stacks.stack import Stack, get_stack
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.units import format_ns, format_size, parse_sizes

OURS, NETPIPE = "polympi", "NetPIPE"
PROGRAMS = {"openmpi": ("NPopenmpi", "netpipe-openmpi"), "mpich": ("NPmpich2", "netpipe-mpich2")}  # and the package
BENCH = "latency/standard/bytes"
RANKS = 2
MOST = 0.05  # by how much the median of a size may differ

TRIALS = 3  # of NetPIPE, of which it reports the fastest
TRIAL_NS = 1e8  # what NetPIPE aims at for a trial
ALIGNMENT = 16 * 1024  # of NetPIPE's buffer
LAUNCH_TIMEOUT_S = 180.0  # ten times what either takes for 1 B to 1 MiB
PR_SET_THP_DISABLE = 41  # prctl(2); children inherit it

RAW_SCHEMA: dict[str, type[pl.DataType]] = {
    "round": pl.Int64,
    "position": pl.Int64,
    "tool": pl.String,
    "size_bytes": pl.Int64,
    "time_ns": pl.Float64,
}


@dataclass(frozen=True)
class Row:
    """The comparison of one size.

    Attributes:
        size_bytes: of the message.
        ours_ns, netpipe_ns: median over rounds of the time of a message, in ns.
        ratio: exp of the median over rounds of the log-ratio, ours to NetPIPE's.
        low, high: its interval; None with fewer than 6 rounds.
    """

    size_bytes: int
    ours_ns: float
    netpipe_ns: float
    ratio: float
    low: float | None
    high: float | None

    @property
    def within(self) -> bool:
        """Whether the median keeps the target, in either direction."""
        return abs(math.log(self.ratio)) <= math.log1p(MOST)


class Contest:
    """Our program and NetPIPE on one stack, ready to be launched in turn.

    Args:
        stack: a stack of the machine's own MPI, which Debian's NetPIPE is linked with.
        sizes: of the messages, in bytes.
        seed: of all random orders.
        folder: scratch, empty.
        as_shipped: leave NetPIPE's buffers as they are.
        on_tick: called about once a second while a launch runs; what it raises ends the launch.

    Raises:
        UsageError: NetPIPE does not run on that stack.
        BuildError: NetPIPE is not installed, or our program cannot be built.
        StackError: our program does not run.
    """

    def __init__(
        self,
        stack: Stack,
        sizes: Sequence[int],
        seed: int,
        folder: Path,
        *,
        as_shipped: bool = False,
        on_tick: Callable[[], None] = lambda: None,
    ) -> None:
        self._stack, self._sizes, self._seed, self._folder, self._on_tick = stack, sizes, seed, folder, on_tick
        self._setting = Setting(RANKS, None, len(os.sched_getaffinity(0)), folder)
        self._netpipe = netpipe_command(stack, sizes, folder / "np.out", as_shipped=as_shipped)
        self._arm = Arm(binding := load_bindings()[REFERENCE], build(binding, stack))
        self._launches = 0
        self._cases = self._calibrated()

    def round(self, number: int) -> list[dict[str, object]]:
        """Launch both once, in an order that changes; raw figures as rows of :data:`RAW_SCHEMA`.

        Raises:
            StackError: a launch failed.
        """
        rows: list[dict[str, object]] = []
        for position, tool in enumerate(block_order([OURS, NETPIPE], number, self._seed, self._stack.name)):
            times = self._our_times(number) if tool == OURS else self._netpipe_times()
            place = {"round": number, "position": position, "tool": tool}
            rows += [place | {"size_bytes": size, "time_ns": time} for size, time in times.items()]
        return rows

    def _calibrated(self) -> dict[int, PlannedCase]:
        quick = PROFILES["quick"]
        profile = replace(quick, batches=TRIALS, batch_ns=TRIAL_NS, events=0)
        cases = select_cases(profile, [BENCH], self._sizes, RANKS)
        planned, _ = calibrate(profile, cases, self._launch, crowded=False)
        return planned

    def _our_times(self, number: int) -> dict[int, float]:
        order = case_order(sorted(self._cases), number, self._seed, self._stack.name)
        launched = self._launch({n: self._cases[n] for n in order})
        return fastest_batches(self._cases, launched.samples.batches)

    def _launch(self, cases: Mapping[int, PlannedCase]) -> Launched:
        launched = launch(
            Place(self._launches),
            self._arm,
            self._stack,
            cases,
            self._setting,
            timeout_s=LAUNCH_TIMEOUT_S,
            on_tick=self._on_tick,
        )
        self._launches += 1
        record = launched.record
        if record.outcome != "ok" or record.invalid:
            reason = record.detail or f"wrong bytes arrived in {record.invalid[0].case}"
            raise StackError(f"Our C program failed on stack '{self._stack.name}': {reason}.\n{record.stderr_tail}")
        return launched

    def _netpipe_times(self) -> dict[int, float]:
        written = self._folder / "np.out"
        written.unlink(missing_ok=True)
        ended = run_tree(
            mpiexec_command(self._stack, RANKS, self._netpipe, processors=self._setting.processors),
            environment=self._stack.variables(),
            timeout_s=LAUNCH_TIMEOUT_S,
            output=self._folder / "netpipe.txt",
            on_tick=self._on_tick,
            folder=self._folder,
        )
        if ended.exit_code != 0 or not written.is_file():
            how = "did not end in time" if ended.timed_out else f"ended with {ended.exit_code}"
            raise StackError(f"NetPIPE {how} on stack '{self._stack.name}'; it said last:\n{ended.tail}")
        return netpipe_times(written.read_text())


def netpipe_command(stack: Stack, sizes: Sequence[int], output: Path, *, as_shipped: bool) -> list[str]:
    """NetPIPE's own command line: a ping-pong over the range of the sizes, without their neighbours.

    Raises:
        UsageError: the stack is not the machine's own, or of a family without a NetPIPE.
        BuildError: NetPIPE is not installed.
    """
    if stack.origin != "system" or stack.family not in PROGRAMS:
        raise UsageError(
            f"Debian's NetPIPE is linked with Debian's MPI, and '{stack.name}' is another: "
            "make a stack of it with 'polympi stack add system'."
        )
    program, package = PROGRAMS[stack.family]
    if (path := shutil.which(program)) is None:
        raise BuildError(f"There is no '{program}': install it with 'apt install {package}'.")
    distance = -(-max(sizes) // ALIGNMENT) * ALIGNMENT
    two_buffers = [] if as_shipped else ["-O", f"0,{distance}"]
    # NetPIPE ends below its upper limit, not at it.
    return [path, "-p", "0", "-l", str(min(sizes)), "-u", str(max(sizes) + 1), *two_buffers, "-o", str(output)]


def netpipe_times(text: str) -> dict[int, float]:
    """Time of a message in ns by size, from NetPIPE's file: computed from the rate, which has more digits."""
    rows = read_netpipe(text, "np.out").rows.drop_nulls("mb_per_s")
    return {size: size / mb_per_s * 1e3 for size, mb_per_s in rows.select("size_bytes", "mb_per_s").iter_rows()}


def fastest_batches(cases: Mapping[int, PlannedCase], batches: Mapping[int, Sequence[int]]) -> dict[int, float]:
    """Time of a message in ns by size, in the fastest batch of a launch; NetPIPE reports its trials so."""
    return {
        cases[n].size_bytes: min(times) / cases[n].iterations / BENCHMARKS[cases[n].benchmark].operations(cases[n].mode)
        for n, times in batches.items()
    }


def compare(raw: pl.DataFrame) -> list[Row]:
    """Compare the tools at the sizes that both measured in every round.

    Args:
        raw: columns as in :data:`RAW_SCHEMA`.

    Returns:
        A row a size, ascending.
    """
    times = {
        tool: {
            size: dict(zip(group["round"].to_list(), group["time_ns"].to_list(), strict=True))
            for (size,), group in raw.filter(tool=tool).group_by("size_bytes")
        }
        for tool in (OURS, NETPIPE)
    }
    return [_row(size, times[OURS][size], times[NETPIPE][size]) for size in common_sizes(raw)]


def common_sizes(raw: pl.DataFrame) -> list[int]:
    """The sizes that both tools measured in every round, ascending."""
    rounds = raw["round"].n_unique()
    counts = raw.group_by("size_bytes").agg(launches=pl.struct("round", "tool").n_unique())
    return counts.filter(pl.col("launches") == 2 * rounds)["size_bytes"].sort().to_list()


def _row(size: int, ours: Mapping[int, float], netpipe: Mapping[int, float]) -> Row:
    effect = paired_effect([ours[r] for r in sorted(ours)], [netpipe[r] for r in sorted(ours)])
    if effect.log_ratio is None:
        raise StackError(f"A time of {format_size(size)} is zero: the clock does not tell anything here.")
    interval = effect.log_interval
    return Row(
        size_bytes=size,
        ours_ns=statistics.median(ours.values()),
        netpipe_ns=statistics.median(netpipe.values()),
        ratio=math.exp(effect.log_ratio),
        low=None if interval is None else math.exp(interval.low),
        high=None if interval is None else math.exp(interval.high),
    )


def conclusion(rows: Sequence[Row], stack: str, rounds: int) -> str:
    """The result in one sentence."""
    off = max(rows, key=lambda row: abs(math.log(row.ratio)))
    within = sum(row.within for row in rows)
    verdict = "the target is met" if within == len(rows) else "the target is MISSED"
    return (
        f"On stack {stack}, over {count(rounds, 'round')}, our C program is within {MOST:.0%} of NetPIPE at {within} "
        f"of {len(rows)} sizes from {format_size(rows[0].size_bytes)} to {format_size(rows[-1].size_bytes)}; it "
        f"differs most at {format_size(off.size_bytes)}, by {off.ratio - 1:+.1%}: {verdict}."
    )


def without_huge_pages() -> None:
    """Forbid huge pages to everything that this process starts from now on.

    Raises:
        StackError: the kernel does not do it.
    """
    if ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
        raise StackError("This kernel cannot forbid huge pages to a process: compare with --as-shipped.")


def main(
    *,
    stack: StackName = "system",
    rounds: Annotated[int, typer.Option(min=1, metavar="N", help="Launches of each; 6 or more for intervals.")] = 10,
    sizes: Annotated[str, typer.Option(metavar="SIZES", help="Message sizes; powers of two.")] = "1:1MiB",
    csv: CsvFile = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the random orders.")] = None,
    as_shipped: Annotated[
        bool, typer.Option("--as-shipped", help="NetPIPE with one buffer, and pages as each tool gets them.")
    ] = False,
) -> None:
    """Compare our C program with NetPIPE 3 from Debian; exits with 1 if a size differs by more than 5 %.

    Both are launched once a round, in random order. Each gives its fastest of three batches, as NetPIPE does.
    Both have two buffers and small pages. The times mean something only if nothing else is running.
    """
    refuse_existing(csv)
    chosen = get_stack(stack)
    if not as_shipped:
        without_huge_pages()
    figures: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder, stop_on_signals() as asked_to_stop:

        def look_up() -> None:
            if asked_to_stop():
                raise typer.Exit(INTERRUPTED)

        contest = Contest(
            chosen, parse_sizes(sizes), choose_seed(seed), Path(folder), as_shipped=as_shipped, on_tick=look_up
        )
        for number in range(rounds):
            say(f"round {number + 1} of {rounds}")
            figures += contest.round(number)
    raw = pl.DataFrame(figures, schema=RAW_SCHEMA)
    keep_raw(raw, csv)
    rows = compare(raw)
    if not rows:
        raise UsageError(f"NetPIPE measures none of the sizes '{sizes}': start at a power of two.")
    results.print(_table(rows, chosen, as_shipped))
    results.print(conclusion(rows, stack, rounds), soft_wrap=True)
    if not all(row.within for row in rows):
        raise typer.Exit(MISSED)


def _table(rows: Sequence[Row], stack: Stack, as_shipped: bool) -> Table:
    how = "buffers and pages as shipped" if as_shipped else "two buffers, small pages"
    table = Table(title=f"{BENCH} on {stack.library}\nfastest of {TRIALS} batches of {TRIAL_NS / 1e9:.1f} s; {how}")
    for heading in ("size", "polympi", "NetPIPE", "difference", "95 % interval", ""):
        table.add_column(heading, justify="right" if heading else "left")
    for row in rows:
        interval = "–" if row.low is None or row.high is None else f"{row.low - 1:+.1%} .. {row.high - 1:+.1%}"
        table.add_row(
            format_size(row.size_bytes),
            format_ns(row.ours_ns),
            format_ns(row.netpipe_ns),
            f"{row.ratio - 1:+.1%}",
            interval,
            "within" if row.within else "OUTSIDE",
        )
    return table


if __name__ == "__main__":
    run_command(main)
