"""Measure: carry out a request, or continue a run, alone on the machine and ended in order by a signal."""

import contextlib
import dataclasses
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.bindings.manifest import python_requirements
from polympi.lab.conclusions.phrases import by_reason
from polympi.lab.environment.findings import environment_findings
from polympi.lab.environment.record import record_environment
from polympi.lab.records import Environment, Outcome, StackMetadata
from polympi.lab.run.asked import now, record
from polympi.lab.run.exclusive import Holder, only_run_here
from polympi.lab.run.experiment import Experiment
from polympi.lab.run.launchers import check_carried, settled
from polympi.lab.run.reachable import unconnected
from polympi.lab.run.request import Request, StackPlan, chosen, only_one_host, prepare
from polympi.lab.run.resume import prepare_again
from polympi.lab.run.stopping import stop_on_signals
from polympi.lab.run.watcher import Watcher
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.add import add_stack
from polympi.lab.stacks.describe import describe, prebuilt_used
from polympi.lab.stacks.known import FIRST_STACK
from polympi.lab.stacks.stack import Stack, get_stack


@dataclass(frozen=True)
class Measured:
    """What became of a run."""

    directory: RunDirectory  # its result directory
    outcome: Outcome  # how it ended
    seconds_a_block: float  # how long a block of all stacks takes, as far as was seen


def measure(request: Request, *, watcher: Watcher, wait: bool = False) -> Measured:
    """Carry out a request; a signal ends it in order."""
    with _alone(request.output, watcher, wait=wait):
        if not request.stacks:
            request = dataclasses.replace(request, stacks=[_install_first_stack(request, watcher)])
        metadata = record_environment(command=list(request.command))  # before our own builds raise the load
        check_carried(request)
        apart = unconnected(request, watcher.reported)
        request = settled(request, watcher.reported)
        _report_stacks(request, watcher)
        plans = prepare(request, watcher.reported)
        for plan in plans:
            for names, reason in by_reason(plan.left_out):
                watcher.reported(f"left out on {plan.name}: {names}: {reason}")
        if request.cluster is not None:
            metadata["cluster"] = request.cluster.metadata()
        ranks_here = max(request.ranks) if request.all_here else 1
        findings = environment_findings(metadata, ranks_here, by_network=request.takes_network)
        findings = [*only_one_host(request), *apart, *findings, *prebuilt_used(request.stacks)]
        environment = Environment(metadata=metadata, stacks=_described(request), findings=findings)
        directory = RunDirectory.create(request.output, record(request, plans), environment)
        for finding in findings:
            watcher.found(finding)
        return _run(request, plans, directory, watcher)


def measure_again(request: Request, directory: RunDirectory, *, watcher: Watcher, wait: bool = False) -> Measured:
    """Continue an interrupted run; a signal ends it in order."""
    with _alone(directory.path, watcher, wait=wait):
        metadata = record_environment()
        _report_stacks(request, watcher)
        for finding in unconnected(request, watcher.reported):
            watcher.found(finding)
        environment = Environment(metadata=metadata, stacks=_described(request))
        plans = prepare_again(request, directory, environment)
        directory.begin_again(now())
        return _run(request, plans, directory, watcher)


@contextlib.contextmanager
def _alone(output: Path, watcher: Watcher, *, wait: bool) -> Iterator[None]:
    """Hold this machine, so that no other run measures at the same time."""
    holder = Holder(pid=os.getpid(), since=now(), where=os.fsencode(output.absolute()).decode(errors="replace"))
    with only_run_here(holder, wait=wait, say=watcher.reported):
        yield


def _install_first_stack(request: Request, watcher: Watcher) -> Stack:
    watcher.reported(f"no MPI stack is installed yet: installing '{FIRST_STACK}', once")
    add_stack(FIRST_STACK, python_requirements(chosen(request)), say=watcher.reported)
    return get_stack(FIRST_STACK)


def _report_stacks(request: Request, watcher: Watcher) -> None:
    watcher.reported(f"preparing {', '.join(stack.name for stack in request.stacks)}")


def _described(request: Request) -> dict[str, StackMetadata]:
    return {stack.name: describe(stack) for stack in request.stacks}


def _run(request: Request, plans: list[StackPlan], directory: RunDirectory, watcher: Watcher) -> Measured:
    with stop_on_signals() as asked_to_stop:
        experiment = Experiment(
            request,
            plans,
            directory,
            processors=len(os.sched_getaffinity(0)),
            watcher=watcher,
            asked_to_stop=asked_to_stop,
        )
        outcome = experiment.run()
    return Measured(directory, outcome, experiment.seconds_a_block())
