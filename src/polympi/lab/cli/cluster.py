"""``polympi cluster``: a test cluster on this machine."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polympi.lab.cli.console import results, say
from polympi.lab.cli.names import complete_clusters

if TYPE_CHECKING:
    from polympi.lab.cluster.cluster import Cluster

_USUAL = "polympi"

clusters = typer.Typer(
    no_args_is_help=True,
    help="Make several hosts of this machine, to measure over a network without a second machine. Needs root.",
    rich_markup_mode="rich",
)
Name = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Name of the cluster. Default: polympi.",
        autocompletion=complete_clusters,
        show_default=False,
    ),
]


@clusters.command()
def up(
    hosts: Annotated[int, typer.Option(metavar="N", help="How many hosts. Default: 2.", show_default=False)] = 2,
    rate: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="Rate of each wire, each way: 100mbit, 1gbit, ... Default: no limit."),
    ] = None,
    slots: Annotated[
        int,
        typer.Option(metavar="N", help="Ranks per host before the next host is used. Default: 1.", show_default=False),
    ] = 1,
    slurm: Annotated[bool, typer.Option("--slurm", help="Start Slurm on it, for srun (slurm-wlm, munge).")] = False,
    containers: Annotated[
        bool, typer.Option("--containers", help="Make the hosts of containers with ssh (podman), not of namespaces.")
    ] = False,
    image: Annotated[
        str | None,
        typer.Option(metavar="IMAGE", help="Image of the containers, with sshd in it. Default: one is built."),
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="IMAGE", help="Base of the image that is built. Default: debian:bookworm-slim."),
    ] = None,
    mount: Annotated[
        list[Path] | None,
        typer.Option(metavar="FOLDER", help="Another folder that the containers see; may be given several times."),
    ] = None,
    name: Name = _USUAL,
) -> None:
    """Make a cluster that stays until 'polympi cluster down', or until the machine is switched off."""
    from polympi.lab.cluster import manage
    from polympi.lab.cluster.containers.made import Containers
    from polympi.lab.cluster.wires import CONGESTION_CONTROL
    from polympi.lab.errors import UsageError

    choices = {"--image": image, "--base": base, "--mount": mount}
    if odd := next((option for option, value in choices.items() if value and not containers), None):
        raise UsageError(f"{odd} is for hosts that are containers: add --containers, or leave it out.")
    if image and base:
        raise UsageError(
            "--image takes an image as it is, and --base is what one is built upon: leave out one of them."
        )
    wanted = Containers(image, base, _programs(), mount or (), say) if containers else None
    cluster = manage.up(name, hosts, rate=rate, slots=slots, slurm=slurm, containers=wanted)
    wires = f"wires of {rate}" if rate else "wires without a limit"
    _print(f"cluster {name} is up: {', '.join(host.name for host in cluster.hosts)}; {wires}")
    if (algorithm := cluster.first.congestion_control()) != CONGESTION_CONTROL:
        _print(
            f"TCP of the hosts controls congestion by {algorithm}, as this kernel lacks {CONGESTION_CONTROL}: large "
            "messages may take longer than on other clusters."
        )
    _print_commands(cluster)


@clusters.command()
def down(
    name: Name = _USUAL, every: Annotated[bool, typer.Option("--all", help="Remove all clusters.")] = False
) -> None:
    """Remove a cluster and end everything that runs on it; also what an interrupted 'up' has left."""
    from polympi.lab.cluster import manage
    from polympi.lab.suggest import did_you_mean

    known = manage.all_clusters()
    for one in known if every else [name]:
        if manage.down(one):
            _print(f"cluster {one} is removed")
        else:
            say(f"there is no cluster '{one}': nothing to remove{did_you_mean(one, known)}")
    if every and not known:
        say("there is no cluster: nothing to remove")


@clusters.command()
def status() -> None:
    """Show the clusters that are up, and the traffic on each wire since they were made."""
    from polympi.lab.cluster.state import get_cluster, known_clusters
    from polympi.lab.errors import LabError

    known = known_clusters()
    if not known:
        say("there is no cluster: 'polympi cluster up' makes one")
    for name in known:
        try:
            cluster = get_cluster(name)
        except LabError as error:
            say(str(error))
            continue
        if cluster is None:
            say(
                f"cluster {name} is being made, or that was broken off: 'polympi cluster down --name {name}' removes it"
            )
        else:
            _show(cluster)


@clusters.command("exec", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def execute(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="The command and its arguments.")],
    name: Name = _USUAL,
    host: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="On which host, counted from 1. Default: 1, where launchers are started.",
            show_default=False,
        ),
    ] = 1,
) -> None:
    """Run a command on a host, such as mpiexec or ping; launchers reach the other hosts by themselves."""
    from polympi.lab.cluster import slurm
    from polympi.lab.cluster.cluster import FAMILIES
    from polympi.lab.cluster.manage import reachable
    from polympi.lab.errors import UsageError

    cluster = reachable(name, [Path.cwd()])
    if not 1 <= host <= len(cluster.hosts):
        raise UsageError(f"--host {host} is impossible: the cluster '{name}' has hosts 1 to {len(cluster.hosts)}.")
    if lost := cluster.what_is_lost():  # the command may be to mend just that
        say(f"{lost}; 'ip link set eth0 up' there brings it back")
    for family in (*FAMILIES, "impi"):
        os.environ.update(cluster.variables(family))
    if cluster.slurm:
        os.environ.update(slurm.variables(Path(cluster.folder)))
    words = cluster.hosts[host - 1].command(command, Path.cwd())
    os.execvp(words[0], words)


def _programs() -> list[Path]:
    """Where the programs are that runs start on hosts, other than those in polympi's home."""
    from polympi.lab.bindings.manifest import applications_folder, shipped_folder
    from polympi.lab.stacks.stack import installed_stacks

    commands = [Path(stack.mpicc) for stack in installed_stacks().values()]
    return [shipped_folder(), applications_folder(), *(command.absolute().parent.parent for command in commands)]


