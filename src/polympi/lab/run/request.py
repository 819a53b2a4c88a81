"""The request of a user, and which part of it can be done on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import msgspec
import psutil

from polympi.lab.arms import AGAIN, REFERENCE
from polympi.lab.bindings.build import build, output_folder, program_command, why_not_ready
from polympi.lab.bindings.harness import start_library
from polympi.lab.bindings.manifest import ALL, Binding, asked_for, default_bindings
from polympi.lab.catalogue import BENCHMARKS, PAGES, Case
from polympi.lab.cluster.cluster import Cluster
from polympi.lab.cluster.hostfile import read_hostfile
from polympi.lab.cluster.manage import check_reachable
from polympi.lab.cluster.state import clusters_folder
from polympi.lab.conclusions.phrases import count
from polympi.lab.environment.allocation import allocation
from polympi.lab.environment.processor import affinity_metadata
from polympi.lab.errors import BuildError, UsageError
from polympi.lab.launch.launcher import Arm
from polympi.lab.plan.cases import possible_on, select_cases
from polympi.lab.plan.growth import check_growth, problems
from polympi.lab.plan.limits import limits_grown, limits_of, with_limits
from polympi.lab.plan.memory import without_room
from polympi.lab.plan.placements import binding_word, topology_of, why_impossible
from polympi.lab.plan.profiles import Profile
from polympi.lab.plan.settings import why_no_part
from polympi.lab.records import STRONG, USUAL_LAUNCHING, WEAK, Finding, Launching, Level, Refusal
from polympi.lab.run.fitting import without_time
from polympi.lab.stacks.stack import TEMPLATE, Stack
from polympi.lab.suggest import did_you_mean
from polympi.lab.tools.find import FoundTool, find_tool
from polympi.lab.tools.known import TOOLS
from polympi.lab.tools.tool import Tool
from polympi.lab.units import format_bytes

TOOL_RANKS = 2  # with which third-party tools are launched, if there are several numbers of ranks
NO_TOOL = "none"  # instead of names: no third-party tool
BASE = Level()  # where there is nothing to compare but bindings


@dataclass(frozen=True)
class Request:
    """A run as it was asked for; names are checked when it is prepared."""

    output: Path  # the result directory, which must not exist
    stacks: Sequence[Stack]  # the stacks to measure on
    bindings: dict[str, Binding]  # all bindings that are known
    # Names of bindings; None for the default ones. The reference and the A/A arm always run. One that cannot run ends
    # the run if it was named, and is left out if `all` were asked for.
    wanted: Sequence[str] | None
    benches: Sequence[str]  # benchmarks or patterns of cases; empty for all
    sizes: Sequence[int] | None  # sizes in bytes; None for the profile's
    ranks: Sequence[int]  # the numbers of ranks, ascending; what is measured with one of them is measured with each
    profile: Profile  # how thoroughly; with the cases and bindings of the study, if there is one
    seed: int  # of every random order
    pages: str = PAGES[0]  # what message buffers lie on, one of `PAGES`
    hostfile: Path | None = None  # hosts, in the launcher's format; of a cluster, in that of any launcher
    # The test cluster on this machine whose hosts the file names; None for real hosts, or this one.
    cluster: Cluster | None = None
    time_limit_s: float | None = None  # for all measuring; None for no limit
    # After which a launch is ended; None for that of the profile, which knows the ranks.
    launch_timeout_s: float | None = None
    # Names of third-party tools to launch next to C; None for none, or, if all bindings are asked for, for those that
    # are there. One that is named and cannot run ends the run; `all` means those that can.
    tools: Sequence[str] | None = None
    command: Sequence[str] = ()  # the command line, recorded
    bindings_from: Sequence[Path] = ()  # the folders of further bindings, recorded
    # Whether the sizes are those of a problem for all ranks (`strong`) or for each of them (`weak`).
    scaling: str = STRONG
    study: str = ""  # its name, recorded
    # Of factors; each is measured, the base first. Empty if there is nothing to compare but bindings.
    levels: Sequence[Level] = ()
    launching: Launching = USUAL_LAUNCHING  # how ranks are started, if not as each stack does (`settled`)

    @property
    def all_here(self) -> bool:
        """Whether all ranks run on this machine; how many do otherwise, a host file does not say."""
        return (self.hostfile is None and not self.launching.elsewhere) or self.cluster is not None

    @property
    def records_demands(self) -> bool:
        """Whether it is recorded what arms ask of MPI, which needs the files of all ranks on this machine."""
        here = self.hostfile is None and not self.launching.elsewhere and not self.launching.carried
        return self.profile.demands and here

    @property
    def takes_network(self) -> bool:
        """Whether messages take a network: ranks are on several hosts, or may not share memory on one."""
        return self.hostfile is not None or self.launching.elsewhere or self.launching.by_network


@dataclass
class StackPlan:
    """What will be done on one stack, with one number of ranks, at one level."""

    stack: Stack  # with the variables of the level
    arms: list[Arm]  # the bindings that run, the reference first, the A/A arm second
    cases: dict[str, list[Case]]  # the cases of each arm
    not_covered: dict[str, list[Refusal]]  # the cases an arm does not cover, and why
    left_out: dict[str, str] = field(default_factory=dict)  # bindings, tools and benchmarks that cannot run, and why
    tools: list[FoundTool] = field(default_factory=list)  # the third-party tools that run
    ranks: int = 2  # ranks of a launch
    of_several: bool = False  # whether the run has other numbers of ranks, too
    # In weak scaling, the cases here, each with its problem of one rank.
    grown_from: dict[Case, Case] = field(default_factory=dict)
    level: Level = BASE  # how all of it is launched

    @property
    def name(self) -> str:
        """What records and samples call the stack: its name, the ranks where the run has several numbers, the level.

        So each number of ranks and each level has its own reference, calibration, trials and stop rule, and its own
        conclusions.
        """
        ranks = [count(self.ranks, "rank")] if self.of_several else []
        return ", ".join([self.stack.name, *ranks, *filter(None, [self.level.name])])

    def at(self, level: Level) -> StackPlan:
        """This request at a level; third-party tools run at the base only."""
        stack = msgspec.structs.replace(self.stack, environment={**self.stack.environment, **level.environment})
        return replace(self, stack=stack, level=level)

    def all_cases(self) -> list[Case]:
        """The cases that the reference and another arm than the A/A arm, or a tool, measure; all, if it is alone.

        What shows what memory allows them is measured with them, though by the reference alone.
        """
        others = [set(cases) for name, cases in self.cases.items() if name not in (REFERENCE, AGAIN)]
        others += [set(self.cases_of(found.tool)) for found in self.tools]
        wanted = set().union(*others) if others else set(self.cases[REFERENCE])
        wanted.update(limits_of(wanted))
        return [case for case in self.cases[REFERENCE] if case in wanted]

    def cases_of(self, tool: Tool) -> list[Case]:
        """The cases of the reference that a tool measures, too."""
        cases = [case for case in self.cases[REFERENCE] if case == tool.case(case.size_bytes)]
        sizes = tool.usable([case.size_bytes for case in cases])
        return [case for case in cases if case.size_bytes in sizes]


def check(request: Request) -> list[Case]:
    """Check all that can be checked before anything is installed, built or made; return the cases."""
    for path in (request.output, request.hostfile or request.output):
        if any(
            "\udc80" <= sign <= "\udcff" for sign in str(path.absolute())
        ):  # how Python represents bytes that aren't text
            raise UsageError(f"The path {str(path)!a} is not valid UTF-8 and could not be recorded: choose another.")
    if request.output.exists():
        raise UsageError(
            f"'{request.output}' exists and results are never overwritten: choose another directory with -o."
        )
    if request.hostfile is not None:
        check_hosts(request.hostfile)
    if request.cluster is not None:
        check_reachable(request.cluster, [Path.cwd(), request.output, *(stack.folder for stack in request.stacks)])
    chosen(request)
    wanted_tools(request)
    _check_placements(request)
    named_tools = [name for name in request.tools or () if name in TOOLS]
    if named_tools and len(request.ranks) > 1 and TOOL_RANKS not in request.ranks:
        raise UsageError(
            f"--tool {named_tools[0]} cannot take part: with several numbers of ranks, tools run with {TOOL_RANKS} of "
            f"them, and --ranks {','.join(map(str, request.ranks))} has no {TOOL_RANKS}."
        )
    cases = select_cases(request.profile, request.benches, request.sizes, max(request.ranks))
    check_growth(request.scaling, cases, request.ranks)
    for ranks in request.ranks:
        grown = list(problems(request.scaling, cases, ranks))
        if request.benches and cases and not (possible_on(grown, ranks) or _has_launch_figures(request.benches)):
            raise UsageError(
                f"Nothing that was asked for can be measured on {count(ranks, 'rank')}: leave {ranks} out of --ranks."
            )
    return cases


def _check_placements(request: Request) -> None:
    """Make sure that this machine, or the host file, has the placements that were asked for."""
    placements = list(dict.fromkeys(level.placement for level in request.levels if level.placement))
    for stack in request.stacks:
        if placements and stack.understands == TEMPLATE:
            raise UsageError(
                f"--placement cannot be had on stack '{stack.name}': it has a launcher with a template, whose words "
                "for the binding of ranks polympi does not know; tell it yourself with --launcher-args or --with."
            )
        if placements and (word := binding_word(stack.launcher_arguments)):
            raise UsageError(
                f"--placement and '{word}' of the launcher's arguments both say where ranks run: leave one of them out."
            )
    for level in request.levels:
        if placements and (word := binding_word(level.arguments)):
            raise UsageError(
                f"--placement and '{word}' of the setting '{level.name}' both say where ranks run: leave one of them "
                "out."
            )
    topology = topology_of({"affinity": affinity_metadata()}) if request.all_here else None
    job = None if request.hostfile is not None or not placements else allocation()
    hosts = len(read_hostfile(request.hostfile)) if request.hostfile is not None else len(job.hosts) if job else 0
    for ranks in request.ranks:
        for placement in placements:
            if why := why_impossible(placement, ranks, topology, hosts):
                raise UsageError(f"--placement {placement} cannot be had: {why}.")


def _has_launch_figures(benches: Sequence[str]) -> bool:
    """Whether a benchmark without cases, which every launch measures, is among those asked for by name."""
    return any(bench in BENCHMARKS and BENCHMARKS[bench].launch_figure for bench in benches)


def prepare(request: Request, say: Callable[[str], None] = lambda _: None) -> list[StackPlan]:
    """Check the request, build what it needs, and say what will be measured on each stack."""
    cases = check(request)
    return _plans(request, cases, partial(_built, say=say))


def preview(request: Request) -> list[StackPlan]:
    """What :func:`prepare` would plan, without building anything."""
    cases = check(request)
    return _plans(request, cases, output_folder)


def _plans(request: Request, cases: Sequence[Case], made: Callable[[Binding, Stack], Path]) -> list[StackPlan]:
    plans: list[StackPlan] = []
    for stack in request.stacks:
        for ranks in request.ranks:
            grown = problems(request.scaling, cases, ranks)
            plan = plan_stack(request, stack, list(grown), made, ranks)
            plan.grown_from = limits_grown(grown) if request.scaling == WEAK else {}
            plans += _at_levels(plan, request.levels)
    for level in request.levels:
        if level not in [plan.level for plan in plans]:
            why = plans[0].left_out[f"the setting {level.name}"]
            raise UsageError(f"The setting '{level.name}' would change nothing on the stacks of this run: {why}.")
    return plans


def _at_levels(plan: StackPlan, levels: Sequence[Level]) -> list[StackPlan]:
    """The plan at each level that can make a difference on its stack, the base first."""
    if not levels:
        return [plan]
    base = plan.at(levels[0])
    plans = [base]
    for level in levels[1:]:
        if why := why_no_part(level, plan.stack.family):
            base.left_out[f"the setting {level.name}"] = why
        else:
            plans.append(replace(plan.at(level), tools=[], left_out=dict(plan.left_out)))
    return plans


def _built(binding: Binding, stack: Stack, *, say: Callable[[str], None]) -> Path:
    if not output_folder(binding, stack).is_dir():
        say(f"building {binding.name} for {stack.name}")
    built = build(binding, stack)
    start_library(stack)
    program_command(binding, stack, built, Path(), Path())  # a wrong manifest is found before measuring
    return built


def plan_stack(
    request: Request, stack: Stack, cases: Sequence[Case], made: Callable[[Binding, Stack], Path], ranks: int
) -> StackPlan:
    """What of all cases can be measured on one stack, with one number of ranks; `made` builds a binding's program."""
    possible = possible_on(cases, ranks)
    arms, left_out = [], {}
    short = _without_time(request, stack, possible, ranks)
    for binding in chosen(request):
        reason = why_not_ready(binding, stack) or short.get(binding.name)
        if reason is None:
            try:
                arms.append(Arm(binding, made(binding, stack)))
                continue
            except BuildError as error:
                reason = str(error)
        if binding.name in (REFERENCE, AGAIN, *(request.wanted or ())):
            raise BuildError(f"Binding '{binding.name}' cannot take part on stack '{stack.name}': {reason}")
        left_out[binding.name] = reason
    for case in cases:
        if case not in possible:
            few = ranks < BENCHMARKS[case.benchmark].minimum_ranks
            need = count(BENCHMARKS[case.benchmark].minimum_ranks, "rank")
            too_small = f"a mesh is too small for {count(ranks, 'rank')}"
            left_out[case.benchmark] = f"it needs at least {need}" if few else too_small
    possible = _with_room(request, possible, ranks, left_out)
    limits = set(limits_of(possible))  # of which nobody asks another arm than C
    not_covered = {
        arm.name: [
            Refusal(str(case), why)
            for case in possible
            if case not in limits and (why := arm.binding.why_not(case)) is not None
        ]
        for arm in arms
    }
    measured = with_limits(possible)
    covered = {arm.name: [case for case in measured if arm.binding.why_not(case) is None] for arm in arms}
    plan = StackPlan(stack, arms, covered, not_covered, left_out, ranks=ranks, of_several=len(request.ranks) > 1)
    plan.tools = _tools(request, plan)
    if possible and not plan.all_cases():
        raise UsageError("None of the chosen bindings covers any of the chosen benchmarks: 'polympi list' shows both.")
    return plan


