"""Calling podman: what it needs here, what it says when it fails, and removing all that belongs to a cluster."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

from polympi.lab.cluster.cluster import ClusterError

COMMANDS = {  # what is called, and the packages of Debian that it needs
    "podman": "podman netavark",
    "nsenter": "util-linux",
    "ip": "iproute2",
    "tc": "iproute2",
}
LABEL = "polympi.cluster"  # of containers and networks; its value is the folder of their cluster
KEYS = "ssh"  # in the folder of a cluster: its keys, and the configuration of ssh and sshd
COMMAND_S = 120.0  # for one command of podman, which takes a second; a loaded machine is slow
_LINE = 300  # characters of what podman says in a sentence


def why_not() -> str | None:
    """Why no containers can be made here, as far as one can tell without trying, and what to do; None if they can."""
    if os.geteuid() != 0:
        return "Containers with their own network need root: call polympi with sudo, or in a shell of root."
    missing = [name for name in COMMANDS if shutil.which(name) is None]
    if missing:
        packages = " ".join(dict.fromkeys(COMMANDS[name] for name in missing))
        return (
            f"Containers are made with the command '{missing[0]}', which is not installed: apt install {packages}; "
            "without --containers, hosts are made of namespaces."
        )
    return None


def limits() -> list[str]:
    """Options that give a container the limits of this process.

    Podman's own are higher than some machines permit. It also lowers its own number of processes to the machine's
    highest process id, so that no container gets more.
    """
    highest = int(Path("/proc/sys/kernel/pid_max").read_text(encoding="ascii"))
    files, processes = (
        _hard(which, most) for which, most in ((resource.RLIMIT_NOFILE, 2**20), (resource.RLIMIT_NPROC, highest))
    )
    return [f"--ulimit=nofile={files}:{files}", f"--ulimit=nproc={processes}:{processes}"]


def podman(*words: str) -> list[str]:
    """The command line of podman: with runc, as its usual crun refuses mixtures of both versions of control groups."""
    mixed = not Path("/sys/fs/cgroup/cgroup.controllers").exists()
    return ["podman", *(["--runtime=runc"] if mixed and shutil.which("runc") else []), *words]


def ask(*words: str) -> str:
    """What a command of podman writes; ClusterError if it fails, or does not end."""
    try:
        done = subprocess.run(
            podman(*words), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=COMMAND_S
        )
    except subprocess.TimeoutExpired:
        raise ClusterError(
            f"'podman {words[0]}' did not end within {COMMAND_S:.0f} s: is the machine overloaded?"
        ) from None
    except OSError as error:
        raise ClusterError("Podman, which has made the hosts, cannot be started: apt install podman") from error
    if done.returncode:
        raise ClusterError(f"'podman {' '.join(words[:2])}' failed: '{last_words(done.stderr)}'.")
    return done.stdout


def last_words(text: str) -> str:
    """The last line of what podman has written, as part of a sentence."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return (lines[-1] if lines else "it wrote nothing")[-_LINE:].removeprefix("Error: ").rstrip(".")


def found(folder: Path) -> tuple[list[str], list[str]]:
    """The containers and the networks of the cluster in a folder, also if nothing else is known of it."""
    ours = f"--filter=label={LABEL}={folder}"
    return ask("ps", "--all", "--quiet", ours).split(), ask("network", "ls", "--quiet", ours).split()


def folders_of_clusters() -> set[Path]:
    """The folders of all clusters that have containers, whether the folders are still there or not."""
    if os.geteuid() != 0 or shutil.which("podman") is None:
        return set()
    try:
        said = ask("ps", "--all", f"--filter=label={LABEL}", f'--format={{{{index .Labels "{LABEL}"}}}}')
    except ClusterError:
        return set()  # a podman that does not work has made nothing
    return {Path(line) for line in said.splitlines() if line}


def remove(folder: Path) -> bool:
    """Remove the containers, the network and the keys of the cluster in a folder; whether there were any."""
    containers, networks = found(folder)
    if containers:
        ask("rm", "--force", "--time=0", "--volumes", *containers)
    if networks:
        ask("network", "rm", "--force", *networks)
    shutil.rmtree(folder / KEYS, ignore_errors=True)  # the last, as it says that there were containers
    return bool(containers or networks)


def remove_if_there(folder: Path) -> bool:
    """Remove what podman, where it is installed, has of the cluster in a folder; whether it had anything."""
    of_containers = (folder / KEYS).exists()
    if shutil.which("podman") is None:
        if of_containers:
            raise ClusterError(f"Podman, which has made the hosts of '{folder}', is not installed: apt install podman")
        return False
    try:
        return remove(folder)
    except ClusterError:
        if of_containers:
            raise
        return False  # a podman that does not work has made nothing


def _hard(which: int, most: int) -> int:
    _, hard = resource.getrlimit(which)
    return most if hard == resource.RLIM_INFINITY else min(hard, most)
