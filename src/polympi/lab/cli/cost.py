"""``polympi cost``: what the time of a binding's calls consists of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polympi.lab.cli.names import complete_benches, complete_bindings, complete_installed_stack, complete_results
from polympi.lab.cli.options import BindingFolders

if TYPE_CHECKING:
    from polympi.lab.demand.split import Split
    from polympi.lab.run.request import Request
    from polympi.lab.samples.store import RunDirectory

# Of the ping-pong: between them, a message of another size takes what a straight line says.
_SIZES = (0, 8, 64, 512, 4096, 65536, 2**18)


def cost(
    binding: Annotated[
        str, typer.Argument(metavar="BINDING", help="Which one, or several: A,B.", autocompletion=complete_bindings)
    ],
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The stack to measure on. Default: the first installed.",
            autocompletion=complete_installed_stack,
        ),
    ] = None,
    benchmark: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Benchmarks, or patterns such as 'object/*/map'. Default: the standard ping-pong of every payload.",
            autocompletion=complete_benches,
        ),
    ] = None,
    of: Annotated[
        Path | None,
        typer.Option(
            "--of",
            metavar="DIR",
            help="Take the times of this run instead of measuring; all profiles but glance record what is needed.",
            autocompletion=complete_results,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Result directory, new. Default: polympi-cost-DATE-TIME."),
    ] = None,
    bindings_from: BindingFolders = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="If another run is measuring on this machine, wait for it to end.")
    ] = False,
) -> None:
    """Split the time of a binding's calls: MPI, what it sends in addition, and its own work.

    Measures the binding next to C in interleaved launches, and records in one more launch what it asks of MPI.
    Where valgrind is installed, counts the instructions that it executes outside MPI, too; where py-spy is, draws a
    flame graph of a Python binding.
    Writes the report of the run, cost.csv and cost.json.
    """
    from polympi.lab.cli.arguments import split_list
    from polympi.lab.cli.console import results
    from polympi.lab.conclusions.demands import splits
    from polympi.lab.errors import ResultError
    from polympi.lab.report.cost.files import write_cost
    from polympi.lab.report.cost.terminal import print_cost
    from polympi.lab.report.exporters import write_report
    from polympi.lab.samples.store import RunDirectory
    from polympi.lab.statistics.analysis import analyse

    names = split_list(binding, "BINDING")
    if of is None:
        request = _request(names, stack, benchmark, output, bindings_from or [])
        directory = _measured(request, wait=wait)
    else:
        directory = RunDirectory.open(of)
    analysis = analyse(directory)
    found = [one for one in splits(analysis) if one.binding in names and stack in (None, one.stack)]
    if not found:
        raise ResultError(
            f"'{directory.path}' has no case of {binding} that was both timed and recorded: the report says what went "
            "wrong; the profile glance records nothing."
        )
    if of is None:
        _count(directory, request, found)
    counts = directory.instructions()
    print_cost(analysis, found, counts, results)
    written = write_cost(analysis, found, counts, directory.path)
    if of is None:
        written += [*_draw(directory, request, found), *write_report(analysis, directory.path, ["csv", "html"])]
    for path in written:
        results.print(str(path), markup=False, soft_wrap=True)


def _request(
    names: list[str], stack: str | None, benchmark: str | None, output: Path | None, folders: list[Path]
) -> Request:
    """Quick blocks of few cases, and the arms of C that tell one way of calling MPI from another."""
    import datetime
    import os
    import sys
    from dataclasses import replace

    from polympi.lab.arms import AGAIN, REFERENCE
    from polympi.lab.bindings.manifest import load_bindings
    from polympi.lab.cli.arguments import choose_seed, choose_stacks, split_list
    from polympi.lab.demand.split import MULTIPLE, PING_PONG, POLLING
    from polympi.lab.errors import UsageError
    from polympi.lab.plan.profiles import get_profile
    from polympi.lab.run.request import NO_TOOL, Request, check

    if of_c := {REFERENCE, AGAIN} & set(names):
        raise UsageError(f"'{min(of_c)}' is C, with which bindings are compared: choose a binding of 'polympi list'.")
    ping_pong = "/".join(PING_PONG)
    asked = ["latency/standard/*"] if benchmark is None else split_list(benchmark, "--benchmark")
    quick = get_profile("quick")
    request = Request(
        output=output or Path(f"polympi-cost-{datetime.datetime.now():%Y%m%d-%H%M%S}"),
        profile=replace(quick, sizes=_SIZES, events=20),
        stacks=(),
        bindings=load_bindings(folders),
        wanted=[*names, MULTIPLE, POLLING],
        benches=list(dict.fromkeys([*asked, ping_pong])),
        sizes=None,
        ranks=[2],
        tools=[NO_TOOL],
        seed=choose_seed(None),
        command=["polympi", *(os.fsencode(word).decode(errors="replace") for word in sys.argv[1:])],
        bindings_from=folders,
    )
    check(request)
    return replace(request, stacks=choose_stacks(stack, one=True))


def _measured(request: Request, *, wait: bool) -> RunDirectory:
    from polympi.lab.cli.console import say, say_home
    from polympi.lab.cli.display import ending, shown
    from polympi.lab.run.measure import measure
    from polympi.lab.run.reachable import check_names
    from polympi.lab.stacks.recovery import undo_broken_off

    say_home()
    undo_broken_off(say)
    check_names(request)
    with shown() as watcher:
        measured = measure(request, watcher=watcher, wait=wait)
    say(ending(measured))
    return measured.directory


def _count(directory: RunDirectory, request: Request, splits: list[Split]) -> None:
    """Count the instructions of the bindings and of C in the cases that were split, and say what was not counted."""
    from polympi.lab.arms import REFERENCE
    from polympi.lab.cli.console import say
    from polympi.lab.demand.instructions import count_instructions, countable, why_not_counted

    if why := why_not_counted():
        say(f"Instructions were not counted: {why}.")
        return
    counts = []
    for stack in request.stacks:
        for name in dict.fromkeys([REFERENCE, *(one.binding for one in splits)]):
            cases = countable(dict.fromkeys(one.case for one in splits if name in (REFERENCE, one.binding)))
            if not cases:
                continue
            say(f"counting the instructions of {name} on {stack.name}")
            counted = count_instructions(request.bindings[name], stack, cases)
            if counted.problem:
                say(f"The instructions of {name} on {stack.name} were not counted: {counted.problem.rstrip('.')}.")
            counts += counted.counts
    directory.write_instructions(counts)


def _draw(directory: RunDirectory, request: Request, splits: list[Split]) -> list[Path]:
    """Draw a flame graph of each binding, and say which was not drawn, and why."""
    from polympi.lab.catalogue import BENCHMARKS
    from polympi.lab.cli.console import say
    from polympi.lab.conclusions.demands import typical_split
    from polympi.lab.demand.flames import draw_flames, why_not_drawn

    drawn = []
    for stack in request.stacks:
        for name in dict.fromkeys(one.binding for one in splits):
            typical = typical_split([one for one in splits if one.binding == name])
            if typical is None:
                continue
            path = directory.path / f"flames-{name}-{stack.name}.svg"
            why = why_not_drawn(request.bindings[name])
            if not why:
                operations = BENCHMARKS[typical.case.benchmark].operations(typical.case.mode)
                why = draw_flames(request.bindings[name], stack, typical.case, typical.binding_ns * operations, path)
            if why:
                say(f"A flame graph of {name} on {stack.name} was not drawn: {why}.")
            else:
                drawn.append(path)
    return drawn
