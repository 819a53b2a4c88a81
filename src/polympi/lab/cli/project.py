"""``polympi project``: what measured costs become with more ranks, on another network."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polympi.lab.cli.names import complete_results

if TYPE_CHECKING:
    from polympi.lab.projection.against import Miss
    from polympi.lab.projection.model import Projection
    from polympi.lab.statistics.model import Analysis

_USUAL_RANKS = "64,256,1024"
_USUAL_NETWORK = "gigabit"


def project(
    directory: Annotated[
        Path,
        typer.Argument(
            metavar="DIR",
            help="A result directory of 'polympi run' with the ping-pong latency/standard in two sizes or more.",
            autocompletion=complete_results,
        ),
    ],
    ranks: Annotated[
        str | None, typer.Option(metavar="N,...", help=f"How many. Default: {_USUAL_RANKS}.", show_default=False)
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE|DIR",
            help="[bold]gigabit[/], [bold]100g[/], a TOML file, or the result directory of a run over two hosts, whose "
            f"ping-pong and window of C describe the network. Default: {_USUAL_NETWORK}; with --against, that run.",
            show_default=False,
        ),
    ] = None,
    ranks_per_node: Annotated[
        int | None, typer.Option(metavar="N", help="Ranks that share a node. Default: the network's.")
    ] = None,
    binding: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Arms to project. Default: all bindings of the run.")
    ] = None,
    stack: Annotated[str | None, typer.Option(metavar="NAME,...", help="Stacks. Default: all of the run.")] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR2",
            help="A run over several hosts: project what it measured, on as many ranks, and report the error.",
            autocompletion=complete_results,
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write. Default: a folder in DIR.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a projection that is there.")] = False,
) -> None:
    """Project what bindings cost with more ranks, on another network: measured costs, simulated with SimGrid SMPI.

    Writes projection.html, .md, .csv and .json. Exit code 1: with --against, a figure missed by more than 25 %.
    """
    from polympi.lab.cli.arguments import split_list
    from polympi.lab.cli.console import results, say
    from polympi.lab.errors import UsageError
    from polympi.lab.projection.against import measured_cases
    from polympi.lab.projection.network import get_network
    from polympi.lab.projection.project import Request, shared_memory
    from polympi.lab.projection.project import project as simulate
    from polympi.lab.projection.store import make_folder, usual_folder
    from polympi.lab.report.projection.terminal import print_against, print_projection
    from polympi.lab.report.projection.write import write_projection
    from polympi.lab.samples.store import RunDirectory
    from polympi.lab.statistics.analysis import analyse

    if against is not None and ranks is not None:
        raise UsageError("--ranks cannot be given with --against, whose run says how many ranks there are.")
    if ranks_per_node is not None and ranks_per_node < 1:
        raise UsageError(f"--ranks-per-node {ranks_per_node} is impossible: give 1 or more.")
    found = get_network(network or (_USUAL_NETWORK if against is None else str(against)))
    folder = output or usual_folder(directory, found.name if against is None else f"against-{against.name}")
    analysis = analyse(RunDirectory.open(directory))
    measured = None if against is None else analyse(RunDirectory.open(against))
    request = Request(
        run=directory.name or str(directory.resolve().name),
        ranks=_numbers(ranks or _USUAL_RANKS) if measured is None else [measured.run.ranks],
        network=found,
        bindings=[] if binding is None else split_list(binding, "--binding"),
        stacks=[] if stack is None else split_list(stack, "--stack"),
        ranks_per_node=ranks_per_node,
        cases=[] if measured is None else measured_cases(measured),
        command=list(sys.argv),
    )
    make_folder(folder, force=force)
    try:
        projection = simulate(analysis, request, say)
    except BaseException:
        with contextlib.suppress(OSError):
            folder.rmdir()  # unless it holds an older projection
        raise
    compared = [] if measured is None else _compared(projection, measured, against, found)
    if measured is None:
        print_projection(projection, results)
    else:
        print_against(compared, results)
    for path in write_projection(projection, folder, compared):
        results.print(str(path), markup=False, soft_wrap=True)
    if any(not one.within and not one.given for one in compared):
        if shared_memory(analysis):
            say(
                "The costs of bindings were measured through shared memory. A run whose messages go over the network "
                "predicts a network better: 'polympi run --by-network'."
            )
        raise typer.Exit(1)


def _compared(projection: Projection, measured: Analysis, against: Path | None, network: object) -> list[Miss]:
    from polympi.lab.projection.against import misses

    described = isinstance(network, Path) and against is not None and network.resolve() == against.resolve()
    return misses(projection, measured, described)


def _numbers(text: str) -> list[int]:
    from polympi.lab.cli.arguments import split_list
    from polympi.lab.errors import UsageError

    words = split_list(text, "--ranks")
    if not all(word.isdecimal() for word in words):
        raise UsageError(f"--ranks {text} is not possible: write numbers, as 64,256,1024.")
    return sorted({int(word) for word in words})
