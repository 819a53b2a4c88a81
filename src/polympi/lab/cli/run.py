"""``polympi run``: measure, print the table, write the report."""

from pathlib import Path
from typing import Annotated

import typer

from polympi.lab.cli.names import (
    complete_benches,
    complete_bindings,
    complete_pages,
    complete_placements,
    complete_profiles,
    complete_results,
    complete_scalings,
    complete_stacks,
    complete_studies,
    complete_tools,
)
from polympi.lab.cli.options import (
    HOW_LONG,
    OUTPUT,
    WHAT,
    WHERE,
    BindingFolders,
    ByNetwork,
    CarryFiles,
    Launcher,
    LauncherArguments,
    Variables,
)
from polympi.lab.plan.placement_names import MEANINGS
from polympi.lab.plan.profiles import LONGER_ONLY, PROFILES, USUAL_PROFILE
from polympi.lab.plan.studies import STUDIES

_PROFILES_HELP = "; ".join(f"[bold]{p.name}[/]: {p.summary}" for p in PROFILES.values())

_PLACEMENTS_HELP = "; ".join(f"[bold]{name}[/]: {meaning}" for name, meaning in MEANINGS.items())

_STUDIES_HELP = "; ".join(f"[bold]{s.name}[/]: {s.summary}" for s in STUDIES.values())


def run(
    binding: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Bindings to compare with C; 'all' for all that are ready on this machine. Default: those marked by "
            "'polympi list'.",
            autocompletion=complete_bindings,
            rich_help_panel=WHAT,
        ),
    ] = None,
    bench: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Benchmarks, or patterns such as 'latency/ready*/bytes'. Default: all; the profile quick leaves out "
            f"{', '.join(LONGER_ONLY)}. 'wave' also measures a triad of C, which shows what memory allows.",
            autocompletion=complete_benches,
            rich_help_panel=WHAT,
        ),
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Third-party benchmarks to launch in the same blocks as C: NetPIPE, osu_latency, ...; 'all' for "
            "those on PATH and in $POLYMPI_TOOLS, 'none'. Default: none, or all with '--binding all'.",
            autocompletion=complete_tools,
            rich_help_panel=WHAT,
        ),
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"A question with its bindings, benchmarks, sizes and section of the report: {_STUDIES_HELP}. "
            "Other options still apply: --binding, --bench and --sizes replace those of the study.",
            autocompletion=complete_studies,
            rich_help_panel=WHAT,
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Message sizes: 1:4MiB (powers of two), 8,1KiB,64KiB, or 'netpipe' (powers of two up to 4 MiB and 3 "
            "bytes more and less, for alignment and switches of protocol).",
            rich_help_panel=WHAT,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="'NAME: VARIABLE=VALUE ...'",
            help="Also measure everything with this setting, in the same blocks as without it: environment variables "
            "and launcher arguments (-...), under a name. The report shows what it costs or gains. "
            "'audit' alone: with every rank recorded, as polympi audit does. "
            "May be given several times.",
            rich_help_panel=WHAT,
        ),
    ] = None,
    pages: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The pages of message buffers: [bold]huge[/], if the kernel has any, or [bold]plain[/], which any "
            "program gets by default. Default: huge.",
            autocompletion=complete_pages,
            rich_help_panel=WHAT,
        ),
    ] = None,
    bindings_from: BindingFolders = None,
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="Stacks to measure on. Default: all that are installed.",
            autocompletion=complete_stacks,
            rich_help_panel=WHERE,
        ),
    ] = None,
    ranks: Annotated[
        str | None,
        typer.Option(
            metavar="N,...",
            help="Ranks per launch. With several numbers, such as 1,2,4, everything is measured with each, and "
            "the report shows how applications scale. Default: 2.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    scaling: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With several numbers of ranks: [bold]strong[/], the same problem for all of them, or [bold]weak[/], "
            "a problem that grows with the ranks, so that the work per rank stays the same; sizes are then those of "
            "one rank. Default: strong.",
            autocompletion=complete_scalings,
            rich_help_panel=WHERE,
        ),
    ] = None,
    placement: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help=f"Measure everything with ranks placed this way, in the same blocks: {_PLACEMENTS_HELP}. "
            "With several, the others are compared with the first. Default: where the launcher puts them.",
            autocompletion=complete_placements,
            rich_help_panel=WHERE,
        ),
    ] = None,
    hostfile: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Hosts, in the launcher's format; they must see the result directory unless --carry-files is given. "
            "'polympi cluster up' makes some on this machine.",
            rich_help_panel=WHERE,
        ),
    ] = None,
    launcher: Launcher = None,
    launcher_args: LauncherArguments = None,
    env: Variables = None,
    by_network: ByNetwork = False,
    carry_files: CarryFiles = False,
    profile: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"{_PROFILES_HELP}. Default: {USUAL_PROFILE}.",
            autocompletion=complete_profiles,
            rich_help_panel=HOW_LONG,
        ),
    ] = None,
    time_limit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Stop measuring after this time (90s, 10m); complete blocks are reported.",
            rich_help_panel=HOW_LONG,
        ),
    ] = None,
    launch_timeout: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Time after which a launch counts as hung (90s, 5m), for slow or busy machines. Default: by "
            "profile and ranks, at least 30 s.",
            rich_help_panel=HOW_LONG,
        ),
    ] = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait", help="If another run is measuring on this machine, wait for it to end.", rich_help_panel=HOW_LONG
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Show what would be measured and how long it would take; do nothing.",
            rich_help_panel=HOW_LONG,
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Result directory, new. Default: polympi-run-DATE-TIME.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Continue the run in this result directory, as it was begun.",
            autocompletion=complete_results,
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Seed of all random orders. Default: a new one, recorded.", rich_help_panel=OUTPUT
        ),
    ] = None,
) -> None:
    """Compare MPI bindings with C on this machine, and write a report.

    Every binding is launched once in each block, in an order that changes; C is launched twice, which shows the noise.
    Ctrl-C stops cleanly: what was measured is kept and reported, and --resume continues.

    Exit codes: 0 measured; 1 C or a binding failed and was left out; 2 the request is impossible; 130 interrupted.
    """
    given = dict(locals())  # the options: all but three of them say what to measure
    from polympi.lab.cli.asked import Asked
    from polympi.lab.cli.running import begin, go_on, preview_run

    asked = Asked(**{name: value for name, value in given.items() if name not in ("resume", "dry_run", "wait")})
    if resume is not None:
        go_on(resume, asked, wait=wait, dry_run=dry_run)
    elif dry_run:
        preview_run(asked)
    else:
        begin(asked, wait=wait)