def _with_room(request: Request, cases: Sequence[Case], ranks: int, left_out: dict[str, str]) -> list[Case]:
    """The cases whose messages fit into the memory of this machine; why others are left out is added to `left_out`."""
    if not request.all_here:
        return list(cases)
    lacking = without_room(cases, ranks, psutil.virtual_memory().available)
    if cases and len(lacking) == len(cases):
        raise UsageError(f"There is no memory for any of the cases: {next(iter(lacking.values()))}.")
    smallest = {case.pattern: case for case in sorted(lacking, key=lambda c: -c.size_bytes)}
    left_out.update(
        {f"{pattern} from {format_bytes(case.size_bytes)}": lacking[case] for pattern, case in smallest.items()}
    )
    return [case for case in cases if case not in lacking]


def _without_time(request: Request, stack: Stack, cases: Sequence[Case], ranks: int) -> dict[str, str]:
    """Of all bindings those for which the profile has no time, and why; those that were named always run."""
    if ALL not in (request.wanted or ()):
        return {}
    return without_time(
        [binding for binding in chosen(request) if why_not_ready(binding, stack) is None],
        [REFERENCE, AGAIN, *named(request)],
        cases,
        request.profile,
        family=stack.family,
        ranks=ranks,
        processors=len(os.sched_getaffinity(0)) if request.all_here else None,
        parts=len(request.stacks) * len(request.ranks) * max(1, len(request.levels)),
    )


