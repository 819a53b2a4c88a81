"""Real programs that hang, in C and in Python: who is the reason must be named, and healthy ones are left alone."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from audit.drills import STALL_S, command_of, compiled, variables_of, watch
from hosts import Hosts
from recorded import TIMEOUT_S
from selection import STACKS

from polympi.lab.audit.files import RankFile
from polympi.lab.audit.recorder import recorder_variables
from polympi.lab.audit.verdict import Kind
from polympi.lab.audit.watcher import Watcher
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack


@dataclass(frozen=True)
class Drill:
    """A program, and what must be said of it."""

    kind: Kind
    reason: tuple[int, ...]
    ranks: int = 2
    libraries: tuple[str, ...] = ("C", "mpi4py", "polympi")
    usual: tuple[str, ...] = ()  # libraries with which each run of the tests tries it; the others are slow ones
    words: str = ""
    of_polympi: tuple[Kind, tuple[int, ...]] | None = None  # its collectives are messages that ranks probe for

    def expected(self, library: str) -> tuple[Kind, tuple[int, ...]]:
        return self.of_polympi if library == "polympi" and self.of_polympi else (self.kind, self.reason)


DRILLS = {
    "receives first": Drill(Kind.CYCLE, (0, 1), usual=("C", "mpi4py", "polympi")),
    "wrong tag": Drill(Kind.WRONG_TAG, (1, 0), usual=("C", "mpi4py", "polympi"), words="has tag 5"),
    "wrong root": Drill(Kind.ROOTS, (2,), 3, libraries=("C", "mpi4py")),
    "missing": Drill(Kind.ELSEWHERE, (2,), 3, usual=("C", "mpi4py"), of_polympi=(Kind.POLLING, (0,))),
    "other collective": Drill(Kind.MISMATCH, (2,), 3, usual=("C",), libraries=("C", "mpi4py")),
    "crossed": Drill(Kind.CROSSED, (0, 1), of_polympi=(Kind.POLLING, (0, 1))),
    "counts": Drill(Kind.COUNTS, (2,), 3, libraries=("C",)),
    "left": Drill(Kind.FINALIZED, (0,), libraries=("C", "mpi4py")),
    "taken": Drill(Kind.TAKEN, (1,), libraries=("C", "mpi4py")),
    "locked": Drill(Kind.LOCKED, (0,), libraries=("C", "mpi4py")),
    "wildcard": Drill(Kind.NOBODY_SENDS, (0,), 3),
    "sends first": Drill(Kind.CYCLE, (0, 1), usual=("C",)),
    "unfinished": Drill(Kind.UNFINISHED, (2,), 3, libraries=("C", "mpi4py")),
    "reading": Drill(Kind.READING, (0,), usual=("mpi4py",), words="read of"),
    "endless": Drill(Kind.COMPUTING, (0,)),
    "stopped": Drill(Kind.STOPPED, (0,), usual=("C",)),
    "rows": Drill(Kind.CROSSED, (0, 1, 2, 3), 4, of_polympi=(Kind.POLLING, (0, 1, 2, 3))),
    "probing": Drill(Kind.POLLING, (0,)),
    "finalizing": Drill(Kind.FINALIZED, (0,), libraries=("C", "mpi4py")),
}
HEALTHY = [(name, library) for name in ("slow", "polling", "one long") for library in ("C", "mpi4py")]
HEALTHY += [("overlapping", "C")]


SLOW_ON = {"C": "openmpi", "mpi4py": "mpich", "polympi": "openmpi"}  # what is slow runs on one library


def _cases() -> list[object]:
    return [
        pytest.param(name, library, stack, id=f"{name}, {library}, {stack}", marks=() if usual else pytest.mark.slow)
        for name, drill in DRILLS.items()
        for library in drill.libraries
        for usual in [library in drill.usual]
        for stack in (STACKS if usual else [SLOW_ON[library]])
    ]


@pytest.mark.parametrize(("name", "library", "stack"), _cases(), indirect=["stack"])
def test_the_reason_is_named(
    name: str, library: str, *, stack: Stack, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    drill = DRILLS[name]
    command = command_of(stack, library, name, tmp_path, tmp_path_factory.getbasetemp())
    said = watch(stack, drill.ranks, command, tmp_path, **variables_of(stack, library))
    assert said.rolls, (said.exit_code, said.text)
    verdict = said.rolls[0].verdict
    assert verdict is not None
    assert (verdict.kind, verdict.ranks) == drill.expected(library), said.text
    assert drill.words in verdict.sentence
    assert ("hangs.c:" if library == "C" else ".py:") in said.text


@pytest.mark.slow
def test_one_of_many_ranks_is_found(mpich: Stack, tmp_path: Path) -> None:
    said = watch(mpich, 17, command_of(mpich, "C", "missing", tmp_path, tmp_path), tmp_path)
    verdict = said.rolls[0].verdict
    assert verdict is not None
    assert (verdict.kind, verdict.ranks) == (Kind.ELSEWHERE, (16,)), said.text
    assert [place.ranks for place in said.rolls[0].places] == [tuple(range(16)), (16,)]


@pytest.mark.parametrize(("name", "library", "stack"), [(*one, SLOW_ON[one[1]]) for one in HEALTHY], indirect=["stack"])
@pytest.mark.slow
def test_healthy_programs_do_not_hang(
    name: str, library: str, *, stack: Stack, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    command = command_of(stack, library, name, tmp_path, tmp_path_factory.getbasetemp())
    said = watch(stack, 2, command, tmp_path, to_the_end=True)
    assert said.exit_code == 0, said.text
    assert not [roll.verdict for roll in said.rolls if roll.verdict is not None and roll.verdict.hang], said.text


@pytest.mark.system
def test_ranks_of_two_hosts_wait_for_each_other(hosts: Hosts, stack: Stack, tmp_path: Path) -> None:
    folder, lines = tmp_path / "audit", list[str]()
    folder.mkdir()
    given = [f"{name}={value}" for name, value in recorder_variables(folder).items()]
    program = ["env", *given, str(compiled(stack, tmp_path)), "receives first"]
    file = hosts.hostfile(stack.family, 1)
    command = mpiexec_command(stack, 2, program, processors=2, hostfile=file, cluster=hosts.cluster)
    watcher, roll = Watcher(folder, STALL_S, lines.append), None
    job = subprocess.Popen(command, env={**stack.variables(), **hosts.cluster.variables(stack.family)})
    try:
        for _ in range(TIMEOUT_S):
            if job.poll() is not None or (roll := watcher.tick()) is not None:
                break
            time.sleep(1)
    finally:
        hosts.end_processes()
        job.wait(TIMEOUT_S)
    assert roll is not None
    assert roll.verdict is not None
    assert (roll.verdict.kind, roll.verdict.ranks) == (Kind.CYCLE, (0, 1)), lines
    assert {RankFile(path).host for path in folder.glob("*.audit")} == {"hosta", "hostb"}
