"""Making hosts of containers, so that nothing is left of them whatever ends us meanwhile."""

import contextlib
import ipaddress
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from polympi.lab.cluster.agent import write_ssh_agent
from polympi.lab.cluster.cluster import PATIENCE_S, Cluster, ClusterError, Made, check_number, mark
from polympi.lab.cluster.containers.folders import shared_folders
from polympi.lab.cluster.containers.image import HERE, image_for
from polympi.lab.cluster.containers.keeper import Keeper
from polympi.lab.cluster.containers.podman import KEYS, LABEL, ask, last_words, limits, why_not
from polympi.lab.cluster.host import NAMESPACES, PIDS, Host, started
from polympi.lab.cluster.wires import choose_congestion_control, limit_containers, read_rate

_TABLE, _SCRIPT = "etc-hosts", "host.sh"  # in the folder of a cluster
_LOG_LINES = 3  # of a host that does not come up, in a sentence
# Ranks of one host copy from each other's memory, and place their own; on hosts that are namespaces they may do both.
_RIGHTS = ("--security-opt=seccomp=unconfined", "--security-opt=label=disable", "--cap-add=SYS_PTRACE,SYS_NICE")
_POLL_S = 0.1  # between two tries to reach a host by ssh


@dataclass(frozen=True)
class Containers:
    """What a user can choose about containers."""

    image: str | None = None  # their image; None for one that is built
    base: str | None = None  # what it is built upon; None for Debian
    programs: Sequence[Path] = ()  # further folders that they see
    mounts: Sequence[Path] = ()  # further folders in which they may also write
    say: Callable[[str], None] = lambda _: None  # reports the slow steps


@contextlib.contextmanager
def made_containers(
    names: Sequence[str],
    folder: Path,
    wanted: Containers,
    *,
    name: str,
    rate: str | None = None,
    slots: int = 1,
    since: str = "",
    lock: int | None = None,
) -> Iterator[Made]:
    """Make a cluster of containers, which ends with the block unless kept, with all that runs on it.

    The folder is empty, and `lock` the descriptor of a lock that is held until nothing is left, if we are killed.
    """
    check_number(len(names))
    bits = None if rate is None else read_rate(rate)
    shared = shared_folders(wanted.programs, wanted.mounts)
    if reason := why_not():
        raise ClusterError(reason)
    (folder / KEYS).mkdir(mode=0o700)
    shutil.copyfile(HERE / _SCRIPT, folder / _SCRIPT)
    with Keeper(folder, lock) as keeper:
        image = image_for(wanted.image, wanted.base, keeper, wanted.say)
        network = f"{name}-switch"
        _check_free(names, network)
        addresses = _network(keeper, folder, network, len(names))
        table = [mark(folder), "127.0.0.1 localhost", *(f"{addresses[n]} {host}" for n, host in enumerate(names))]
        (folder / _TABLE).write_text("".join(f"{line}\n" for line in table), encoding="utf-8")
        common, hosts = _common_words(folder, shared, network), []
        for host, address in zip(names, addresses, strict=True):
            own = [f"--name={host}", f"--hostname={host}", f"--ip={address}"]
            did = keeper.do([*common, *own, image, str(folder / _SCRIPT), str(folder / KEYS)])
            if did.code != 0:
                raise ClusterError(f"Host {host} cannot be made: podman said '{last_words(did.errors)}'.")
            hosts.append(_host(host, address))
        choose_congestion_control(hosts)
        if bits is not None:
            limit_containers(hosts, bits)
        cluster = Cluster(name=name, folder=str(folder), hosts=hosts, rate=rate, slots=slots, since=since, image=image)
        cluster.write_hostfiles()
        write_ssh_agent(cluster, folder / KEYS / "config")
        for one in hosts:
            _wait_for_ssh(cluster, one)
        _check_interpreter(cluster)
        yield Made(cluster, keeper.stay)


def _check_free(names: Sequence[str], network: str) -> None:
    """Make sure that podman has nothing of these names; what is left of this cluster was removed before."""
    there = {name for line in ask("ps", "--all", "--format={{.Names}}").splitlines() for name in line.split(",")}
    if taken := next((name for name in names if name in there), None):
        raise ClusterError(
            f"Podman has a container '{taken}' already, which is not of this cluster: choose another --name, or remove "
            f"it with 'podman rm {taken}'."
        )
    if network in ask("network", "ls", "--format={{.Name}}").splitlines():
        raise ClusterError(
            f"Podman has a network '{network}' already, which is not of this cluster: choose another --name, or remove "
            f"it with 'podman network rm {network}'."
        )


