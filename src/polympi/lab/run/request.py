"""What a user asks of a run, and what of it can be done on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from polympi.lab.bindings.build import build, program_command, why_not_ready
from polympi.lab.bindings.manifest import Binding
from polympi.lab.catalogue import Case
from polympi.lab.errors import BuildError, UsageError
from polympi.lab.launch.launcher import Arm
from polympi.lab.plan.cases import select_cases
from polympi.lab.plan.profiles import Profile
from polympi.lab.samples.records import AGAIN, REFERENCE, Refusal
from polympi.lab.stacks.stack import Stack


@dataclass(frozen=True)
class Request:
    """A run as it was asked for; names are checked when it is prepared.

    Attributes:
        output: the result directory, which must not exist.
        stacks: the stacks to measure on.
        bindings: all bindings that are known.
        wanted: names of bindings; None for the default ones. The reference and the A/A arm always take part.
        benches: benchmarks or patterns of cases; empty for all.
        sizes: sizes in bytes; None for the profile's.
        ranks: ranks of a launch.
        profile: how thoroughly.
        seed: of every random order.
        hostfile: hosts, in the launcher's format.
        time_limit_s: for all measuring; None for no limit.
        command: the command line, recorded.
    """

    output: Path
    stacks: Sequence[Stack]
    bindings: dict[str, Binding]
    wanted: Sequence[str] | None
    benches: Sequence[str]
    sizes: Sequence[int] | None
    ranks: int
    profile: Profile
    seed: int
    hostfile: Path | None = None
    time_limit_s: float | None = None
    command: Sequence[str] = ()


@dataclass
class StackPlan:
    """What will be done on one stack.

    Attributes:
        arms: the bindings that take part, the reference first, the A/A arm second.
        cases: the cases of each arm.
        not_covered: the cases an arm does not cover, and why.
        left_out: bindings that cannot take part, and why.
    """

    stack: Stack
    arms: list[Arm]
    cases: dict[str, list[Case]]
    not_covered: dict[str, list[Refusal]]
    left_out: dict[str, str] = field(default_factory=dict)

    def all_cases(self) -> list[Case]:
        """The cases that the reference and at least one other arm than the A/A arm measure; all, if alone."""
        others = [set(cases) for name, cases in self.cases.items() if name not in (REFERENCE, AGAIN)]
        wanted = set().union(*others) if others else set(self.cases[REFERENCE])
        return [case for case in self.cases[REFERENCE] if case in wanted]


def prepare(request: Request) -> list[StackPlan]:
    """Check the request, build what it needs, and say what will be measured on each stack.

    Raises:
        UsageError: an unknown name, too few ranks, nothing to measure, or the output exists.
        BuildError: a binding asked for by name cannot take part.
    """
    for path in (request.output, request.hostfile or request.output):
        if any(
            "\udc80" <= sign <= "\udcff" for sign in str(path.absolute())
        ):  # how Python holds bytes that are no text
            raise UsageError(f"The path {str(path)!a} is not valid UTF-8 and could not be recorded: choose another.")
    if request.output.exists():
        raise UsageError(
            f"'{request.output}' exists and results are never overwritten: choose another directory with -o."
        )
    if request.hostfile is not None and not request.hostfile.is_file():
        raise UsageError(f"There is no host file '{request.hostfile}'.")
    cases = select_cases(request.profile, request.benches, request.sizes, request.ranks)
    return [_prepare_stack(request, stack, cases) for stack in request.stacks]


def _prepare_stack(request: Request, stack: Stack, cases: Sequence[Case]) -> StackPlan:
    arms, left_out = [], {}
    for binding in _chosen(request):
        reason = why_not_ready(binding, stack)
        if reason is None:
            try:
                built = build(binding, stack)
                program_command(binding, stack, built, Path(), Path())  # a wrong manifest is found before measuring
                arms.append(Arm(binding, built))
                continue
            except BuildError as error:
                reason = str(error)
        if binding.name in (REFERENCE, AGAIN, *(request.wanted or ())):
            raise BuildError(f"Binding '{binding.name}' cannot take part on stack '{stack.name}': {reason}")
        left_out[binding.name] = reason
    not_covered = {
        arm.name: [Refusal(str(case), why) for case in cases if (why := arm.binding.why_not(case)) is not None]
        for arm in arms
    }
    covered = {arm.name: [case for case in cases if arm.binding.why_not(case) is None] for arm in arms}
    plan = StackPlan(stack, arms, covered, not_covered, left_out)
    if cases and not plan.all_cases():
        raise UsageError("None of the chosen bindings covers any of the chosen benchmarks: 'polympi list' shows both.")
    return plan


def _chosen(request: Request) -> list[Binding]:
    """The bindings asked for, the reference and the A/A arm first."""
    known = request.bindings
    wanted = request.wanted
    if wanted is None:
        default = [binding for binding in known.values() if binding.variant.default]
        default.sort(key=lambda binding: binding.folder == known[REFERENCE].folder)  # what C itself shows comes last
        wanted = [binding.name for binding in default]
    for name in wanted:
        if name not in known:
            raise UsageError(f"There is no binding '{name}': 'polympi list' shows them ({', '.join(known)}).")
    return [known[name] for name in dict.fromkeys((REFERENCE, AGAIN, *wanted))]
