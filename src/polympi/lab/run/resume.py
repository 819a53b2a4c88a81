"""Continue a run that was interrupted: the same request, on the same machine, with the same programs."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from polympi import __version__
from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import Binding, load_bindings
from polympi.lab.catalogue import Case
from polympi.lab.cluster.manage import check_reachable
from polympi.lab.cluster.state import cluster_of
from polympi.lab.conclusions.phrases import listing
from polympi.lab.errors import BuildError, UsageError
from polympi.lab.launch.launcher import planned_case
from polympi.lab.plan.cases import select_cases
from polympi.lab.plan.growth import problems
from polympi.lab.plan.profiles import get_profile
from polympi.lab.plan.studies import get_study
from polympi.lab.records import Environment, RunRecord, StackMetadata, StackRun
from polympi.lab.run.launchers import settled_again
from polympi.lab.run.request import BASE, Request, StackPlan, check_hosts, plan_stack
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.stack import Stack, get_stack

_MACHINE = {  # values in environment.json that decide a time, and what to call them
    ("cpu", "model"): "processor",
    ("affinity", "count"): "number of processors that may be used",
    ("kernel", "machine"): "architecture",
}


def is_complete(directory: RunDirectory) -> bool:
    """Whether a run ended by itself and nothing of it was lost since."""
    outcome = directory.outcome()
    lost = directory.damaged_lines() or any(record.outcome == "lost" for record in directory.launches())
    return outcome is not None and outcome.ended == "complete" and not lost


def request_again(
    directory: RunDirectory, *, time_limit_s: float | None, launch_timeout_s: float | None = None
) -> Request:
    """The request of a run, as it was recorded; the time limit starts again, and another time-out holds from now on."""
    run = directory.run()
    if run.polympi != __version__:
        raise _other(directory, f"polympi {run.polympi} began it, and this is {__version__}")
    if gone := sorted(set(bindings_of(run)) - load_bindings([Path(folder) for folder in run.bindings_from]).keys()):
        raise _other(directory, f"it measures {listing(gone)}, which polympi does not find now")
    request = recorded_request(directory)
    launch_timeout_s = launch_timeout_s or request.launch_timeout_s
    return dataclasses.replace(request, time_limit_s=time_limit_s, launch_timeout_s=launch_timeout_s)


def bindings_of(run: RunRecord) -> list[str]:
    """The bindings that a run measures, on any stack, each once."""
    return list(dict.fromkeys(name for stack in run.stacks for name in stack.bindings))


def recorded_request(directory: RunDirectory) -> Request:
    """The request of a run, as it was recorded, for the default bindings."""
    run = directory.run()
    hostfile = None if run.hostfile is None else Path(run.hostfile)
    cluster = None if hostfile is None else cluster_of(hostfile)
    if hostfile is not None:
        check_hosts(hostfile)
    if cluster is not None:
        check_reachable(cluster, [Path.cwd(), directory.path])
    profile = get_profile(run.profile)
    if run.study:
        profile = get_study(run.study).applied_to(profile)
    profile = dataclasses.replace(profile, minimum_blocks=run.minimum_blocks, maximum_blocks=run.maximum_blocks)
    launching, stacks = settled_again(
        run, [get_stack(name) for name in dict.fromkeys(stack.installation for stack in run.stacks)]
    )
    return Request(
        output=directory.path,
        stacks=stacks,
        launching=launching,
        bindings=load_bindings([Path(folder) for folder in run.bindings_from]),
        wanted=None,
        benches=run.benches,
        sizes=run.sizes,
        ranks=run.every_ranks,
        scaling=run.scaling,
        study=run.study,
        profile=profile,
        seed=run.seed,
        pages=run.pages,
        hostfile=hostfile,
        cluster=cluster,
        launch_timeout_s=run.launch_timeout_s,
        command=run.command,
        bindings_from=[Path(folder) for folder in run.bindings_from],
        levels=run.levels,
    )


def prepare_again(request: Request, directory: RunDirectory, environment: Environment) -> list[StackPlan]:
    """What the run measures, once it is certain that it would be measured as before."""
    run = directory.run()
    if difference := machine_difference(directory.environment(), environment):
        raise _other(directory, difference)
    asked = select_cases(request.profile, request.benches, request.sizes, max(request.ranks))
    stacks = {stack.name: stack for stack in request.stacks}
    return [_plan_again(request, directory, recorded, stacks[recorded.installation], asked) for recorded in run.stacks]


def machine_difference(before: Environment, now: Environment) -> str | None:
    """The first difference between two environments, in what both recorded, that decides a time; or None."""
    for (section, name), words in _MACHINE.items():
        was, is_now = ((environment.metadata.get(section) or {}).get(name) for environment in (before, now))
        if was is not None and is_now is not None and was != is_now:
            return f"the {words} was {was}, and is {is_now}"
    for name, then in before.stacks.items():
        stack = now.stacks.get(name, StackMetadata())
        if then.library != stack.library:
            return f"stack {name} was {then.library}, and is {stack.library or 'gone'}"
        changed = sorted(set(then.packages) ^ set(stack.packages))
        if changed:
            return f"the packages of stack {name} changed ({listing(changed[:4])})"
    return None


def _plan_again(
    request: Request, directory: RunDirectory, recorded: StackRun, stack: Stack, asked: Sequence[Case]
) -> StackPlan:
    def built(binding: Binding, on: Stack) -> Path:
        folder = build(binding, on)
        if folder.name != recorded.builds.get(binding.name):
            raise BuildError(f"its program differs from the one that the run in '{directory.path}' began with")
        return folder

    ranks = recorded.ranks or directory.run().ranks
    cases = [planned_case(case) for case in recorded.cases] or list(problems(request.scaling, asked, ranks))
    wanted = dataclasses.replace(request, wanted=recorded.bindings, tools=recorded.tools)
    try:
        plan = plan_stack(wanted, stack, cases, built, ranks)
    except BuildError as error:
        raise _other(directory, str(error).rstrip(".")) from error
    level = next((one for one in request.levels if one.name == recorded.level), BASE)
    return dataclasses.replace(plan.at(level), not_covered=recorded.not_covered, left_out=recorded.left_out)


def _other(directory: RunDirectory, why: str) -> UsageError:
    return UsageError(
        f"The run in '{directory.path}' cannot be continued: {why}. Its figures could not be compared; begin a new run."
    )
