"""Whether a stack works: a small program is compiled, and started by what starts its ranks."""

import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.environment.memory import MOUNT_SHM, shared_memory_metadata
from polympi.lab.errors import StackError, system_reason
from polympi.lab.process import Ended, run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.family import last_line
from polympi.lab.stacks.prebuilt import CHECK, prebuilt, put
from polympi.lab.stacks.stack import SRUN, Stack

CHECK_TIMEOUT_S = 60.0
CHECK_RANKS = 2

_CHECK = Path(__file__).with_name("check.c")
# What srun says when it finds no Slurm, in several versions of it.
_NO_SLURM = re.compile(
    r"Unable to contact slurm controller|configuration source|DNS SRV lookup|Unable to allocate.*contact"
)
_OTHER_PMI = re.compile(r"unsupported PMI version \w+")  # MPICH, started by PRRTE
_WAITS = re.compile(r"queued and waiting for resources")


@dataclass(frozen=True)
class Checked:
    """A stack that works."""

    stack: Stack  # with the library that was found
    hosts: frozenset[str]  # those on which the ranks of the check were


def first_that_runs(ways: Sequence[Stack], *, hostfile: Path | None = None, cluster: Cluster | None = None) -> Checked:
    """The first of several ways to start ranks of a stack that works."""
    first: StackError | None = None
    for way in ways:
        try:
            return checked(way, hostfile=hostfile, cluster=cluster)
        except StackError as error:
            first = first or error
    if first is None:
        raise ValueError("there is no way to start ranks")
    raise first


def checked(stack: Stack, *, hostfile: Path | None = None, cluster: Cluster | None = None) -> Checked:
    """Compile and run a two-rank program, and say on which hosts its ranks were; StackError if it does not work."""
    # In the folder of the stack: other hosts see it, and rarely what is temporary.
    place = stack.folder if stack.folder.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="polympi-check-", dir=place) as scratch:
        program, output = Path(scratch) / "check", Path(scratch) / "output"
        compile_check(stack, program)
        command = mpiexec_command(
            stack, CHECK_RANKS, [str(program)], processors=CHECK_RANKS, hostfile=hostfile, cluster=cluster
        )
        try:
            ended = run_tree(command, environment=stack.variables(), timeout_s=CHECK_TIMEOUT_S, output=output)
        except OSError as error:
            raise StackError(f"{command[0]} cannot be started: {system_reason(error)}.") from error
        text = output.read_text(errors="replace")
    if ended.exit_code != 0:
        raise _failure(stack, ended)
    printed = dict(re.findall(r"^(size|sum|library|libmpi|hosts)=(.*)$", text, re.MULTILINE))
    if printed.get("size") != str(CHECK_RANKS):
        raise _other_mpi(stack, printed)
    library, libmpi = " ".join(printed["library"].split()), str(Path(printed["libmpi"]).resolve())
    return Checked(
        msgspec.structs.replace(stack, library=library, libmpi=libmpi), frozenset(printed["hosts"].split(","))
    )


def compile_check(stack: Stack, program: Path) -> None:
    """Compile the program of the check, or copy the one that is prebuilt."""
    if ready := prebuilt(stack, CHECK):
        put(ready, stack, program.parent)
        return
    command = [stack.mpicc, "-std=gnu11", str(_CHECK), "-o", str(program), "-ldl"]
    compiled = subprocess.run(command, env=stack.variables(), capture_output=True, text=True, check=False)
    if compiled.returncode != 0:
        raise StackError(
            f"{stack.mpicc} cannot compile a C program; is a C compiler (gcc) installed? "
            f"It said: {last_line(compiled.stderr)}"
        )


def _failure(stack: Stack, ended: Ended) -> StackError:
    what = f"A two-rank program on stack '{stack.name}'"
    if stack.launcher:
        what += f", started by '{stack.starter_text}',"
    if stack.understands == SRUN and _NO_SLURM.search(ended.tail):
        return StackError(
            f"srun reaches no Slurm here, so that it cannot start ranks of stack '{stack.name}': run on the cluster "
            f"(in an allocation), or choose another launcher. It said: {last_line(ended.tail)}"
        )
    if said := _OTHER_PMI.search(ended.tail):
        return StackError(
            f"The launcher {stack.starter_text} does not belong to the MPI of {stack.mpicc}, which said "
            f"'{said.group()}'. Name the launcher of that MPI."
        )
    if ended.timed_out and _WAITS.search(ended.tail):
        return StackError(f"{what} waited over {CHECK_TIMEOUT_S:.0f} s in Slurm's queue: measure in an allocation.")
    if ended.timed_out:
        return StackError(f"{what} did not end in {CHECK_TIMEOUT_S:.0f} s.")
    if not shared_memory_metadata()["writable"]:
        return StackError(
            f"{what} cannot start, and this user cannot write to /dev/shm, through which the ranks of a machine "
            f"exchange messages. {MOUNT_SHM}"
        )
    return StackError(f"{what} ended with code {ended.exit_code}: {last_line(ended.tail)}")


def _other_mpi(stack: Stack, printed: dict[str, str]) -> StackError:
    if not printed:
        return StackError(
            f"A two-rank program on stack '{stack.name}' ended well and wrote nothing: "
            f"'{stack.starter_text}' has not started it, or does not show what it writes."
        )
    what = f"The launcher {stack.starter_text} does not belong to the MPI of {stack.mpicc}"
    saw = f"a rank saw {printed.get('size')} of {CHECK_RANKS} ranks"
    why = "every rank was 0 of 1" if printed.get("size") == "1" else saw
    if stack.understands == SRUN:
        intel = " Intel MPI also wants Slurm's library: --env I_MPI_PMI_LIBRARY=/path/of/libpmi2.so."
        advice = (
            "Name another way to connect: 'srun --mpi=list' shows those there are, as in --launcher 'srun --mpi=pmix'."
        )
        return StackError(f"{what}: {why}. {advice}{intel if stack.family == 'impi' else ''}")
    advice = (
        "Name the launcher of that MPI."
        if stack.launcher
        else "Put the matching mpiexec next to mpicc, or first on PATH."
    )
    return StackError(f"{what}: {why}. {advice}")
