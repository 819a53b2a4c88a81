"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

# The groups in which --help lists the options of a run.
WHAT = "What is measured"
WHERE = "Where, and how ranks are launched"
HOW_LONG = "How long"
OUTPUT = "Results"

BindingFolders = Annotated[
    list[Path] | None,
    typer.Option(
        "--bindings-from",
        metavar="DIR",
        help="A folder of further bindings (also $POLYMPI_BINDINGS).",
        rich_help_panel=WHAT,
    ),
]
Launcher = Annotated[
    str | None,
    typer.Option(
        "--launcher",
        metavar="COMMAND",
        help="What starts ranks instead of the stack's mpiexec: 'srun', an mpiexec, or a template of any other, such "
        "as 'jsrun -n {ranks} --rs_per_host {ranks_per_host} {program}' (docs/on-your-cluster.md).",
        rich_help_panel=WHERE,
    ),
]
LauncherArguments = Annotated[
    str | None,
    typer.Option(
        "--launcher-args",
        metavar="ARGUMENTS",
        help="Further arguments of the launcher, in its own words: '--bind-to core --map-by socket'.",
        rich_help_panel=WHERE,
    ),
]
Variables = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME[=VALUE]",
        help="A variable for the ranks, with this value or the one it has here; may be given several times.",
        rich_help_panel=WHERE,
    ),
]
ByNetwork = Annotated[
    bool,
    typer.Option(
        "--by-network",
        help="Ranks of one host also send over the network, as ranks on several hosts do, instead of through shared "
        "memory: 'polympi project' predicts a network best from such a run.",
        rich_help_panel=WHERE,
    ),
]
CarryFiles = Annotated[
    bool,
    typer.Option(
        "--carry-files",
        help="Send plan and samples with each launch, for hosts that do not see the result directory. They must have "
        "the stack and the programs in the same place.",
        rich_help_panel=WHERE,
    ),
]
