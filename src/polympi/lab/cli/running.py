"""What ``polympi run`` does: begin a run, continue one, or say what one would do."""

import dataclasses
import os
import shlex
from pathlib import Path

import typer
from rich.table import Table

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.cli.arguments import choose_stacks
from polympi.lab.cli.asked import Asked
from polympi.lab.cli.console import errors, results, say, say_home
from polympi.lab.cli.display import ending, shown, without_reference
from polympi.lab.cli.exit_codes import INTERRUPTED, NOT_ALL_MEASURED
from polympi.lab.cluster.hostfile import read_hostfile
from polympi.lab.conclusions.phrases import by_reason, count, listing, size_words
from polympi.lab.environment.findings import oversubscribed
from polympi.lab.environment.record import processor_limits
from polympi.lab.errors import UsageError
from polympi.lab.plan.placements import level_words
from polympi.lab.plan.studies import get_study
from polympi.lab.report.exporters import write_report
from polympi.lab.report.terminal import print_summary
from polympi.lab.run.estimate import Estimate, estimate
from polympi.lab.run.launchers import settled
from polympi.lab.run.measure import Measured, measure, measure_again
from polympi.lab.run.reachable import check_names
from polympi.lab.run.request import Request, StackPlan, check, only_one_host, preview
from polympi.lab.run.resume import is_complete, request_again
from polympi.lab.samples.store import RunDirectory
from polympi.lab.stacks.known import FIRST_STACK
from polympi.lab.stacks.recovery import undo_broken_off
from polympi.lab.statistics.analysis import analyse
from polympi.lab.statistics.intervals import MINIMUM_LAUNCHES
from polympi.lab.submit.job import SUBMITS
from polympi.lab.units import format_duration, format_range


def begin(asked: Asked, *, wait: bool) -> None:
    """Measure into a new directory, print the table, write the report; first all is checked that can be."""
    say_home()
    undo_broken_off(say)
    request = asked.request(load_bindings(asked.bindings_from or ()))
    check(request)
    stacks = choose_stacks(asked.stack, one=request.profile.one_stack)
    check_names(dataclasses.replace(request, stacks=stacks))
    with shown() as watcher:
        measured = measure(dataclasses.replace(request, stacks=stacks), watcher=watcher, wait=wait)
    _conclude(measured, asked.time_limit)


def go_on(path: Path, asked: Asked, *, wait: bool, dry_run: bool) -> None:
    """Continue the run in a directory; if it is complete, only report this."""
    say_home()
    directory = RunDirectory.open(path)
    asked.refuse_changes(path)
    time_limit_s, launch_timeout_s = asked.time_limit_s, asked.launch_timeout_s
    if is_complete(directory):
        say(f"the run in '{path}' is complete: nothing is missing; 'polympi report {shlex.quote(str(path))}' shows it")
        return
    request = request_again(directory, time_limit_s=time_limit_s, launch_timeout_s=launch_timeout_s)
    check_names(request)
    if dry_run:
        [first, *others] = directory.run().stacks
        # With several numbers of ranks, tools run with one of them.
        same = [one for one in (first, *others) if one.installation == first.installation]
        tools = next((one.tools for one in same if one.tools), [])
        made = sum(record.outcome == "ok" and record.block is not None for record in directory.launches())
        say(f"the run in '{path}' has {count(made, 'launch')} that count; all of it is:")
        as_new = path.with_name(f"{path.name}-dry-run")  # the plan is made as if the run were a new one
        _show(request, preview(dataclasses.replace(request, output=as_new, wanted=first.bindings, tools=tools)))
        return
    with shown() as watcher:
        measured = measure_again(request, directory, watcher=watcher, wait=wait)
    _conclude(measured, asked.time_limit)


def preview_run(asked: Asked) -> None:
    """Say what would be measured and how long that takes; measure, make and install nothing."""
    say_home()
    request = asked.request(load_bindings(asked.bindings_from or ()))
    check(request)
    stacks = choose_stacks(asked.stack, one=request.profile.one_stack)
    check_names(dataclasses.replace(request, stacks=stacks))
    if not stacks:
        raise UsageError(
            f"No MPI stack is installed yet, so that it is not known what can be measured: 'polympi run' would install "
            f"'{FIRST_STACK}' first; 'polympi stack add {FIRST_STACK}' does that alone."
        )
    request = settled(dataclasses.replace(request, stacks=stacks), say, check=False)
    _show(request, preview(request))


