"""The command line of a launch, in the dialect of each family of launchers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from polympi.lab.stacks.stack import Stack


def mpiexec_command(
    stack: Stack, ranks: int, program: Sequence[str], *, processors: int, hostfile: Path | None = None
) -> list[str]:
    """``mpiexec`` with its options, then the program.

    Args:
        stack: whose launcher is used.
        ranks: number of ranks.
        program: the program and its arguments.
        processors: CPUs we may use on this host; Open MPI refuses more ranks than that unless told.
        hostfile: hosts to run on, in the launcher's own format.
    """
    options = ["-n", str(ranks)]
    if stack.family == "openmpi":
        options += ["--hostfile", str(hostfile), *_passed_on(stack)] if hostfile else []
        options += ["--oversubscribe"] if ranks > processors and not hostfile else []
    else:
        options += ["-f", str(hostfile)] if hostfile else []
    return [stack.mpiexec, *options, *program]


def _passed_on(stack: Stack) -> list[str]:
    """Open MPI passes only the named variables to other hosts; Hydra passes all."""
    return [word for name in stack.environment for word in ("-x", name)]
