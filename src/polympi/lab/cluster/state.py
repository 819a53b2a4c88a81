"""Where clusters are recorded, so that later commands find them: below /run, which is empty when a machine starts."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from polympi.lab.cluster.cluster import Cluster, ClusterError, own_pid_namespace
from polympi.lab.cluster.hostfile import read_hostfile
from polympi.lab.decoding import read_record, write_record
from polympi.lab.errors import UsageError

FOLDER_VARIABLE = "POLYMPI_CLUSTERS"  # for tests, and where /run cannot be written
_FOLDER = Path("/run/polympi/clusters")
_RECORD = "cluster.json"
_LOCK = ".lock"


def clusters_folder() -> Path:
    """The folder with a folder for each cluster."""
    return Path(os.environ.get(FOLDER_VARIABLE) or _FOLDER).absolute()


def cluster_folder(name: str) -> Path:
    """The folder of a cluster, whether it exists or not."""
    return clusters_folder() / name


def known_clusters() -> list[str]:
    """The names of all clusters that have a folder: those that are up, and those of which something is left."""
    try:
        return sorted(folder.name for folder in clusters_folder().iterdir() if folder.is_dir())
    except OSError:
        return []


def get_cluster(name: str) -> Cluster | None:
    """A cluster that was made and recorded; None if there is none, or only what is left of making one."""
    record = cluster_folder(name) / _RECORD
    if not record.is_file():
        return None
    try:
        return read_record(record, Cluster)
    except ValueError as error:
        raise ClusterError(
            f"The record of the cluster '{name}', '{record}', is damaged ({error}): remove the cluster with 'polympi "
            f"cluster down --name {name}'."
        ) from error


def remember(cluster: Cluster) -> None:
    """Write the record of a cluster, by which later commands find it."""
    write_record(Path(cluster.folder) / _RECORD, cluster)


def cluster_of(hostfile: Path) -> Cluster | None:
    """The cluster whose hosts a file names, if any; not seen from a container of it, where hosts are reached by ssh."""
    if not hostfile.is_file():  # reported where the files of a run are checked
        return None
    named = read_hostfile(hostfile)
    for name in known_clusters():
        cluster = get_cluster(name)
        ours = {host.name for host in cluster.hosts} if cluster else set()
        if others := sorted(named.keys() - ours):
            if known := sorted(named.keys() & ours):
                raise UsageError(
                    f"The host file '{hostfile}' names {known[0]} of the cluster '{name}', and {others[0]}, which is "
                    "not of this cluster: name hosts that can reach each other."
                )
        elif named and cluster:
            return cluster if cluster.pid_namespace == own_pid_namespace() else None
    return None


@contextlib.contextmanager
def only_one_changes() -> Iterator[int]:
    """Keep other commands from making or removing clusters meanwhile; the kernel lets go if this process dies.

    Yields:
        The descriptor of the lock: a process that has it, too, continues keeping others from it.
    """
    folder = clusters_folder()
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ClusterError(
                "Another 'polympi cluster' is making or removing a cluster: wait until it is done."
            ) from None
        yield descriptor
    finally:
        os.close(descriptor)