def _show(request: Request, plans: list[StackPlan]) -> None:
    processors = len(os.sched_getaffinity(0)) if request.all_here else None
    estimates = [estimate(plan, request.profile, processors) for plan in plans]
    blocks = f"{request.profile.minimum_blocks} to {request.profile.maximum_blocks}"
    if request.profile.fixed:
        blocks = str(request.profile.maximum_blocks)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("profile", f"{request.profile.name}: {request.profile.summary}")
    if request.study:
        table.add_row("study", f"{request.study}: {get_study(request.study).summary}")
    table.add_row("ranks", ", ".join(map(str, request.ranks)))
    if len(request.ranks) > 1:
        table.add_row("scaling", request.scaling)
    if request.hostfile is not None:
        table.add_row("hosts", listing([f"{name}:{n}" for name, n in read_hostfile(request.hostfile).items()]))
    for level in request.levels:
        if level.name:
            table.add_row(level.factor, f"{level.name}: {level_words(level)}")
    for plan, estimated in zip(plans, estimates, strict=True):
        cases = listing([f"{name} {number}" for name, number in estimated.cases.items()])
        table.add_row("")
        table.add_row("stack", f"{plan.name}, {plan.stack.library}")
        table.add_row("bindings", ", ".join(arm.name for arm in plan.arms))
        for names, reason in by_reason(plan.left_out):
            table.add_row("left out", f"{names}: {reason}")
        if plan.tools:
            table.add_row("tools", ", ".join(found.name for found in plan.tools))
        if plan.grown_from:
            table.add_row("problems", _problems(plan))
        table.add_row("cases", f"{sum(estimated.cases.values())}: {cases}" if cases else "launch figures alone")
        table.add_row("blocks", blocks)
        table.add_row("launches", format_range(str(estimated.fewest_launches), str(estimated.most_launches)))
    results.print(table)
    for finding in only_one_host(request):
        say(f"{finding.text} {finding.advice}")
    if processors is not None and (warning := oversubscribed(processor_limits(), max(request.ranks))):
        errors.print(f"! {warning.text} {warning.advice}", style="yellow", markup=False, soft_wrap=True)
    results.print(f"\nabout {_total(estimates)}, within a factor of two; nothing was measured, made or installed.")


def _problems(plan: StackPlan) -> str:
    """The meshes of weak scaling with the ranks of a plan: ``wave 163³``."""
    sizes = {(case.benchmark, case.size_bytes): case for case in plan.all_cases()}
    return listing(f"{case.benchmark} {size_words(case)}" for case in sizes.values())


def _total(estimates: list[Estimate]) -> str:
    shortest, longest = (sum(getattr(e, name) for e in estimates) for name in ("shortest_s", "longest_s"))
    return format_range(format_duration(shortest), format_duration(longest))


def _conclude(measured: Measured, time_limit: str | None) -> None:
    """Print and write what was measured, and how to continue a run that was interrupted."""
    directory, outcome = measured.directory, measured.outcome
    say(ending(measured))
    lost = _lost(measured)
    again = f"{os.environ.get(SUBMITS, 'polympi')} run --resume {shlex.quote(str(directory.path))}"
    if not any(outcome.blocks.values()) and outcome.ended == "time limit":
        raise UsageError(
            f"The time limit of {time_limit} ended before the first block was complete. {_needs(measured)} "
            f"Give more time: {again} --time-limit TIME"
        )
    if not any(outcome.blocks.values()):
        errors.print(
            f"polympi: {lost}stopped before the first block was complete; '{directory.path}' holds the "
            f"results so far. To continue: {again}",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(INTERRUPTED)
    analysis = analyse(directory)
    written = write_report(analysis, directory.path, ["csv", "html"])
    print_summary(analysis, results)
    for path in written:
        results.print(f"{path.name.rpartition('.')[2]:>4}  {path}", markup=False, soft_wrap=True)
    if outcome.ended == "time limit":
        say(f"the time limit of {time_limit} was too short for all. {_needs(measured)} To continue: {again}")
    if outcome.ended in ("interrupted", "host lost"):
        say(f"{lost}to continue: {again}")
        raise typer.Exit(INTERRUPTED)
    if without := without_reference(outcome):
        text = f"polympi: C failed on {listing(without)}, so that the run ended there: see 'What went wrong' above."
        errors.print(text, style="red", markup=False, soft_wrap=True)
    if outcome.withdrawn:
        raise typer.Exit(NOT_ALL_MEASURED)


def _lost(measured: Measured) -> str:
    """What became of a host that was lost, if that ended the run, before what is to be done."""
    if not measured.outcome.detail:
        return ""
    ours = measured.directory.environment().metadata.get("cluster")
    again = f"'polympi cluster down --name {ours['name']}' removes the cluster, then make it again; " if ours else ""
    return f"{measured.outcome.detail}; {again}"


def _needs(measured: Measured) -> str:
    """What the run would have needed, from what was seen of it."""
    run, block_s = measured.directory.run(), measured.seconds_a_block
    launches = sum(len(stack.bindings) for stack in run.stacks)
    blocks = max(run.minimum_blocks, MINIMUM_LAUNCHES)
    return (
        f"A block of {count(launches, 'launch')} takes about {format_duration(max(block_s, 1))} here, "
        f"and {blocks} blocks, the fewest with a result, {format_duration(max(blocks * block_s, 1))}."
    )
