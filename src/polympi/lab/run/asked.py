"""What was asked of a run, as ``run.json`` keeps it."""

import datetime
from collections.abc import Iterable

from polympi import __version__
from polympi.lab.bindings.given import sources_of
from polympi.lab.bindings.lines import code_lines
from polympi.lab.bindings.manifest import Binding, default_bindings
from polympi.lab.catalogue import WINDOW
from polympi.lab.records import RunRecord, StackRun
from polympi.lab.run.request import Request, StackPlan, named


def record(request: Request, plans: list[StackPlan]) -> RunRecord:
    """The record of what was asked, and of what is possible of it."""
    return RunRecord(
        polympi=__version__,
        created=now(),
        command=list(request.command),
        profile=request.profile.name,
        seed=request.seed,
        ranks=min(request.ranks),
        several_ranks=list(request.ranks) if len(request.ranks) > 1 else [],
        scaling=request.scaling,
        study=request.study,
        hostfile=str(request.hostfile.absolute()) if request.hostfile else None,
        time_limit_s=request.time_limit_s,
        launch_timeout_s=request.launch_timeout_s,
        window=WINDOW,
        pages=request.pages,
        minimum_blocks=request.profile.minimum_blocks,
        maximum_blocks=request.profile.maximum_blocks,
        stacks=[
            StackRun(
                stack=plan.name,
                installed=plan.stack.name if plan.name != plan.stack.name else "",
                ranks=plan.ranks if plan.of_several else 0,
                library=plan.stack.library,
                bindings=[arm.name for arm in plan.arms],
                languages={arm.name: arm.binding.language for arm in plan.arms},
                not_covered={name: refusals for name, refusals in plan.not_covered.items() if refusals},
                left_out=plan.left_out,
                builds={arm.name: arm.built.name for arm in plan.arms},
                sources=sources_of_arms([arm.binding for arm in plan.arms]),
                lines={arm.name: lines for arm in plan.arms if (lines := code_lines(arm.binding))},
                tools=[found.name for found in plan.tools],
                grown_from=_sizes_grown(plan),
                level=plan.level.name,
            )
            for plan in plans
        ],
        benches=list(request.benches),
        sizes=None if request.sizes is None else list(request.sizes),
        bindings_from=[str(folder.absolute()) for folder in request.bindings_from],
        chosen=named(request),
        usual=[binding.name for binding in default_bindings(request.bindings)],
        levels=list(request.levels),
        launching=request.launching,
    )


def sources_of_arms(bindings: Iterable[Binding]) -> dict[str, dict[str, str]]:
    """By the name of a binding the sources that the user gave for it, with their versions."""
    given = {binding.name: {source.name: source.version for source in sources_of(binding)} for binding in bindings}
    return {name: sources for name, sources in given.items() if sources}


def _sizes_grown(plan: StackPlan) -> dict[str, dict[int, int]]:
    """By benchmark the sizes of its cases, each with that of one rank; nothing in strong scaling."""
    sizes: dict[str, dict[int, int]] = {}
    for case, of_one in plan.grown_from.items():
        sizes.setdefault(case.benchmark, {})[case.size_bytes] = of_one.size_bytes
    return sizes


def now() -> str:
    """This moment in UTC, as records keep it."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
