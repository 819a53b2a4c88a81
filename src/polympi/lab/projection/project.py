"""From a run to its projection: costs, simulations, and the analytic model for comparison."""

import datetime
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from polympi import __version__
from polympi.lab.bindings.manifest import Announces, Entry, load_bindings
from polympi.lab.errors import UsageError
from polympi.lab.projection import simulator
from polympi.lab.projection.cases import Case, usual_cases, with_first
from polympi.lab.projection.costs import NOTHING, c_points, costs_of
from polympi.lab.projection.model import ArmCosts, Network, Points, Projected, Projection
from polympi.lab.projection.network import measured_network, network_of
from polympi.lab.projection.plan import plan_text
from polympi.lab.projection.rows import rows_of
from polympi.lab.projection.simulator import platform_xml
from polympi.lab.records import AGAIN, StackRun, all_here
from polympi.lab.statistics.model import Analysis
from polympi.lab.suggest import did_you_mean

Say = Callable[[str], None]
_Done = dict[tuple[str, int], simulator.Simulated]  # by stack and number of ranks


@dataclass(frozen=True)
class Request:
    """What is to be projected."""

    run: str
    ranks: Sequence[int]  # numbers of ranks
    network: Network | Path  # the network, or the result directory of a run over two hosts that measured it
    bindings: Sequence[str] = ()  # arms; empty for all bindings that were measured, without further arms of C
    stacks: Sequence[str] = ()  # stacks; empty for all
    ranks_per_node: int | None = None  # instead of the network's; None for that
    cases: Sequence[Case] = ()
    command: Sequence[str] = ()


@dataclass(frozen=True)
class _Job:
    stack: Projected
    ranks: int
    plan: str


def project(analysis: Analysis, request: Request, say: Say = lambda _: None) -> Projection:
    """Project the costs of a run; UsageError if there is nothing to project, SimulatorError if SimGrid fails."""
    simulator.check_ranks(list(request.ranks))
    program, version = simulator.compiled(), simulator.version()
    stacks = [_inputs(analysis, one, request) for one in _stacks(analysis, request.stacks)]
    cases = list(request.cases) or usual_cases()
    ranks = sorted(request.ranks)
    projected = (
        stacks
        if request.cases
        else [msgspec.structs.replace(stack, arms=[arm for arm in stack.arms if arm.shown]) for stack in stacks]
    )
    simulated = with_first(cases)
    jobs = [
        _Job(stack, n, plan_text(stack, simulated, n)) for n in reversed(ranks) for stack in projected if stack.arms
    ]
    done = _simulated(jobs, program, say)
    rows = [
        row
        for stack in projected
        if stack.arms
        for n in ranks
        for row in rows_of(stack, n, cases, done[stack.stack, n].seconds)
    ]
    return Projection(
        polympi=__version__,
        run=request.run,
        created=datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        simulator=version,
        command=list(request.command),
        ranks=ranks,
        stacks=[_with_record(stack, jobs, done) for stack in stacks],
        rows=rows,
        program=simulator.source(),
    )


def _simulated(jobs: Sequence[_Job], program: Path, say: Say) -> _Done:
    """All simulations, as many at a time as there are processors; whatever interrupts them ends those that run."""
    done: _Done = {}
    ending = threading.Event()

    def run(job: _Job) -> None:
        if not ending.is_set():
            say(f"simulating {job.ranks} ranks of {job.stack.stack}")
            stack = job.stack
            found = simulator.simulate(
                program, job.plan, stack.network, job.ranks, selector=stack.selector, ending=ending
            )
            done[stack.stack, job.ranks] = found

    with ThreadPoolExecutor(max_workers=max(1, len(psutil.Process().cpu_affinity() or [1]))) as pool:
        futures = [pool.submit(run, job) for job in jobs]
        try:
            for future in futures:
                future.result()
        finally:
            ending.set()
    return done


def _with_record(stack: Projected, jobs: Iterable[_Job], done: _Done) -> Projected:
    own = [job for job in jobs if job.stack.stack == stack.stack]
    return msgspec.structs.replace(
        stack,
        commands={job.ranks: done[stack.stack, job.ranks].command for job in own},
        plans={job.ranks: job.plan for job in own},
        platforms={job.ranks: platform_xml(stack.network, job.ranks) for job in own},
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
    entries = {name: binding.entry for name, binding in load_bindings().items()}
    taken = None if shared_memory(analysis) else _way_of(analysis, stack.stack)
    costs = {one.binding: one for one in costs_of(analysis, stack.stack, _ways(entries), taken)}
    for name in request.bindings:
        if name not in costs:
            raise UsageError(
                f"'{name}' cannot be projected from {stack.stack}: that needs its ping-pong (latency/standard) of two "
                f"sizes in six blocks; there are {', '.join(costs) or 'none'}.{did_you_mean(name, costs)}"
            )
    others = [name for name in costs if name != AGAIN and stack.languages.get(name) != "C"]
    names = list(dict.fromkeys(request.bindings)) or others or list(costs)
    if not names:
        raise UsageError(
            f"Nothing of {stack.stack} can be projected: no binding has a ping-pong of two sizes in six blocks or more."
        )
    stack_metadata = analysis.environment.stacks.get(stack.installation)
    family = (stack_metadata.family if stack_metadata else "") or stack.installation
    selector = simulator.selector_of(family)
    return Projected(
        stack=stack.installation,
        family="mpich" if selector == "mpich" else family,
        selector=selector,
        network=_network(analysis, stack, request),
        arms=[costs[name] for name in names],
        by_network=not shared_memory(analysis),
    )


def _ways(entries: Mapping[str, Entry]) -> dict[str, ArmCosts]:
    """How arms send between hosts, as their manifests say; without costs."""
    found = {}
    for name, entry in entries.items():
        announces = entry.announces or Announces(from_bytes=0)
        found[name] = ArmCosts(
            binding=name,
            payload="",
            message=NOTHING,
            calls=entry.calls,
            announced_from=announces.from_bytes,
            rounds=announces.rounds,
            follows=announces.follows,
            doubles=entry.doubles,
        )
    return found


def shared_memory(analysis: Analysis) -> bool:
    """Whether the messages of a run went by memory that its ranks share."""
    run = analysis.run
    return run.hostfile is None and not run.launching.by_network and all_here(run, analysis.environment)


def _way_of(analysis: Analysis, stack: str) -> Network:
    """What the messages of a run took that shared no memory."""
    return network_of(c_points(analysis, stack), c_points(analysis, stack, "bandwidth"), stack)


def _network(analysis: Analysis, stack: StackRun, request: Request) -> Network:
    """The network with what a message takes within a node: as C was measured, if its ranks shared memory."""
    found = request.network
    network = measured_network(found, stack.installation) if isinstance(found, Path) else found
    per_node = request.ranks_per_node or network.ranks_per_node
    within: Points = [(size, time / 2) for size, time in c_points(analysis, stack.stack)]
    if not shared_memory(analysis):  # then nothing is known of it; a rank alone sends there to itself, a copy
        within = network.send if per_node > 1 else []
    return msgspec.structs.replace(network, ranks_per_node=per_node, node_send=within, node_receive=within)
