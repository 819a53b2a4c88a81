"""How well the clocks of several hosts agree; the times of collectives and of the start depend on it there."""

from polympi.lab.conclusions.phrases import count, duration, percent, sentence
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import counts

NOT_SMALL = 0.01  # of a start-up figure: what half the interval of a row that was measured often enough is wide


def clocks_sentence(analysis: Analysis, stack: str) -> str:
    """The error of the clocks that collectives were timed with; empty where one machine has one clock."""
    errors = [one.clock_error_ns for one in analysis.launches if one.stack == stack and counts(one)]
    worst = max(errors, default=0)
    if not worst:
        return ""
    return sentence(
        f"On {stack} the clocks of the hosts were compared before every collective, with an error of up to "
        f"{duration(worst)} in {count(len(errors), 'launch')}: differences between collectives below that mean nothing"
    )


def start_error_ns(analysis: Analysis, stack: str) -> int:
    """How much the clocks of the hosts may distort the time from start to first barrier; 0 on one machine."""
    return max((one.ready_error_ns for one in analysis.launches if one.stack == stack and counts(one)), default=0)


def start_sentence(analysis: Analysis, stack: str) -> str:
    """How well the start-up is known on hosts with separate clocks, or why it is not; empty on one machine."""
    launches = [one for one in analysis.launches if one.stack == stack and counts(one)]
    worst = start_error_ns(analysis, stack)
    said = []
    if worst:
        shortest = min(one.ready_ns for one in launches if one.ready_ns is not None)
        share = percent(worst / max(1, shortest))
        text = f"On {stack} the time from the start to the first barrier may be wrong by {duration(worst)}"
        text += f", which is {share} of it: each host has its own clock"
        doubtful = worst >= NOT_SMALL * shortest
        text += f", and differences in start-up below {duration(2 * worst)} mean nothing" if doubtful else ""
        said.append(sentence(text))
    unknown = [one.unready for one in launches if one.unready]
    if unknown:
        of_all = "" if len(unknown) == len(launches) else f" in {count(len(unknown), 'launch')} of {len(launches)}"
        text = f"On {stack} the time from the start to the first barrier is not known{of_all}: {unknown[-1]}"
        said.append(sentence(text))
    return " ".join(said)
