"""What is missing from a run, and why: failed launches, withdrawn bindings, refused and uncovered cases."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from polympi.lab.conclusions.phrases import by_reason, count, first_few, sentence, verb
from polympi.lab.records import NOT_STARTED, REFERENCE, LaunchRecord, Refusal, StackRun
from polympi.lab.statistics.model import Analysis

UNTIMED_OUTCOMES = ("crashed", "timed out", "unreadable", NOT_STARTED, "lost")
_WITHOUT = {
    "environment.json": "the machine is not shown",
    "outcome.json": "the run counts as cut off",
    "tools.jsonl": "launches of other tools are missing",
}


def failed_launches(analysis: Analysis) -> list[LaunchRecord]:
    """Launches without samples that can be used (an interrupted launch is not one: it was not to end)."""
    return [launch for launch in analysis.launches if launch.outcome in UNTIMED_OUTCOMES]


@dataclass(frozen=True)
class NoReference:
    """What is to be said first where C failed on a stack."""

    text: str
    whole: bool


def no_reference(analysis: Analysis, stack: str) -> NoReference | None:
    """Whether C failed on a stack, so that there is nothing to compare with, or no longer; None if it did not."""
    own = [one for one in analysis.launches if (one.stack, one.binding) == (stack, REFERENCE)]
    failed = [one for one in own if one.outcome in UNTIMED_OUTCOMES]
    compared = analysis.summary.filter(stack=stack)["ratio_to_c"].drop_nulls().len() > 0
    gone = analysis.outcome is not None and f"{stack}/{REFERENCE}" in analysis.outcome.withdrawn
    if not failed or (compared and not gone):
        return None
    why = sentence(f"In its last launch {failed[-1].detail}") if failed[-1].detail else ""
    why += _slow_or_hanging(failed[-1].outcome, failed)
    if not compared:
        return NoReference(f"C failed: nothing to compare with. {why}".rstrip(), whole=True)
    blocks = len({one.block for one in own if one.outcome == "ok" and one.block is not None})
    rest = f"the ratios are of {count(blocks, 'block')}, and the run ended on {stack}"
    return NoReference(f"C failed, two launches in a row: {rest}. {why}".rstrip(), whole=False)


def failures(analysis: Analysis) -> list[str]:
    """Sentences about damaged files, launches that failed, bindings that were withdrawn, and failed validations."""
    said = [*_damage(analysis), *_failed(analysis), *_failed_tools(analysis)]
    if analysis.outcome:
        said += [_withdrawn(name, why) for name, why in analysis.outcome.withdrawn.items()]
    said += _refused(analysis.launches, "invalid", "failed validation in", "its figures there are not shown")
    return said


def omissions(analysis: Analysis) -> list[str]:
    """Sentences about what a program skipped and what could not run."""
    said = _refused(analysis.launches, "skipped", "skipped", "")
    for planned in analysis.run.stacks:
        said += [
            sentence(f"{names} did not run on {planned.stack}: {why}") for names, why in by_reason(planned.left_out)
        ]
    return said


def uncovered(analysis: Analysis) -> list[str]:
    """Sentences about the cases that a binding does not cover, a reason a sentence."""
    return [
        text
        for planned in analysis.run.stacks
        for binding, refusals in planned.not_covered.items()
        for text in _uncovered(planned, binding, refusals)
    ]


def _damage(analysis: Analysis) -> Iterable[str]:
    if lines := analysis.damaged_lines:
        those = first_few([str(number) for number in lines])
        yield (
            f"{count(len(lines), 'line')} of launches.jsonl cannot be read ({those}): "
            f"{verb(len(lines), 'its launch does', 'their launches do')} not count."
        )
    for name in analysis.damaged_files:
        yield f"{name} cannot be read: {_WITHOUT[name]}."


def absences(analysis: Analysis, stack: str) -> dict[tuple[str, str], str]:
    """Why an arm has no figure for a case: the reason by arm and case (``latency/standard/dict/24``).

    Reasons are those of the manifest (not covered) and those that a program gave in a launch (skipped, invalid).
    """
    found: dict[tuple[str, str], str] = {}
    for planned in analysis.run.stacks:
        if planned.stack == stack:
            for binding, refusals in planned.not_covered.items():
                found.update({(binding, refusal.case): refusal.reason for refusal in refusals})
    for launch in analysis.launches:
        if launch.stack == stack:
            found.update({(launch.binding, one.case): one.reason for one in (*launch.skipped, *launch.invalid)})
    return found


def _withdrawn(name: str, why: str) -> str:
    stack, slash, binding = name.partition("/")
    return sentence(f"{binding} was withdrawn on {stack}: {why}" if slash else f"{name} was withdrawn: {why}")


def _failed(analysis: Analysis) -> Iterable[str]:
    groups: dict[tuple[str, str, str], list[LaunchRecord]] = {}
    for launch in failed_launches(analysis):
        groups.setdefault((launch.binding, launch.stack, launch.outcome), []).append(launch)
    for (binding, stack, outcome), launches in groups.items():
        all_of_it = sum(one.binding == binding and one.stack == stack for one in analysis.launches)
        numbers = first_few([str(one.launch) for one in launches])
        predicate = {
            "crashed": "crashed",
            "timed out": "timed out",
            NOT_STARTED: f"{verb(len(launches), 'was', 'were')} not started",
            "unreadable": f"wrote {verb(len(launches), 'a file', 'files')} that cannot be read",
            "lost": f"{verb(len(launches), 'does', 'do')} not count, since the samples were lost",
        }[outcome]
        detail = next((one.detail for one in launches if one.detail), "")
        text = f"{binding} on {stack}: {len(launches)} of {count(all_of_it, 'launch')} {predicate}"
        text += f" ({verb(len(launches), 'launch', 'launches')} {numbers})"
        yield sentence(f"{text}: {detail}" if detail else text) + _slow_or_hanging(outcome, launches)


def _slow_or_hanging(outcome: str, launches: Sequence[LaunchRecord]) -> str:
    """How to distinguish a slow launch from one that hangs, and what to do; nothing about other failures."""
    if outcome != "timed out":
        return ""
    load = f"The load average was up to {max(one.load_average for one in launches):.0f}"
    return f" {load}; where launches are slow and do not hang, --launch-timeout gives longer."


def _failed_tools(analysis: Analysis) -> Iterable[str]:
    launched = Counter((one.tool, one.stack) for one in analysis.tool_launches)
    failed = [one for one in analysis.tool_launches if one.outcome != "ok"]
    for (tool, stack), number in Counter((one.tool, one.stack) for one in failed).items():
        detail = next(one.detail for one in failed if (one.tool, one.stack) == (tool, stack))
        yield sentence(f"{tool} on {stack}: {number} of {count(launched[tool, stack], 'launch')} failed: {detail}")


def _refused(launches: Iterable[LaunchRecord], field: str, predicate: str, consequence: str) -> list[str]:
    groups: dict[tuple[str, str, str], dict[str, None]] = {}
    for launch in launches:
        refusals: list[Refusal] = getattr(launch, field)
        for refusal in refusals:
            groups.setdefault((launch.binding, launch.stack, refusal.reason), {})[refusal.case] = None
    said = []
    for (binding, stack, reason), cases in groups.items():
        text = f"{binding} on {stack} {predicate} {count(len(cases), 'case')} ({first_few(list(cases), 3)}): {reason}"
        said.append(sentence(f"{text.rstrip('.')}; {consequence}" if consequence else text))
    return said


def _uncovered(planned: StackRun, binding: str, refusals: list[Refusal]) -> list[str]:
    reasons: dict[str, list[str]] = {}
    for refusal in refusals:
        reasons.setdefault(refusal.reason, []).append(refusal.case)
    total = len(planned.cases)
    said = []
    for reason, cases in reasons.items():
        benchmarks = first_few(list(dict.fromkeys(case.split("/")[0] for case in cases)), 4)
        part = f"{len(cases)} of {count(total, 'case')}" if total >= len(cases) else count(len(cases), "case")
        said.append(sentence(f"{binding} on {planned.stack} does not cover {part} ({benchmarks}): {reason}"))
    return said
