"""Which performance guidelines a run contradicts, in sentences: shared by all forms of the report."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.conclusions.phrases import count, listing, plain_ratio, sentence, verb
from polympi.lab.records import REFERENCE
from polympi.lab.statistics.guidelines import Check

GUIDELINE_TITLE = "Performance guidelines"
GUIDELINE_NOTE = (
    "No operation should take longer than others that do at least as much, nor less data longer than more: otherwise "
    "the library, or the binding, could do those instead. Medians over blocks of the ratio, with 99 % intervals. What "
    "exceeds 5 % and the noise is named, the worst first."
)
_MOST_NAMED = 6  # in a sentence


@dataclass(frozen=True)
class GuidelineLine:
    """What one arm on one stack contradicts, or which contradict nothing."""

    title: str
    answer: str


def guideline_lines(checks: Sequence[Check], shown: Collection[str]) -> list[GuidelineLine]:
    """For each stack a line for each arm shown that contradicts some, C first, and one for all others."""
    lines = []
    for stack in sorted({check.stack for check in checks}):
        arms: dict[str, list[Check]] = {}
        for check in checks:
            if check.stack == stack and check.binding in (REFERENCE, *shown):
                arms.setdefault(check.binding, []).append(check)
        ordered = sorted(arms, key=lambda binding: binding != REFERENCE)
        agreeing = [binding for binding in ordered if not any(check.violated for check in arms[binding])]
        lines += [
            GuidelineLine(f"{_name(binding)} on {stack}", _contradictions(arms[binding]))
            for binding in ordered
            if binding not in agreeing
        ]
        if agreeing:
            compared = count(sum(len(arms[binding]) for binding in agreeing), "comparison")
            names = listing([_name(binding) for binding in agreeing])
            lines.append(GuidelineLine(f"Nothing contradicted on {stack}", sentence(f"{names}, in {compared}")))
    return lines


def _name(binding: str) -> str:
    return "C" if binding == REFERENCE else binding


def _contradictions(checks: Sequence[Check]) -> str:
    worst = sorted((check for check in checks if check.violated), key=lambda check: -check.ratio)
    named = [_contradiction(check) for check in worst[:_MOST_NAMED]]
    rest = len(worst) - len(named)
    more = [f"and {rest} more"] if rest else []
    said = "; ".join([*named, *more])
    checked = count(len(checks), "comparison")
    return sentence(f"{len(worst)} of {checked} {verb(len(worst), 'is', 'are')} contradicted: {said}")


def _contradiction(check: Check) -> str:
    others = listing([_case(other) for other in check.others])
    ratio = f"{plain_ratio(check.ratio)} × ({plain_ratio(check.low)}–{plain_ratio(check.high)})"
    return f"{_case(check.operation)} takes {ratio} as long as {others}"


def _case(operation: tuple[str, str, int]) -> str:
    name, mode, size_bytes = operation
    benchmark = BENCHMARKS[name]
    words = name if mode == benchmark.modes[0] else f"{name} ({mode})"
    return words if benchmark.payloads[0] == "none" else f"{words} of {benchmark.size_words(size_bytes)}"
