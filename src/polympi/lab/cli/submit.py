"""``polympi submit``: a run as a job of a batch system."""

from pathlib import Path
from typing import Annotated

import typer

from polympi.lab.cli.names import complete_jobs, complete_schedulers


def submit(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- run ...", help="A run as it would be typed, after '--'.", show_default=False),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="[bold]slurm[/], [bold]pbs[/] or [bold]lsf[/]; of these, jobs of Slurm are followed. "
            "Default: the one whose command (sbatch, bsub, qsub) is on PATH.",
            autocompletion=complete_schedulers,
        ),
    ] = None,
    nodes: Annotated[
        int, typer.Option(metavar="N", help="Hosts, for this job alone. Default: 2.", show_default=False)
    ] = 2,
    time: Annotated[
        str, typer.Option(metavar="TIME", help="Time limit of the job: 90s, 30m, 2h. Default: 30m.", show_default=False)
    ] = "30m",
    partition: Annotated[str | None, typer.Option(metavar="NAME", help="Partition or queue.")] = None,
    account: Annotated[str | None, typer.Option(metavar="NAME", help="Account or project.")] = None,
    directive: Annotated[
        list[str] | None,
        typer.Option(
            "--directive",
            metavar="WORDS",
            help="A further line of options for the scheduler, in its own words, such as '--constraint=haswell'; may "
            "be given several times.",
        ),
    ] = None,
    start_within: Annotated[
        str | None,
        typer.Option("--start-within", metavar="TIME", help="Cancel the job if it has not begun after this time."),
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Submit the job without following it.")] = False,
    follow: Annotated[
        Path | None,
        typer.Option(metavar="DIR.job", help="Follow a job that was submitted before.", autocompletion=complete_jobs),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the batch script; submit nothing.")] = False,
) -> None:
    """Measure in a job of a batch system: write its script, submit it, follow it, and say where the result is.

    Ctrl-C stops following and leaves the job running.

    Exit codes: that of the run; 130: the job was ended; 128 + N: by signal.
    """
    from polympi.lab.cli.submitting import Wanted, follow_again, submit_run

    if follow is not None:
        follow_again(follow, command or [], start_within=start_within)
        return
    submit_run(
        Wanted(
            command=command or [],
            scheduler=scheduler,
            nodes=nodes,
            time=time,
            partition=partition,
            account=account,
            directives=directive or [],
            start_within=start_within,
        ),
        dry_run=dry_run,
        detach=detach,
    )
