"""Carry out a request at a terminal: told on standard error, ended in order by a signal, alone on the machine."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polympi.lab.cli.console import errors, say
from polympi.lab.cli.display import LiveDisplay, PlainDisplay
from polympi.lab.cli.stopping import stop_on_signals
from polympi.lab.environment.findings import environment_findings
from polympi.lab.environment.record import record_environment
from polympi.lab.run.exclusive import Holder, only_run_here
from polympi.lab.run.experiment import Experiment, now, record
from polympi.lab.run.request import Request, StackPlan, prepare
from polympi.lab.run.resume import prepare_again
from polympi.lab.samples.records import Environment, Outcome
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.describe import describe
from polympi.lab.units import format_duration


@dataclass(frozen=True)
class Measured:
    """What became of a run.

    Attributes:
        directory: its result directory.
        outcome: how it ended.
        seconds_a_block: how long a block of all stacks takes, as far as was seen.
    """

    directory: RunDirectory
    outcome: Outcome
    seconds_a_block: float


def measure(request: Request, *, wait: bool = False) -> tuple[RunDirectory, Outcome]:
    """Carry out a request, telling on standard error how it goes; a signal ends it in order.

    Args:
        request: what to measure.
        wait: wait for another run on this machine to end.

    Raises:
        LabError: it cannot be carried out, as :func:`~polympi.lab.run.request.prepare` and
            :meth:`~polympi.lab.run.experiment.Experiment.run` say, or another run is measuring.
    """
    with alone(request.output, wait=wait):
        measured = measure_held(request)
    return measured.directory, measured.outcome


@contextlib.contextmanager
def alone(output: Path, *, wait: bool) -> Iterator[None]:
    """Hold this machine, so that no other run measures at the same time.

    Raises:
        UsageError: another run is measuring, and we are not to wait.
    """
    holder = Holder(pid=os.getpid(), since=now(), where=os.fsencode(output.absolute()).decode(errors="replace"))
    with only_run_here(holder, wait=wait, say=say):
        yield


def measure_held(request: Request) -> Measured:
    """Carry out a request on a machine that is held (:func:`alone`).

    Raises:
        LabError: see :func:`measure`.
    """
    environment = record_environment(command=list(request.command))  # before our own builds raise the load
    say(f"preparing {', '.join(stack.name for stack in request.stacks)}")
    plans = prepare(request)
    for plan in plans:
        for name, reason in plan.left_out.items():
            say(f"{name} is left out on {plan.stack.name}: {reason}")
    _describe_stacks(environment, request)
    ranks_here = request.ranks if request.hostfile is None else 1  # how many come here, the host file does not tell us
    environment["findings"] = environment_findings(environment, ranks_here)
    directory = RunDirectory.create(request.output, record(request, plans), environment)
    for finding in environment["findings"]:
        if finding["level"] == "warning":
            errors.print(f"! {finding['title']}: {finding['text']} {finding['advice']}", style="yellow", markup=False)
    return _run(request, plans, directory)


def measure_again(request: Request, directory: RunDirectory) -> Measured:
    """Continue a run on a machine that is held (:func:`alone`).

    Args:
        request: from :func:`~polympi.lab.run.resume.request_again`.
        directory: the run.

    Raises:
        LabError: it cannot be continued as it was begun, or see :func:`measure`.
    """
    environment = record_environment()
    say(f"preparing {', '.join(stack.name for stack in request.stacks)}")
    _describe_stacks(environment, request)
    plans = prepare_again(request, directory, environment)
    directory.begin_again(now())
    return _run(request, plans, directory)


def _describe_stacks(environment: Environment, request: Request) -> None:
    environment["stacks"] = {stack.name: describe(stack) for stack in request.stacks}


def _run(request: Request, plans: list[StackPlan], directory: RunDirectory) -> Measured:
    watcher = LiveDisplay(errors) if errors.is_terminal else PlainDisplay(errors)
    with stop_on_signals() as asked_to_stop:
        experiment = Experiment(
            request,
            plans,
            directory,
            processors=len(os.sched_getaffinity(0)),
            watcher=watcher,
            asked_to_stop=asked_to_stop,
        )
        if isinstance(watcher, LiveDisplay):
            with watcher:
                outcome = experiment.run()
        else:
            outcome = experiment.run()
    say(_ending(outcome, directory))
    return Measured(directory, outcome, experiment.seconds_a_block())


def _ending(outcome: Outcome, directory: RunDirectory) -> str:
    seconds = sum(launch.wall_ns for launch in directory.launches()) / 1e9
    blocks = ", ".join(f"{blocks} blocks on {stack}" for stack, blocks in outcome.blocks.items())
    return f"{outcome.ended}: {blocks}, {format_duration(seconds)} of launches"