def _network(keeper: Keeper, folder: Path, network: str, hosts: int) -> list[str]:
    """Make a network that leads to nowhere else; the addresses of the hosts in it."""
    did = keeper.do(["network", "create", "--internal", "--disable-dns", f"--label={LABEL}={folder}", network])
    if did.code != 0:
        raise ClusterError(f"The network of the cluster cannot be made: podman said '{last_words(did.errors)}'.")
    try:
        (made,) = msgspec.json.decode(ask("network", "inspect", network), type=list[_Network])
    except msgspec.ValidationError as error:
        raise ClusterError(
            "Podman describes networks in a way that is not known: it has to be version 4 or later."
        ) from error
    free = ipaddress.ip_network(made.subnets[0].subnet).hosts()
    next(free)  # of the machine
    return [str(next(free)) for _ in range(hosts)]


class _Subnet(msgspec.Struct):
    subnet: str


class _Network(msgspec.Struct):
    subnets: list[_Subnet]


def _common_words(folder: Path, shared: Mapping[Path, bool], network: str) -> list[str]:
    # As large as on a separate host: half of the memory.
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    volumes = [f"{path}:{path}{'' if writes else ':ro'}" for path, writes in shared.items()]
    volumes += [f"{folder}:{folder}:ro", f"{folder / KEYS}:{folder / KEYS}", f"{folder / _TABLE}:/etc/hosts:ro"]
    return [
        "run", "--detach", "--pull=never", f"--label={LABEL}={folder}", f"--network={network}", "--no-hosts",
        "--ipc=private", f"--shm-size={memory}b", *limits(), *_RIGHTS, *(f"--volume={volume}" for volume in volumes),
        "--pids-limit=-1", "--workdir=/", "--entrypoint=sh",
    ]  # fmt: skip


def _host(name: str, address: str) -> Host:
    holder = int(ask("inspect", "--format={{.State.Pid}}", name))
    began = started(holder) if holder else None
    if began is None:
        raise ClusterError(f"Host {name} does not stay up: {_log(name)}.")
    return Host(name=name, address=address, holder=holder, started=began, spaces=(*NAMESPACES, PIDS))


def _wait_for_ssh(cluster: Cluster, host: Host) -> None:
    """Wait until the first host reaches another, or itself, by ssh."""
    deadline = time.monotonic() + PATIENCE_S
    command = cluster.first.command([str(cluster.agent), host.name, "true"])
    while True:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE_S
            )
            said = last_words(done.stderr)
        except subprocess.TimeoutExpired:
            done, said = None, "nothing comes back"
        if done is not None and done.returncode == 0:
            return
        if not host.is_there() or not cluster.first.is_there():
            raise ClusterError(f"Host {host.name} does not stay up: {_log(host.name)}.")
        if time.monotonic() > deadline:
            raise ClusterError(
                f"Host {host.name} cannot be reached by ssh from {cluster.first.name}: '{said}'; {_log(host.name)}."
            )
        time.sleep(_POLL_S)


def _log(name: str) -> str:
    with contextlib.suppress(ClusterError, subprocess.SubprocessError):
        done = subprocess.run(
            ["podman", "logs", f"--tail={_LOG_LINES}", name],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
        lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        if done.returncode == 0 and lines:
            return f"the last it wrote is '{' / '.join(lines[-_LOG_LINES:])}'"
    return "it wrote nothing"


def _check_interpreter(cluster: Cluster) -> None:
    """Make sure that the interpreter of this process runs on the hosts, with what it finds here."""
    command = cluster.first.command([sys.executable, "-c", "import polympi"])
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=PATIENCE_S
    )
    if done.returncode:
        raise ClusterError(
            f"The interpreter of polympi does not run in the image: '{shlex.quote(sys.executable)}' said "
            f"'{last_words(done.stderr)}'. Take an image or a base like this machine's system, or a virtual "
            "environment of an interpreter that is not in /usr."
        )
