"""The command line of a launch, in the dialect of each family of launchers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.stacks.stack import Stack


def mpiexec_command(
    stack: Stack,
    ranks: int,
    program: Sequence[str],
    *,
    processors: int,
    hostfile: Path | None = None,
    cluster: Cluster | None = None,
    folder: Path | None = None,
    arguments: Sequence[str] = (),
) -> list[str]:
    """``mpiexec`` with its options, then the program.

    Args:
        stack: whose launcher is used.
        ranks: number of ranks.
        program: the program and its arguments.
        processors: CPUs we may use on this host; Open MPI refuses more ranks than that unless told.
        hostfile: hosts to run on, in the launcher's own format.
        cluster: the test cluster on this machine that the hosts belong to; the launcher is then started on its first.
        folder: working directory of a launcher on a cluster; by default that of this process.
        arguments: further arguments of the launcher, in its own words.
    """
    options = ["-n", str(ranks)]
    if stack.family == "openmpi":
        options += ["--hostfile", str(hostfile), *_passed_on(stack)] if hostfile else []
        options += ["--oversubscribe"] if ranks > processors and not hostfile else []
    else:
        options += ["-f", str(hostfile)] if hostfile else []
    command = [stack.mpiexec, *options, *arguments, *program]
    return cluster.launch_command(stack.family, command, folder or Path.cwd()) if cluster else command


def _passed_on(stack: Stack) -> list[str]:
    """Open MPI passes only the named variables to other hosts; Hydra passes all."""
    return [word for name in stack.environment for word in ("-x", name)]