def _tools(request: Request, plan: StackPlan) -> list[FoundTool]:
    found = []
    wanted = wanted_tools(request)
    if plan.of_several and plan.ranks != TOOL_RANKS:
        why = f"with several numbers of ranks, tools run with {TOOL_RANKS} of them"
        plan.left_out.update(dict.fromkeys(wanted if request.tools else (), why))
        return []
    for name in wanted:
        tool = TOOLS[name]
        part = _why_no_part(tool, plan) or find_tool(tool, plan.stack)
        if isinstance(part, FoundTool):
            found.append(part)
        elif name in (request.tools or ()):
            raise BuildError(f"The tool '{name}' cannot take part on stack '{plan.stack.name}': {part}.")
        elif request.tools:
            plan.left_out[name] = part
    return found


def _why_no_part(tool: Tool, plan: StackPlan) -> str | None:
    if tool.only_two and plan.ranks != 2:
        return f"it takes 2 ranks, and --ranks is {plan.ranks}"
    if not plan.cases_of(tool):
        return f"it measures {tool.case(0).pattern}, of which this run has no size that it can be asked for"
    return None


def wanted_tools(request: Request) -> list[str]:
    """The tools that were asked for, each once; all where ``all`` were, or all bindings and nothing of tools."""
    asked = request.tools if request.tools is not None else [ALL] if ALL in (request.wanted or ()) else []
    for name in asked:
        if name not in (*TOOLS, ALL, NO_TOOL):
            raise UsageError(
                f"There is no tool '{name}': choose {', '.join(TOOLS)}, {ALL} or {NO_TOOL}.{did_you_mean(name, TOOLS)}"
            )
    if NO_TOOL in asked:
        return []
    return list(TOOLS) if ALL in asked else list(dict.fromkeys(asked))


