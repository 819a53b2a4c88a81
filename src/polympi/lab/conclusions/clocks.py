"""How well the clocks of several hosts agree; the times of collectives depend on it there."""

from __future__ import annotations

from polympi.lab.conclusions.phrases import count, duration, sentence
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import counts


def clocks_sentence(analysis: Analysis, stack: str) -> str:
    """The error of the clocks that collectives were timed with; empty where one machine has one clock.

    Args:
        analysis: the run.
        stack: the stack.
    """
    errors = [one.clock_error_ns for one in analysis.launches if one.stack == stack and counts(one)]
    worst = max(errors, default=0)
    if not worst:
        return ""
    return sentence(
        f"On {stack} the clocks of the hosts were compared before every collective, with an error of up to "
        f"{duration(worst)} in {count(len(errors), 'launch')}: differences between collectives below that mean nothing"
    )
