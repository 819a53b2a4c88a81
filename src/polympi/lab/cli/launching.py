"""Options about what starts ranks, which 'polympi run' and 'polympi stack add' share."""

from typing import Annotated

import typer

Launcher = Annotated[
    str | None,
    typer.Option(
        "--launcher",
        metavar="COMMAND",
        help="What starts ranks in place of the stack's mpiexec: 'srun', an mpiexec, or a template of any other, such "
        "as 'jsrun -n {ranks} --rs_per_host {ranks_per_host} {program}' (docs/cluster.md).",
    ),
]
LauncherArguments = Annotated[
    str | None,
    typer.Option(
        "--launcher-args",
        metavar="ARGUMENTS",
        help="Further arguments of the launcher, in its own words: '--bind-to core --map-by socket'.",
    ),
]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME[=VALUE]",
        help="A variable of the ranks, with this value, or with the one it has here; may be given several times.",
    ),
]
ByNetwork = Annotated[
    bool,
    typer.Option(
        "--by-network",
        help="Ranks of one host send by the network's way, too, as ranks on several hosts do, and not by memory that "
        "they share: 'polympi project' foretells a network best from such a run.",
    ),
]
CarryFiles = Annotated[
    bool,
    typer.Option(
        "--carry-files",
        help="Plan and samples go with each launch: for hosts that do not see the result directory. They must have the "
        "stack and the programs at the same place.",
    ),
]