def check_hosts(hostfile: Path) -> None:
    """Make sure that a host file names hosts, and nothing else."""
    if hostfile.is_dir():
        raise UsageError(f"The host file '{hostfile}' is a directory: give a file with one host per line.")
    if not hostfile.is_file():
        of_cluster = clusters_folder() in hostfile.absolute().parents
        why = " Its cluster is not up: 'polympi cluster up' makes one." if of_cluster else ""
        raise UsageError(f"There is no host file '{hostfile}'.{why}")
    read_hostfile(hostfile)


def only_one_host(request: Request) -> list[Finding]:
    """A warning if a host file names one host alone, and nobody asked for ranks on one."""
    asked = request.launching.by_network or any(level.placement for level in request.levels)
    if request.hostfile is None or asked or max(request.ranks) < 2 or len(slots := read_hostfile(request.hostfile)) > 1:
        return []
    text = f"The host file '{request.hostfile}' names {next(iter(slots))} alone: no message takes the network."
    return [Finding("warning", "One host", text, "Name a second host, or leave out --hostfile.")]


def chosen(request: Request) -> list[Binding]:
    """The bindings asked for, the reference and the A/A arm first."""
    known = request.bindings
    wanted = _wanted(request)
    bindings = default_bindings(known) if wanted is None else asked_for(known, wanted)
    if wanted is None or ALL in wanted:
        bindings.sort(key=lambda binding: binding.folder == known[REFERENCE].folder)  # what C itself shows comes last
    first = [known[REFERENCE], known[AGAIN]]
    return [*first, *(binding for binding in bindings if binding not in first)]


def named(request: Request) -> list[str]:
    """The bindings that were asked for by name, each once."""
    return [name for name in dict.fromkeys(_wanted(request) or ()) if name != ALL]


def _wanted(request: Request) -> Sequence[str] | None:
    """The names that were given, by the user or by the profile; None for the default bindings."""
    return request.wanted or [name for name in request.profile.bindings if name in request.bindings] or None