def _show(cluster: Cluster) -> None:
    from rich.table import Table

    from polympi.lab.units import format_bytes

    kind = f", containers of {cluster.image}" if cluster.image else ""
    _print(f"cluster {cluster.name}, up since {cluster.since}, wires {cluster.rate or 'without a limit'}{kind}")
    table = Table.grid(padding=(0, 2))
    for heading in ("host", "address", "sent", "received", "packets sent"):
        table.add_column(heading, justify="left" if heading in ("host", "address") else "right")
    table.add_row("  host", "address", "sent", "received", "packets sent", style="bold")
    for host in cluster.hosts:
        carried = host.traffic() if host.is_there() else None
        figures = (
            [format_bytes(carried.sent_bytes), format_bytes(carried.received_bytes), str(carried.sent_packets)]
            if carried
            else ["gone", "", ""]
        )
        table.add_row(f"  {host.name}", host.address, *figures)
    results.print(table)
    try:
        lost = cluster.what_is_lost()
    except PermissionError:  # without root the state of the wires is not seen
        lost = None
    if lost:
        say(f"the cluster is broken: {lost}; 'polympi cluster down --name {cluster.name}' removes it")
    else:
        _print_commands(cluster)


def _print_commands(cluster: Cluster) -> None:
    hosts = len(cluster.hosts)
    named = "" if cluster.name == _USUAL else f" --name {cluster.name}"
    mpich, openmpi = (shlex.quote(str(cluster.hostfile(family))) for family in ("mpich", "openmpi"))
    table = [
        ("to measure", f"polympi run --hostfile {mpich}"),
        ("own programs, MPICH", f"polympi cluster exec{named} mpiexec -f {mpich} -n {hosts} PROGRAM"),
        ("... with Open MPI", f"polympi cluster exec{named} mpiexec --hostfile {openmpi} -n {hosts} PROGRAM"),
        *([("by Slurm, MPICH", f"polympi cluster exec{named} srun -N {hosts} --mpi=pmi2 PROGRAM")] * cluster.slurm),
        *([("as a job of Slurm", f"polympi cluster exec{named} polympi submit --nodes {hosts} run")] * cluster.slurm),
        ("to see, to remove", f"polympi cluster status; polympi cluster down{named}"),
    ]
    for words, command in table:
        _print(f"  {words + ':':22}{command}")


def _print(text: str) -> None:
    results.print(text, markup=False, soft_wrap=True)
