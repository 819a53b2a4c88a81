"""The plan of a simulation: what ``programs/patterns.cpp`` reads."""

from collections.abc import Sequence

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.projection.cases import ENDS_BELOW, Case
from polympi.lab.projection.costs import NOTHING
from polympi.lab.projection.model import BUILT, CALLED, LEVELS, ArmCosts, Line, Network, Points, Projected
from polympi.lab.records import REFERENCE

DOUBLED = "doubled"  # the style of an allreduce that is recursive doubling, whatever the library's is
NO_COST = ArmCosts(binding=REFERENCE, payload="bytes", message=NOTHING)


def plan_text(stack: Projected, cases: Sequence[Case], ranks: int) -> str:
    """The plan for all arms of a stack; times in seconds."""
    network = stack.network
    curves = {
        "wire-send": network.send,
        "wire-receive": network.receive,
        "wire-both": network.both,
        "node-send": network.node_send,
        "node-receive": network.node_receive,
    }
    lines = [f"curve {name} {_curve(points)}" for name, points in curves.items()]
    lines.append(
        f"way {network.latency_ns * 1e-9:.12g} {network.bandwidth_mb_per_s * 1e6:.12g} {network.ranks_per_node}"
    )
    lines += ["mpich5"] if follows_mpich5(stack.selector, network) else []
    # SMPI has the rules of Open MPI 1, by which a bcast of large data goes down a tree in pieces.
    lines += ["openmpi5"] if stack.selector == "ompi" else []
    lines += _arm_lines(REFERENCE, NO_COST, "median", cases, ranks)
    if any(arm.doubles for arm in stack.arms):
        reductions = [case for case in cases if case.pattern.name == "allreduce" and case.simulated(ranks)]
        lines += [f"case {case.pattern.name} {case.size_bytes} {DOUBLED}" for case in reductions]
    for arm in stack.arms:
        for level in simulated_levels(arm, ranks):
            lines += _arm_lines(f"{arm.binding}/{level}", arm, level, cases, ranks)
    return "\n".join(lines) + "\n"


def follows_mpich5(selector: str, network: Network) -> bool:
    """Whether bcast and allreduce are those of MPICH 5, and not those that SMPI has.

    Of a bcast that goes down a tree, SMPI makes segments, and has the messages of a rank share its wire. Allreduces of
    at least as many elements as ranks MPICH 5 makes of a reduce-scatter and an allgather between nodes of one rank, at
    any size (with ``MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling`` it takes half the time over two hosts from
    64 bytes on, docs/projection.md). SMPI has the older rule, by which this begins above 2 KiB; how MPICH 5 divides the
    work where nodes have several ranks is not known here.
    """
    return selector == "mpich" and network.ranks_per_node == 1


def simulated_levels(arm: ArmCosts, ranks: int) -> list[str]:
    """The levels of an arm that are simulated: those in which it costs something, each different from those before.

    With many ranks it is the median only, from which :func:`~polympi.lab.projection.rows.time_ns` derives the others,
    unless that costs nothing.
    """
    if ends_scaled(arm, ranks):
        return ["median"]
    seen: list[object] = [_levels(NO_COST, "median")]
    own = []
    for level in LEVELS:
        if (costs := _levels(arm, level)) not in seen:
            seen.append(costs)
            own.append(level)
    return own


def ends_scaled(arm: ArmCosts, ranks: int) -> bool:
    """Whether the ends of an arm's intervals are derived from its median, not simulated."""
    return ranks >= ENDS_BELOW and arm.message.median.per_call_ns > 0


def simulated_as(arm: ArmCosts, level: str, ranks: int) -> str:
    """The name in the plan of the first arm with the costs of this one."""
    costs = _levels(arm, level)
    if costs == _levels(NO_COST, "median"):
        return REFERENCE
    return next(f"{arm.binding}/{one}" for one in simulated_levels(arm, ranks) if _levels(arm, one) == costs)


def called_line(arm: ArmCosts, collective: str, level: str) -> Line:
    """What an arm adds to a call of a collective: as measured, else as much as to a message."""
    return arm.collectives.get(collective, arm.message).at(level)


def _levels(arm: ArmCosts, level: str) -> tuple[Line, dict[str, Line]]:
    costs = {name: span.at(level) for name, span in arm.collectives.items()}
    return arm.message.at(level), {name: line for name, line in costs.items() if line != Line()}


def _arm_lines(name: str, arm: ArmCosts, level: str, cases: Sequence[Case], ranks: int) -> list[str]:
    """An arm and its cases. What a called collective costs is added to C's, and need not be simulated."""
    lines = [f"arm {name} {_curve(arm.message.at(level).curve(), 0.5)}"]
    for collective in BENCHMARKS:
        lines.append(f"collective {collective} {_curve(called_line(arm, collective, level).curve())}")
    for case in cases:
        if case.simulated(ranks):
            styles = [style for style in case.pattern.styles if style == BUILT or not case.pattern.collective]
            lines += [f"case {case.pattern.name} {case.size_bytes} {style}" for style in styles]
    return lines


def _curve(points: Points, part: float = 1.0) -> str:
    """Sizes in bytes, each with a part of its time in seconds."""
    return " ".join(f"{size} {time_ns * part * 1e-9:.12g}" for size, time_ns in points)


def is_called(case: Case, style: str) -> bool:
    """Whether a case is a collective that the binding only calls."""
    return case.pattern.collective and style == CALLED
