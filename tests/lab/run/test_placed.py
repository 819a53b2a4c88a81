"""Runs whose ranks are placed on this machine: by real launchers, by one that does not, and by one that refuses."""

import dataclasses
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from short_runs import SHORT, short_request

from polympi.lab.conclusions.placements import misplaced
from polympi.lab.environment.processor import affinity_metadata
from polympi.lab.errors import StackError, UsageError
from polympi.lab.plan.placements import placement_levels, topology_of, what_differs
from polympi.lab.records import Environment, Finding, Level
from polympi.lab.run.asked import record
from polympi.lab.run.experiment import Experiment
from polympi.lab.run.request import Request, StackPlan, prepare
from polympi.lab.run.watcher import Watcher
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import TEMPLATE, Stack
from polympi.lab.statistics.analysis import analyse

ONE_BLOCK = dataclasses.replace(SHORT, minimum_blocks=1, maximum_blocks=1)
PAIR, NODE, ONE_CORE = placement_levels(["core-pair", "node", "one-core"])
METADATA = {"affinity": affinity_metadata()}

pytestmark = pytest.mark.exclusive
on_two_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one processor")


def request_of(path: Path, stack: Stack, levels: list[Level], **changes: object) -> Request:
    asked: dict[str, Any] = {
        "wanted": ["c"],
        "benches": ["barrier"],
        "sizes": [8],
        "profile": ONE_BLOCK,
        "levels": levels,
        **changes,
    }
    return short_request(path, [stack], **asked)


def begun(request: Request, watcher: Watcher | None = None) -> tuple[list[StackPlan], RunDirectory, Experiment]:
    plans = prepare(request)
    directory = RunDirectory.create(request.output, record(request, plans), Environment(metadata=METADATA))
    return plans, directory, Experiment(request, plans, directory, processors=2, watcher=watcher or Watcher())


def placed(request: Request) -> RunDirectory:
    """A run in which each rank ran where it was asked to, by the topology of this machine."""
    plans, directory, experiment = begun(request)
    outcome = experiment.run()
    assert (outcome.ended, outcome.withdrawn) == ("complete", {})
    placements = {plan.name: plan.level.placement for plan in plans}
    for launch in directory.launches():
        assert len(launch.places) == 2
        differs = what_differs(placements[launch.stack], launch.places, topology_of(METADATA))
        assert differs is None, (launch.stack, launch.places)
    assert misplaced(analyse(directory)) == []
    return directory


@on_two_cores
@pytest.mark.slow
def test_ranks_of_c_and_of_python_are_where_hydra_was_asked_to_put_them(tmp_path: Path, mpich: Stack) -> None:
    directory = placed(request_of(tmp_path / "run", mpich, [PAIR, NODE, ONE_CORE], wanted=["mpi4py"]))
    cpus = {(one.stack, tuple(place.cpus for place in one.places)) for one in directory.launches()}
    assert len(cpus) == 3  # the same in each launch of a level


@on_two_cores
@pytest.mark.slow
def test_a_placement_that_costs_is_found_and_a_second_name_of_the_same_is_not(tmp_path: Path, openmpi: Stack) -> None:
    """Ranks of Open MPI that share a core wait for the end of each other's time slice: milliseconds."""
    levels = [PAIR, Level(factor="placement", name="the same", placement="core-pair"), ONE_CORE]
    request = request_of(tmp_path / "run", openmpi, levels, benches=["latency/standard/bytes"], profile=SHORT)
    rows = {row.level: row for row in analyse(placed(request)).factors if row.benchmark == "latency"}
    assert {(row.factor, row.base) for row in rows.values()} == {("placement", "core-pair")}
    assert rows["one-core"].verdict == "slower"
    assert (rows["one-core"].ratio or 0) > 10
    assert rows["the same"].verdict in ("not separated", "ambiguous")


@on_two_cores
def test_a_launcher_that_does_not_bind_is_found_out(tmp_path: Path, mpich: Stack) -> None:
    deaf = launcher(tmp_path, f'while [ "$1" != -n ]; do shift; done\nexec {mpich.mpiexec} "$@"')
    found: list[Finding] = []

    class Listener(Watcher):
        def found(self, finding: Finding) -> None:
            found.append(finding)

    stack = msgspec.structs.replace(mpich, launcher=[deaf])
    _, directory, experiment = begun(request_of(tmp_path / "run", stack, [PAIR]), Listener())
    assert experiment.run().ended == "complete"
    [failure] = misplaced(analyse(directory))
    assert (
        "mpich, core-pair was not placed as asked in 2 of 2 launches (c and c-again): the ranks were bound" in failure
    )
    assert failure.endswith("what was measured there is not 'core-pair'.")
    [warning] = found
    assert warning.text.startswith("on mpich, core-pair, the ranks were bound otherwise: rank 0 on CPUs")


def test_a_launcher_that_cannot_bind_is_quoted(tmp_path: Path, mpich: Stack) -> None:
    stack = msgspec.structs.replace(mpich, launcher=[launcher(tmp_path, "echo 'what is bind-to?' >&2\nexit 9")])
    _, _, experiment = begun(request_of(tmp_path / "run", stack, [NODE]))
    with pytest.raises(StackError, match="asked for the placement 'node' by '-bind-to none'") as error:
        experiment.run()
    assert "it ended with code 9" in str(error.value)
    assert str(error.value).endswith("what is bind-to?")


def launcher(folder: Path, script: str) -> str:
    """A launcher of our own; of Hydra's words, those about placement come before the number of ranks."""
    path = folder / "mpiexec"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_placement_that_cannot_be_had_is_refused_before_anything_is_made(tmp_path: Path, mpich: Stack) -> None:
    def refused(*placements: str, stack: Stack = mpich, more: tuple[Level, ...] = (), **changes: object) -> str:
        levels = [*placement_levels(placements), *more]
        with pytest.raises(UsageError) as error:
            prepare(request_of(tmp_path / "run", stack, levels, **changes))
        return str(error.value)

    assert "--placement two-nodes cannot be had: it needs two hosts, and there is no --hostfile" in refused("two-nodes")
    (tmp_path / "one").write_text("alone\n")
    assert "the host file or the job has one" in refused("node", "two-nodes", hostfile=tmp_path / "one")
    many = refused("core-pair", ranks=[1000])
    assert "--placement core-pair cannot be had: it needs a core for each of 1000 ranks on one socket" in many
    reported = msgspec.structs.replace(mpich, launcher_arguments=["-bind-to", "none"])
    assert "'-bind-to' of the launcher's arguments both say where ranks run" in refused("node", stack=reported)
    setting = Level(factor="setting", name="mine", arguments=["-map-by", "core"], placement="node")
    assert "'-map-by' of the setting 'mine' both say where ranks run" in refused("node", more=(setting,))
    template = msgspec.structs.replace(mpich, launcher=["mine", "{program}"], dialect=TEMPLATE)
    assert "it has a launcher with a template" in refused("node", stack=template)
    assert list(tmp_path.iterdir()) == [tmp_path / "one"]
