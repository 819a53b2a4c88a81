"""Slurm on a test cluster: its controller on the first host, and a daemon on each, so that ``srun`` starts ranks.

It is configured for one user, root, and for nothing but starting programs: no accounting, no control groups. Each host
has a folder of its own in the folder of the cluster, and calls it by the same name as the others do theirs: hosts share
all other files, but two of munge's daemons cannot have one socket, nor two of PMIx's servers one folder.
"""

import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from polympi.lab.cluster.cluster import PATIENCE_S, Cluster, ClusterError
from polympi.lab.cluster.host import Host

COMMANDS = {  # what is called, and the package of Debian that has it
    "munged": "munge",
    "slurmctld": "slurm-wlm",
    "slurmd": "slurm-wlm",
    "srun": "slurm-wlm",
    "sinfo": "slurm-wlm",
}
_COMMAND_S = 60  # for a daemon to go into the background
_KEY_BYTES = 128
_LOST_S = 60  # without an answer, a host is lost: Slurm's own five minutes are long for a test
_LINE = 300  # characters of a daemon's log in a sentence
# What each host calls its folder. It must be short: names of sockets have at most 107 characters (unix(7)), and that of
# a job step is this, the name of the host, and its numbers. Each host has its own /dev/shm to put it in.
_HERE = "/dev/shm/slurm"

_CONFIGURATION = """\
ClusterName={name}
SlurmctldHost={first}({address})
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={here}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
MpiDefault=pmi2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
SlurmdTimeout={lost_s}
ReturnToService=2
StateSaveLocation={here}
SlurmdSpoolDir={here}
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd.pid
SlurmctldLogFile={here}/slurmctld.log
SlurmdLogFile={here}/slurmd.log
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str | None:
    """Why Slurm cannot be started here, and what to do; None if it can."""
    folders = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    missing = [name for name in COMMANDS if shutil.which(name, path=folders) is None]
    if missing:
        packages = " ".join(dict.fromkeys(COMMANDS.values()))
        return f"Slurm needs the command '{missing[0]}', which is not installed: apt install {packages}"
    return None


def slurm_folder(folder: Path) -> Path:
    """Where the files of Slurm are, in the folder of a cluster."""
    return folder / "slurm"


def variables(folder: Path) -> dict[str, str]:
    """What programs need in their environment to find Slurm.

    Slurm and the wheel of Open MPI have a PMIx each, built with other ways to show who one is: this one both have.
    """
    return {"SLURM_CONF": str(slurm_folder(folder) / "slurm.conf"), "PMIX_MCA_psec": "native"}


def start_slurm(cluster: Cluster) -> None:
    """Start Slurm on a cluster, and wait until every host takes ranks. It ends with the hosts."""
    if reason := why_not():
        raise ClusterError(reason)
    folder = slurm_folder(Path(cluster.folder))
    folder.mkdir()
    (folder / "mpi.conf").write_text(f"PMIxCliTmpDirBase={_HERE}\n", encoding="utf-8")
    processors = max(len(os.sched_getaffinity(0)), cluster.slots)
    nodes = [f"NodeName={host.name} NodeAddr={host.address} CPUs={processors}\n" for host in cluster.hosts]
    first = cluster.first
    text = _CONFIGURATION.format(name=cluster.name, first=first.name, address=first.address, here=_HERE, lost_s=_LOST_S)
    (folder / "slurm.conf").write_text(text + "".join(nodes), encoding="utf-8")
    key = secrets.token_bytes(_KEY_BYTES)
    for host in cluster.hosts:
        own = folder / host.name
        own.mkdir()
        (own / "munge.key").touch(0o600)
        (own / "munge.key").write_bytes(key)
        _run(host, folder, ["mkdir", _HERE])
        _run(host, folder, ["mount", "--bind", str(own), _HERE])
        files = {name: f"--{name}-file={_HERE}/munge.{name}" for name in ("key", "pid", "log", "seed")}
        _run(host, folder, ["munged", "--force", f"--socket={_HERE}/munge.socket", *files.values()])
    _run(first, folder, ["slurmctld"])
    for host in cluster.hosts:
        _run(host, folder, ["slurmd", "-N", host.name])
    _wait_until_idle(cluster, folder)


def _wait_until_idle(cluster: Cluster, folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        states = _run(cluster.first, folder, ["sinfo", "--noheader", "--Node", "--format=%N %T"]).split()
        if states[1::2] == ["idle"] * len(cluster.hosts):
            return
        if time.monotonic() > deadline:
            raise ClusterError(f"Slurm does not come up, sinfo says '{' '.join(states)}': {_last_line(folder)}.")
        time.sleep(0.1)


def _run(host: Host, folder: Path, command: Sequence[str]) -> str:
    """What a command on a host writes; a daemon goes into the background."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    output = folder / "output.txt"  # no pipe: a daemon may keep it open
    with output.open("w+") as sink:
        done = subprocess.run(
            host.command(command),
            env={**os.environ, **variables(folder.parent), "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            check=False,
            timeout=_COMMAND_S,
        )
    text = output.read_text(encoding="utf-8", errors="replace")
    if done.returncode:
        said = text.strip() or _last_line(folder)
        raise ClusterError(f"Slurm cannot be started: '{command[0]}' on {host.name} said '{said[-_LINE:]}'.")
    return text


def _last_line(folder: Path) -> str:
    logs = sorted(folder.glob("*/*.log"), key=lambda path: path.stat().st_mtime)
    lines = logs[-1].read_text(encoding="utf-8", errors="replace").splitlines() if logs else []
    return f"the last line of {logs[-1]} is '{lines[-1][-_LINE:]}'" if lines else "it has written nothing"
