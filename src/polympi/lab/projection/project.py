"""From a run to its projection: costs, simulations, the analytic model beside them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from polympi import __version__
from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.errors import UsageError
from polympi.lab.projection import simulator
from polympi.lab.projection.cases import Case, usual_cases
from polympi.lab.projection.costs import NOTHING, c_points, costs_of
from polympi.lab.projection.loggp import Model, time_of
from polympi.lab.projection.model import (
    BUILT,
    CALLED,
    LEVELS,
    ArmCosts,
    Line,
    Network,
    Points,
    Projected,
    Projection,
    Row,
)
from polympi.lab.projection.network import measured_network
from polympi.lab.projection.platform import platform_xml
from polympi.lab.records import AGAIN, REFERENCE, StackRun, all_here
from polympi.lab.statistics.model import Analysis
from polympi.lab.suggest import did_you_mean

Say = Callable[[str], None]
_Seconds = dict[tuple[str, str, int, str], float]  # as :class:`simulator.Simulated` has them
_NO_COST = ArmCosts(binding=REFERENCE, payload="bytes", message=NOTHING)


@dataclass(frozen=True)
class Request:
    """What is to be projected.

    Attributes:
        run: name of the result directory.
        ranks: numbers of ranks.
        network: the network, or the result directory of a run over two hosts that measured it.
        bindings: arms; empty for all bindings that were measured, without further arms of C.
        stacks: stacks; empty for all.
        ranks_per_node: in place of the network's; None for that.
        cases: what is projected.
        command: the command line.
    """

    run: str
    ranks: Sequence[int]
    network: Network | Path
    bindings: Sequence[str] = ()
    stacks: Sequence[str] = ()
    ranks_per_node: int | None = None
    cases: Sequence[Case] = ()
    command: Sequence[str] = ()


@dataclass(frozen=True)
class _Job:
    """A simulation: a stack with a number of ranks."""

    stack: Projected
    ranks: int
    plan: str


def project(analysis: Analysis, request: Request, say: Say = lambda _: None) -> Projection:
    """Project the costs of a run.

    Args:
        analysis: the run.
        request: what is asked.
        say: is told what is being done.

    Raises:
        UsageError: a stack or a binding was not measured, or what was measured gives no cost.
        SimulatorError: SimGrid is missing or has failed.
    """
    simulator.check_ranks(list(request.ranks))
    program, version = simulator.compiled(), simulator.version()
    stacks = [_inputs(analysis, one, request) for one in _stacks(analysis, request.stacks)]
    cases = list(request.cases) or usual_cases()
    jobs = [_Job(stack, n, _plan(stack, cases, n)) for n in sorted(request.ranks, reverse=True) for stack in stacks]
    done: dict[tuple[str, int], simulator.Simulated] = {}

    def run(job: _Job) -> None:
        say(f"simulating {job.ranks} ranks of {job.stack.stack}")
        network = job.stack.network
        found = simulator.simulate(program, job.plan, network, job.ranks, job.stack.selector)
        done[job.stack.stack, job.ranks] = found

    with ThreadPoolExecutor(max_workers=max(1, len(psutil.Process().cpu_affinity() or [1]))) as pool:
        for future in [pool.submit(run, job) for job in jobs]:
            future.result()
    rows = [
        row
        for stack in stacks
        for n in sorted(request.ranks)
        for row in _rows(stack, n, cases, done[stack.stack, n].seconds)
    ]
    return Projection(
        polympi=__version__,
        run=request.run,
        created=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        simulator=version,
        command=list(request.command),
        ranks=sorted(request.ranks),
        stacks=[_with_record(stack, jobs, done) for stack in stacks],
        rows=rows,
        platforms={n: platform_xml(stacks[0].network, n) for n in sorted(request.ranks)},
        program=simulator.source(),
    )


def _with_record(stack: Projected, jobs: Iterable[_Job], done: dict[tuple[str, int], simulator.Simulated]) -> Projected:
    own = [job for job in jobs if job.stack is stack]
    return msgspec.structs.replace(
        stack,
        commands={job.ranks: done[stack.stack, job.ranks].command for job in own},
        plans={job.ranks: job.plan for job in own},
        seconds={job.ranks: round(done[stack.stack, job.ranks].wall_s, 2) for job in own},
    )


def _stacks(analysis: Analysis, wanted: Sequence[str]) -> list[StackRun]:
    """The stacks with a ping-pong of C on the fewest ranks that have one."""
    names = [one.installation for one in analysis.run.stacks]
    for name in wanted:
        if name not in names:
            raise UsageError(f"The run has no stack '{name}': it has {', '.join(names)}.{did_you_mean(name, names)}")
    found: dict[str, StackRun] = {}
    for one in analysis.run.stacks:
        if (not wanted or one.installation in wanted) and len(c_points(analysis, one.stack)) >= 2:
            found.setdefault(one.installation, one)
    if not found:
        raise UsageError(
            "The run has no ping-pong of C with two sizes, from which costs could be projected: measure with "
            "'polympi run --bench latency/standard/bytes,barrier,bcast,allreduce,alltoall'."
        )
    return list(found.values())


def _inputs(analysis: Analysis, stack: StackRun, request: Request) -> Projected:
    costs = {one.binding: one for one in costs_of(analysis, stack.stack)}
    for name in request.bindings:
        if name not in costs:
            raise UsageError(
                f"'{name}' cannot be projected from {stack.stack}: that needs its ping-pong (latency/standard) of two "
                f"sizes in six blocks; there are {', '.join(costs) or 'none'}.{did_you_mean(name, costs)}"
            )
    others = [name for name in costs if name != AGAIN and stack.languages.get(name) != "C"]
    names = list(request.bindings) or others or list(costs)
    if not names:
        raise UsageError(
            f"Nothing of {stack.stack} can be projected: no binding has a ping-pong of two sizes in six blocks or more."
        )
    facts = analysis.environment.stacks.get(stack.installation)
    family = (facts.family if facts else "") or stack.installation
    selector = simulator.selector_of(family)
    return Projected(
        stack=stack.installation,
        family="mpich" if selector == "mpich" else family,
        selector=selector,
        network=_network(analysis, stack, request),
        arms=[costs[name] for name in names],
    )


def _network(analysis: Analysis, stack: StackRun, request: Request) -> Network:
    """The network with what a message takes within a node: as C was measured, if its ranks were on one machine."""
    found = request.network
    network = measured_network(found, stack.installation) if isinstance(found, Path) else found
    per_node = request.ranks_per_node or network.ranks_per_node
    within: Points = [(size, time / 2) for size, time in c_points(analysis, stack.stack)]
    if analysis.run.hostfile is not None or not all_here(analysis.run, analysis.environment):
        within = network.send
    return msgspec.structs.replace(network, ranks_per_node=per_node, node_send=within, node_receive=within)


def _plan(stack: Projected, cases: Sequence[Case], ranks: int) -> str:
    """The plan of a simulation; times in seconds."""
    network = stack.network
    curves = {
        "wire-send": network.send,
        "wire-receive": network.receive,
        "node-send": network.node_send,
        "node-receive": network.node_receive,
    }
    lines = [f"curve {name} {' '.join(f'{m} {t * 1e-9:.12g}' for m, t in p)}" for name, p in curves.items()]
    lines += _arm_lines(REFERENCE, _NO_COST, "median", cases, ranks)
    for arm in stack.arms:
        for level in _own_levels(arm):
            lines += _arm_lines(f"{arm.binding}/{level}", arm, level, cases, ranks)
    return "\n".join(lines) + "\n"


def _own_levels(arm: ArmCosts) -> list[str]:
    """The levels in which an arm costs something, each different from those before it."""
    seen: list[object] = [_levels(_NO_COST, "median")]
    own = []
    for level in LEVELS:
        if (costs := _levels(arm, level)) not in seen:
            seen.append(costs)
            own.append(level)
    return own


def _levels(arm: ArmCosts, level: str) -> tuple[Line, dict[str, Line]]:
    costs = {name: span.at(level) for name, span in arm.collectives.items()}
    return arm.message.at(level), {name: line for name, line in costs.items() if line != Line()}


def _arm_lines(name: str, arm: ArmCosts, level: str, cases: Sequence[Case], ranks: int) -> list[str]:
    """An arm and its cases. What a called collective costs is added to C's, and need not be simulated."""
    half = f"{arm.message.at(level).per_call_ns * 0.5e-9:.12g} {arm.message.at(level).per_byte_ns * 0.5e-9:.12g}"
    lines = [f"arm {name} {half} {half}"]
    for collective in BENCHMARKS:
        line = called_line(arm, collective, level)
        lines.append(f"collective {collective} {line.per_call_ns * 1e-9:.12g} {line.per_byte_ns * 1e-9:.12g}")
    for case in cases:
        if case.simulated(ranks):
            styles = [style for style in case.pattern.styles if style == BUILT or not case.pattern.collective]
            lines += [f"case {case.pattern.name} {case.size_bytes} {style}" for style in styles]
    return lines


