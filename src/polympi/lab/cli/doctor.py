"""``polympi doctor``: what will not work on this machine or on several hosts, and what will distort figures."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from polympi.lab.bindings.build import build, why_not_ready
from polympi.lab.bindings.given import missing_sources
from polympi.lab.bindings.manifest import Binding, load_bindings
from polympi.lab.cli.console import results, say
from polympi.lab.cli.names import complete_stacks
from polympi.lab.environment.doctor import Check, check_tools, checks_json, diagnose, print_checks
from polympi.lab.errors import LabError
from polympi.lab.home import take_home
from polympi.lab.stacks.check import checked
from polympi.lab.stacks.recovery import undo_broken_off
from polympi.lab.stacks.stack import Stack, get_stack, installed_stacks


def doctor(
    hostfile: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check the hosts of a host file, and the network between them.")
    ] = None,
    stack: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...", help="Stacks to check. Default: all that are installed.", autocompletion=complete_stacks
        ),
    ] = None,
    directory: Annotated[
        Path | None,
        typer.Option(
            "--directory", metavar="DIR", help="Where results will be, which all hosts must see. Default: here."
        ),
    ] = None,
    ssh: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help="How hosts are reached, such as 'ssh -p 2222'. Default: ssh; srun in a job."
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Write the checks as JSON, with the metadata of the hosts.")
    ] = False,
) -> None:
    """Check the machine, the stacks and the bindings, or several hosts; each finding says what to try.

    Exit code 1 on a problem.
    """
    no_home = take_home()
    undo_broken_off(say)
    hosts: dict[str, Any] = {}
    names = None if stack is None else [name for name in stack.split(",") if name]
    if hostfile is None:
        _only_with_hosts({"--directory": directory, "--ssh": ssh})
        checks: Iterable[Check] = diagnose(_stack_checks(names))
    else:
        checks = _host_checks(hostfile, names, directory or Path.cwd(), ssh, hosts)
    done = []
    set_home = "Set it where you start programs yourself: export HOME=~"
    for check in chain([Check("HOME", "warning", no_home, set_home)] if no_home else [], checks):
        done.append(check)
        if not json:
            print_checks([check], results)
    if json:
        results.file.write(checks_json(done, **({"hosts": hosts} if hostfile else {})) + "\n")
    if any(check.status == "problem" for check in done):
        raise typer.Exit(1)


def _only_with_hosts(options: dict[str, object]) -> None:
    from polympi.lab.errors import UsageError

    for option, value in options.items():
        if value is not None:
            raise UsageError(f"{option} needs hosts: name them with --hostfile FILE.")


def _host_checks(
    hostfile: Path, names: list[str] | None, directory: Path, ssh: str | None, record: dict[str, Any]
) -> Iterator[Check]:
    """The checks of several hosts, after those of the tools here, where programs are built."""
    from polympi.lab.cluster.cluster import ClusterError
    from polympi.lab.cluster.hostfile import read_hostfile
    from polympi.lab.cluster.namespaces import why_not
    from polympi.lab.cluster.state import cluster_of
    from polympi.lab.run.request import check_hosts
    from polympi.lab.survey.doctor import diagnose_hosts
    from polympi.lab.survey.reach import unresolved, way_to

    check_hosts(hostfile)
    cluster = cluster_of(hostfile)
    if cluster is not None and ssh is None and (reason := why_not()):
        raise ClusterError(reason)
    reach = way_to(cluster, ssh)
    slots = read_hostfile(hostfile)
    nameless = unresolved(slots) if cluster is None and ssh is None else {}
    stacks = [get_stack(name) for name in (installed_stacks() if names is None else names)]
    yield from check_tools()
    if not stacks:
        yield _no_stack()
    yield from diagnose_hosts(
        slots, reach, stacks, directory.absolute(), cluster=cluster, nameless=nameless, say=say, record=record
    )


def _no_stack() -> Check:
    return Check("stacks", "warning", "No MPI stack is installed.", "polympi stack add mpich")


def _stack_checks(names: list[str] | None) -> Iterator[Check]:
    stacks = list(installed_stacks()) if names is None else names
    if not stacks:
        yield _no_stack()
    bindings = load_bindings()
    for name in stacks:
        say(f"launching two ranks on {name}")
        try:
            stack = get_stack(name)
            checked(stack)
        except LabError as error:
            yield Check(f"stack {name}", "problem", str(error), f"polympi stack add {name}")
            continue
        yield Check(f"stack {name}", "ok", f"two ranks ran: {stack.library}", "")
        yield from _binding_checks(bindings, stack)


def _binding_checks(bindings: dict[str, Binding], stack: Stack) -> Iterator[Check]:
    """Whether each binding can be built that is a default one or whose sources were given; one folder is built once."""
    asked = [b for b in bindings.values() if b.entry.default or (b.manifest.needs.sources and not missing_sources(b))]
    for binding in {b.folder: b for b in asked}.values():
        title = f"{binding.manifest.name} on {stack.name}"
        if reason := why_not_ready(binding, stack):
            yield Check(title, "warning", f"It cannot take part: {reason}.", binding.manifest.needs.help)
            continue
        try:
            build(binding, stack)
        except LabError as error:
            yield Check(title, "problem", str(error), binding.manifest.needs.help)
        else:
            yield Check(title, "ok", "built and ready", "")
