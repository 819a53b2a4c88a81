"""The command line of a launch, in the words of each launcher."""

import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from polympi.lab.cluster import slurm
from polympi.lab.cluster.cluster import Cluster, ClusterError
from polympi.lab.cluster.hostfile import read_hostfile, room_for
from polympi.lab.stacks.launching import filled
from polympi.lab.stacks.stack import PRRTE, SRUN, TEMPLATE, Stack


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
    """The launcher of a stack with its options, then the program with its arguments.

    Open MPI refuses more ranks than `processors`, on this host, unless asked to oversubscribe. The host file is in the
    launcher's own format; srun and templates take any. On a test cluster of this machine the launcher is started on its
    first host, in `folder`, which is by default that of this process.
    """
    further = [*stack.launcher_arguments, *arguments]
    if stack.understands == SRUN:
        command = _srun(stack, further, ranks, program, _slots(ranks, hostfile))
    elif stack.understands == TEMPLATE:
        command = _template(stack, further, ranks, program, hostfile)
    elif stack.understands == PRRTE:
        options = ["-n", str(ranks)]
        options += ["--hostfile", str(hostfile), *_passed_on(stack)] if hostfile else []
        given = any("oversubscribe" in word for word in further)  # PRRTE refuses the option twice
        options += ["--oversubscribe"] if ranks > processors and not hostfile and not given else []
        passed = [word for name, value in stack.passed.items() for word in ("-x", f"{name}={value}")]
        command = [*stack.starter, *further, *options, *passed, *program]
    else:
        passed = [word for name, value in stack.passed.items() for word in ("-genv", name, value)]
        hosts = ["-f", str(hostfile)] if hostfile else []
        command = [*stack.starter, *passed, *further, "-n", str(ranks), *hosts, *program]
    return _on_cluster(cluster, stack, command, folder or Path.cwd()) if cluster else command


def _on_cluster(cluster: Cluster, stack: Stack, command: Sequence[str], folder: Path) -> list[str]:
    if stack.understands != SRUN:
        return cluster.launch_command(stack.family, command, folder)
    if not cluster.slurm:
        raise ClusterError(
            f"The cluster '{cluster.name}' has no Slurm, which srun needs: 'polympi cluster up --slurm' makes one that "
            "has."
        )
    variables = [f"{name}={value}" for name, value in slurm.variables(Path(cluster.folder)).items()]
    return cluster.first.command(["env", *variables, *command], folder)


def _srun(
    stack: Stack, further: Sequence[str], ranks: int, program: Sequence[str], slots: Mapping[str, int]
) -> list[str]:
    """srun; it takes variables in one word, with commas between them."""
    options = [f"--ntasks={ranks}"]
    if slots:
        names = [name for name, number in slots.items() for _ in range(number)]
        options += [f"--nodes={len(slots)}", "--distribution=arbitrary", f"--nodelist={','.join(names)}"]
    simple = {name: value for name, value in stack.passed.items() if "," not in value}
    if simple:
        options += [",".join(["--export=ALL", *(f"{name}={value}" for name, value in simple.items())])]
    others = {name: value for name, value in stack.passed.items() if name not in simple}
    return [*stack.starter, *further, *options, *_with(others, program)]


def _template(
    stack: Stack, further: Sequence[str], ranks: int, program: Sequence[str], hostfile: Path | None
) -> list[str]:
    slots = _slots(ranks, hostfile) or {socket.gethostname(): ranks}
    places = {
        "ranks": str(ranks),
        "hosts": str(len(slots)),
        "ranks_per_host": str(max(slots.values())),
        "hostlist": ",".join(slots),
        **({"hostfile": str(hostfile)} if hostfile else {}),
    }
    return filled(stack.starter, places, [*further, *_with(stack.passed, program)])


def _with(variables: Mapping[str, str], program: Sequence[str]) -> list[str]:
    """The program, started so that it has further variables, whatever has started it."""
    return [*(["env", *(f"{name}={value}" for name, value in variables.items())] if variables else []), *program]


def _slots(ranks: int, hostfile: Path | None) -> dict[str, int]:
    """How many ranks each host gets, in the order of the file; hosts that get none are not there."""
    slots, left = {}, ranks
    for name, number in room_for(ranks, read_hostfile(hostfile)).items() if hostfile else ():
        slots[name] = min(number, left)
        left -= slots[name]
    return {name: number for name, number in slots.items() if number}


def _passed_on(stack: Stack) -> list[str]:
    """Open MPI passes only the named variables to other hosts; Hydra passes all."""
    return [word for name in stack.environment for word in ("-x", name)]