def called_line(arm: ArmCosts, collective: str, level: str) -> Line:
    """What an arm adds to a call of a collective: as measured, else as much as to a message."""
    return arm.collectives.get(collective, arm.message).at(level)


@dataclass(frozen=True)
class _Place:
    """A case with a number of ranks on a stack, and the way in which a binding's cost comes into it."""

    stack: Projected
    ranks: int
    case: Case
    style: str

    @property
    def called(self) -> bool:
        """Whether it is a collective that the binding only calls."""
        return self.case.pattern.collective and self.style == CALLED


def _rows(stack: Projected, ranks: int, cases: Sequence[Case], seconds: _Seconds) -> list[Row]:
    places = [_Place(stack, ranks, case, style) for case in cases for style in case.pattern.styles]
    return [_row(place, arm, seconds) for arm in stack.arms for place in places]


def _row(place: _Place, arm: ArmCosts, seconds: _Seconds) -> Row:
    low, median, high = (_time_ns(place, arm, level, seconds) for level in LEVELS)
    return Row(
        stack=place.stack.stack,
        binding=arm.binding,
        ranks=place.ranks,
        pattern=place.case.pattern.name,
        size_bytes=place.case.size_bytes,
        style=place.style,
        c_ns=_time_ns(place, _NO_COST, "median", seconds),
        low_ns=low,
        time_ns=median,
        high_ns=high,
        model_ns=_model_ns(place, arm, "median", place.stack.family),
        simulated=place.case.simulated(place.ranks),
    )


