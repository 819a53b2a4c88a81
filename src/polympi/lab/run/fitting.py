"""Which of all bindings fit into the time of a profile that is meant as a first look."""

from collections.abc import Mapping, Sequence

from polympi.lab.bindings.manifest import Binding
from polympi.lab.catalogue import Case
from polympi.lab.plan.estimate import launch_seconds
from polympi.lab.plan.profiles import Profile


def without_time(
    possible: Sequence[Binding],
    always: Sequence[str],
    cases: Sequence[Case],
    profile: Profile,
    *,
    family: str,
    ranks: int,
    processors: int | None,
    parts: int,
) -> dict[str, str]:
    """The bindings for which the time of the profile is too short, and why; usual ones and languages come first."""
    if profile.longest_s is None:
        return {}

    def seconds(binding: Binding) -> float:
        covered = [case for case in cases if binding.why_not(case) is None]
        block, trial = (
            launch_seconds(family, binding.language, covered, profile, ranks=ranks, processors=processors, trial=trial)
            for trial in (False, True)
        )
        return profile.minimum_blocks * block + trial

    took = {binding.name: seconds(binding) for binding in possible}
    left = profile.longest_s / parts - sum(took[name] for name in took if name in always)
    gone = []
    for binding in _by_weight([one for one in possible if one.name not in always], profile.bindings):
        if took[binding.name] <= left:
            left -= took[binding.name]
        else:
            gone.append(binding.name)
    why = f"the profile {profile.name} takes what fits in {profile.longest_s:.0f} s; name it with --binding, or take "
    return dict.fromkeys(gone, f"{why}--profile quick")


def _by_weight(bindings: Sequence[Binding], usual: Sequence[str]) -> list[Binding]:
    first: Mapping[str, str] = {one.language: one.name for one in reversed(bindings)}
    return sorted(bindings, key=lambda one: (one.name not in usual, first[one.language] != one.name))
