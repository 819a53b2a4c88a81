"""What a run would do, counted and estimated before it does it."""

from collections import Counter
from dataclasses import dataclass

from polympi.lab.launch.launcher import Arm
from polympi.lab.plan.estimate import calibration_seconds, launch_seconds, tool_seconds
from polympi.lab.plan.profiles import Profile
from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.run.request import StackPlan


@dataclass(frozen=True)
class Estimate:
    """What a run would do on one stack, with the fewest and the most blocks that the profile allows.

    The two launches of C that choose the iterations, and the trials of the others, are among the launches.
    """

    cases: dict[str, int]  # by benchmark
    fewest_launches: int
    most_launches: int
    shortest_s: float
    longest_s: float


def estimate(plan: StackPlan, profile: Profile, processors: int | None = None) -> Estimate:
    """Count and estimate what is planned on one stack."""
    cases = plan.all_cases()
    tried = [arm for arm in plan.arms if cases and arm.name not in (REFERENCE, AGAIN)]
    calibration_s = calibration_seconds(plan.stack.family, cases, ranks=plan.ranks, processors=processors)
    calibration_s += sum(_of_arm(arm, plan, profile, processors, trial=True) for arm in tried)
    block_s = block_seconds(plan, profile, processors)
    least, most = profile.minimum_blocks, profile.maximum_blocks
    launches = len(plan.arms) + len(plan.tools)
    return Estimate(
        dict(Counter(case.benchmark for case in cases)),
        2 + len(tried) + least * launches,
        2 + len(tried) + most * launches,
        calibration_s + least * block_s,
        calibration_s + most * block_s,
    )


def block_seconds(plan: StackPlan, profile: Profile, processors: int | None = None) -> float:
    """Seconds of one block, by the rule of :mod:`polympi.lab.plan.estimate`."""
    tools = len(plan.tools) * tool_seconds(plan.stack.family)
    return tools + sum(_of_arm(arm, plan, profile, processors) for arm in plan.arms)


def _of_arm(arm: Arm, plan: StackPlan, profile: Profile, processors: int | None, *, trial: bool = False) -> float:
    measured = set(plan.all_cases())
    cases = [case for case in plan.cases[arm.name] if case in measured]
    family, language = plan.stack.family, arm.binding.language
    return launch_seconds(family, language, cases, profile, ranks=plan.ranks, processors=processors, trial=trial)