def _time_ns(place: _Place, arm: ArmCosts, level: str, seconds: _Seconds) -> float:
    """Time of a case, simulated, or by the model where there are too many messages."""
    case = place.case
    if not case.simulated(place.ranks):  # all libraries send so many messages directly, as MPICH does
        modelled = _model_ns(place, arm, level, "mpich")
        assert modelled is not None
        return modelled
    if place.called:
        line = called_line(arm, case.pattern.name, level)
        of_c = seconds[REFERENCE, case.pattern.name, case.size_bytes, BUILT] * 1e9
        return of_c + line.per_call_ns + line.per_byte_ns * case.size_bytes
    key = (_simulated_as(arm, level), case.pattern.name, case.size_bytes, place.style)
    return seconds[key] * 1e9 / case.operations(place.ranks)


def _simulated_as(arm: ArmCosts, level: str) -> str:
    """The name in the plan of the first arm with the same costs."""
    costs = _levels(arm, level)
    if costs == _levels(_NO_COST, "median"):
        return REFERENCE
    return next(f"{arm.binding}/{one}" for one in _own_levels(arm) if _levels(arm, one) == costs)


def _model_ns(place: _Place, arm: ArmCosts, level: str, family: str) -> float | None:
    """Time of a case by the analytic model; None where it has no schedule."""
    name, size = place.case.pattern.name, place.case.size_bytes
    if place.case.pattern.has_collectives and place.style == CALLED:
        return None
    model = Model(place.stack.network, place.ranks, Line() if place.called else arm.message.at(level))
    found = time_of(model, name, size, family)
    if found is None or not place.called:
        return found
    line = called_line(arm, name, level)
    return found + line.per_call_ns + line.per_byte_ns * size
