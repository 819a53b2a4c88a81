"""Make a cluster that stays, and remove one, whole or what is left of it."""

import datetime
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from polympi.lab.cluster import slurm as slurm_daemons
from polympi.lab.cluster.cluster import Cluster, ClusterError, end_processes, processes_of
from polympi.lab.cluster.containers import podman
from polympi.lab.cluster.containers.made import Containers, made_containers
from polympi.lab.cluster.namespaces import made_cluster, why_not
from polympi.lab.cluster.state import (
    cluster_folder,
    clusters_folder,
    get_cluster,
    known_clusters,
    only_one_changes,
    remember,
)
from polympi.lab.errors import UsageError
from polympi.lab.suggest import did_you_mean

MOST_SLOTS = 1024
_NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")  # what a host name may begin with, and short enough with a number behind


def up(
    name: str,
    hosts: int,
    *,
    rate: str | None = None,
    slots: int = 1,
    slurm: bool = False,
    containers: Containers | None = None,
) -> Cluster:
    """Make a cluster of hosts NAME-1, NAME-2, ... that stays until it is removed, or the machine is switched off.

    Whatever ends this process meanwhile, nothing is left but a folder of small files, which the next call clears away.
    """
    _check_name(name)
    if not 1 <= slots <= MOST_SLOTS:
        raise UsageError(f"--slots {slots} is impossible: choose 1 to {MOST_SLOTS} ranks on each host.")
    if slurm and containers:
        raise UsageError("--slurm starts Slurm on hosts that are namespaces: leave out --containers, or --slurm.")
    reason = podman.why_not() if containers else why_not()
    if reason := reason or (slurm_daemons.why_not() if slurm else None):  # before a folder is made
        raise ClusterError(reason)
    with only_one_changes() as lock:
        if get_cluster(name) is not None:
            raise UsageError(
                f"The cluster '{name}' is up already: 'polympi cluster status' shows it, 'polympi cluster down --name "
                f"{name}' removes it, and --name makes another."
            )
        folder = cluster_folder(name)
        _clear(folder)  # what is left of one that was killed
        folder.mkdir()
        names = [f"{name}-{number + 1}" for number in range(hosts)]
        since = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        try:
            making = (
                made_cluster(names, folder, name=name, rate=rate, slots=slots, since=since)
                if containers is None
                else made_containers(
                    names, folder, containers, name=name, rate=rate, slots=slots, since=since, lock=lock
                )
            )
            with making as made:
                cluster = msgspec.structs.replace(made.cluster, slurm=slurm)
                if slurm:
                    slurm_daemons.start_slurm(cluster)
                remember(cluster)
                made.stay()
        except BaseException:  # a Ctrl-C, too
            _clear(folder)
            raise
    return cluster


def down(name: str) -> bool:
    """Remove a cluster, even one that was not made to its end, and all that runs on it; whether there was one."""
    _check_name(name)
    if reason := why_not():
        raise ClusterError(reason)
    with only_one_changes():
        folder = cluster_folder(name)
        there = folder.exists() or bool(processes_of(folder))
        return _clear(folder) or there


def all_clusters() -> list[str]:
    """The names of all clusters of which there is anything: files, or containers that have lost theirs."""
    folders = podman.folders_of_clusters()
    return sorted({*known_clusters(), *(folder.name for folder in folders if folder.parent == clusters_folder())})


def reachable(name: str, folders: Iterable[Path] = ()) -> Cluster:
    """A cluster on whose hosts a command can be started, if only to bring back the network of one."""
    cluster = get_cluster(name)
    if cluster is None:
        raise UsageError(
            f"There is no cluster '{name}': 'polympi cluster up' makes one.{did_you_mean(name, known_clusters())}"
        )
    _check(cluster, cluster.what_is_gone, folders)
    return cluster


def check_reachable(cluster: Cluster, folders: Iterable[Path] = ()) -> None:
    """Make sure that all hosts of a cluster reach each other, and see folders of this machine."""
    _check(cluster, cluster.what_is_lost, folders)


def _check(cluster: Cluster, what_is_wrong: Callable[[], str | None], folders: Iterable[Path]) -> None:
    if reason := why_not():
        raise ClusterError(reason)
    if wrong := what_is_wrong():
        raise ClusterError(
            f"The cluster '{cluster.name}' is broken: {wrong}. 'polympi cluster down --name {cluster.name}' removes "
            "it; then make it again."
        )
    for folder in folders:
        if unseen := next((host for host in cluster.hosts if not host.sees(folder)), None):
            raise ClusterError(
                f"The cluster '{cluster.name}' cannot be used for '{folder}', which {unseen.name} does not see: work "
                f"in a folder that it sees, or make the cluster again with --mount '{folder}'."
            )


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or name.endswith("-"):
        raise UsageError(
            f"--name '{name}' is impossible: hosts are called after the cluster, so take up to 31 lower-case letters, "
            "digits and hyphens, a letter first."
        )


def _clear(folder: Path) -> bool:
    """Remove all of a cluster; whether it had containers."""
    had_containers = podman.remove_if_there(folder)
    end_processes(folder)
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise ClusterError(f"The folder of the cluster, '{folder}', cannot be removed: remove it by hand.") from error
    return had_containers
