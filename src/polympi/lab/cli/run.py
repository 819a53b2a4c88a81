"""``polympi run``: measure, print the table, write the report."""

from __future__ import annotations

import datetime
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from polympi.lab.cli.arguments import (
    BindingFolders,
    choose_ranks,
    choose_seed,
    choose_stacks,
    known_bindings,
    split_list,
)
from polympi.lab.cli.console import errors, results, say
from polympi.lab.cli.display import LiveDisplay, PlainDisplay
from polympi.lab.cli.exit_codes import INTERRUPTED, NOT_ALL_MEASURED
from polympi.lab.cli.stopping import stop_on_signals
from polympi.lab.environment.findings import environment_findings
from polympi.lab.environment.record import record_environment
from polympi.lab.errors import UsageError
from polympi.lab.plan.profiles import PROFILES, get_profile
from polympi.lab.report import write_report
from polympi.lab.report.terminal import print_summary
from polympi.lab.run.experiment import Experiment, record
from polympi.lab.run.request import Request, prepare
from polympi.lab.samples.records import Outcome
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.describe import describe
from polympi.lab.statistics.analysis import analyse
from polympi.lab.units import format_duration, parse_duration, parse_sizes

_PROFILES_HELP = "; ".join(f"[bold]{p.name}[/]: {p.summary}" for p in PROFILES.values())


def run(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result directory, new. Default: polympi-run-DATE-TIME."),
    ] = None,
    stack: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Stacks to measure on. Default: all that are installed."),
    ] = None,
    binding: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Bindings to compare with C. Default: those 'polympi list' marks."),
    ] = None,
    bench: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Benchmarks, or patterns such as 'latency/ready*/bytes'. Default: all."),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(metavar="SIZES", help="Message sizes: 1:4MiB (powers of two) or 8,1KiB,64KiB."),
    ] = None,
    ranks: Annotated[int, typer.Option(metavar="N", help="Ranks of a launch.")] = 2,
    profile: Annotated[str, typer.Option(metavar="NAME", help=_PROFILES_HELP)] = "quick",
    hostfile: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Hosts, in the launcher's format; they must see the result directory."),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Stop measuring after this time (90s, 10m); what is complete is reported."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Seed of all random orders. Default: a new one, recorded.")
    ] = None,
    bindings_from: BindingFolders = None,
) -> None:
    """Compare MPI bindings with C on this machine, and write a report.

    Every binding is launched once in each block, in an order that changes; C takes part twice, which shows the noise.
    Ctrl-C stops cleanly: what was measured is kept and reported.

    Exit codes: 0 measured; 1 a binding failed and was left out; 2 the request is impossible; 130 interrupted.
    """
    bindings = known_bindings(bindings_from)
    request = Request(
        output=output or Path(f"polympi-run-{datetime.datetime.now():%Y%m%d-%H%M%S}"),
        profile=get_profile(profile),
        sizes=None if sizes is None else parse_sizes(sizes),
        ranks=choose_ranks(ranks),
        time_limit_s=None if time_limit is None else parse_duration(time_limit),
        stacks=choose_stacks(stack, bindings),
        bindings=bindings,
        wanted=None if binding is None else split_list(binding, "--binding"),
        benches=[] if bench is None else split_list(bench, "--bench"),
        seed=choose_seed(seed),
        hostfile=hostfile,
        command=["polympi", *(os.fsencode(word).decode(errors="replace") for word in sys.argv[1:])],
    )
    directory, outcome = measure(request)
    if not any(outcome.blocks.values()) and outcome.ended == "time limit":
        raise UsageError(f"The time limit of {time_limit} ended before the first block was complete: give it more.")
    if not any(outcome.blocks.values()):
        errors.print(
            f"polympi: stopped before the first block was complete; '{directory.path}' holds what there is.",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(INTERRUPTED)
    analysis = analyse(directory)
    written = write_report(analysis, directory.path, ["csv", "html"])
    print_summary(analysis, results)
    for path in written:
        results.print(f"{path.name.rpartition('.')[2]:>4}  {path}", markup=False, soft_wrap=True)
    if outcome.ended == "interrupted":
        raise typer.Exit(INTERRUPTED)
    if outcome.withdrawn:
        raise typer.Exit(NOT_ALL_MEASURED)


def measure(request: Request) -> tuple[RunDirectory, Outcome]:
    """Carry out a request, telling on standard error how it goes; a signal ends it in order.

    Args:
        request: what to measure.

    Raises:
        LabError: it cannot be carried out, as :func:`~polympi.lab.run.request.prepare` and
            :meth:`~polympi.lab.run.experiment.Experiment.run` say.
    """
    environment = record_environment(command=list(request.command))  # before our own builds raise the load
    say(f"preparing {', '.join(stack.name for stack in request.stacks)}")
    plans = prepare(request)
    for plan in plans:
        for name, reason in plan.left_out.items():
            say(f"{name} is left out on {plan.stack.name}: {reason}")
    environment["stacks"] = {stack.name: describe(stack) for stack in request.stacks}
    ranks_here = request.ranks if request.hostfile is None else 1  # how many come here, the host file does not tell us
    environment["findings"] = environment_findings(environment, ranks_here)
    directory = RunDirectory.create(request.output, record(request, plans), environment)
    for finding in environment["findings"]:
        if finding["level"] == "warning":
            errors.print(f"! {finding['title']}: {finding['text']} {finding['advice']}", style="yellow", markup=False)
    watcher = LiveDisplay(errors) if errors.is_terminal else PlainDisplay(errors)
    with stop_on_signals() as asked_to_stop:
        experiment = Experiment(
            request,
            plans,
            directory,
            processors=len(os.sched_getaffinity(0)),
            watcher=watcher,
            asked_to_stop=asked_to_stop,
        )
        if isinstance(watcher, LiveDisplay):
            with watcher:
                outcome = experiment.run()
        else:
            outcome = experiment.run()
    say(_ending(outcome, directory))
    return directory, outcome


def _ending(outcome: Outcome, directory: RunDirectory) -> str:
    seconds = sum(launch.wall_ns for launch in directory.launches()) / 1e9
    blocks = ", ".join(f"{blocks} blocks on {stack}" for stack, blocks in outcome.blocks.items())
    return f"{outcome.ended}: {blocks}, {format_duration(seconds)} of launches"
