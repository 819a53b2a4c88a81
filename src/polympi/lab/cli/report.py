"""``polympi report``: the report of a result directory, in any of its forms."""

import inspect
from pathlib import Path
from typing import Annotated

import typer

from polympi.lab.cli.names import complete_results
from polympi.lab.errors import ResultError, UsageError
from polympi.lab.report.exporters import EXPORTERS, OF_A_BINDING, PAGE, TEXT


def report(
    directory: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A result directory of 'polympi run'.", autocompletion=complete_results),
    ],
    binding: Annotated[
        str, typer.Option(metavar="NAME", help="A page about one binding next to C: report-NAME.html (or .md).")
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Also replace reports that polympi did not make, or that have more figures.")
    ] = False,
    **chosen: bool,
) -> None:
    """Print the summary of a run and write its report (HTML unless another form is asked for)."""
    from polympi.lab.cli.console import results
    from polympi.lab.conclusions.gaps import failures
    from polympi.lab.report.exporters import write_report
    from polympi.lab.report.terminal import print_summary
    from polympi.lab.samples.store import RunDirectory
    from polympi.lab.statistics.analysis import analyse
    from polympi.lab.statistics.one_binding import about

    formats = [name for name in EXPORTERS if chosen[_parameter(name)]] or ["html"]
    if binding and (other := next((name for name in formats if name not in OF_A_BINDING), None)):
        raise UsageError(f"--{other} is made of all bindings: leave out --binding, or choose --html or --markdown.")
    analysis = analyse(RunDirectory.open(directory))
    if binding:
        analysis = about(analysis, binding)
    if analysis.summary.is_empty() and any((directory / name).exists() for name in (PAGE, TEXT)):
        why = " ".join(failures(analysis)) or "It has no launch that ended well."
        raise ResultError(f"Nothing of the run in '{directory}' can be used, so that its report stays as it is. {why}")
    written = write_report(analysis, directory, formats, force=force)
    print_summary(analysis, results)
    for path in written:
        results.print(str(path), markup=False, soft_wrap=True)


def _parameter(name: str) -> str:
    return name.replace("-", "_")


def _with_an_option_each() -> inspect.Signature:
    """The signature of :func:`report` with an option for each form in the place of ``chosen``."""
    signature = inspect.signature(report, eval_str=True)
    directory, binding, force, _ = signature.parameters.values()
    forms = [
        inspect.Parameter(
            _parameter(name),
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=False,
            annotation=Annotated[bool, typer.Option(f"--{name}", help=exporter.summary)],
        )
        for name, exporter in EXPORTERS.items()
    ]
    return signature.replace(parameters=[directory, binding, *forms, force])


report.__signature__ = _with_an_option_each()  # type: ignore[attr-defined]
