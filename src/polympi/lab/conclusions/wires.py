"""Whether the messages of a run over several hosts took the network, or stayed on one host unnoticed."""

from __future__ import annotations

from polympi.lab.conclusions.phrases import count, listing, sentence
from polympi.lab.conclusions.placements import launches_told, on_several_hosts, placement_of
from polympi.lab.plan.placement_names import TWO_NODES
from polympi.lab.records import AGAIN, REFERENCE, StackRun
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import counts
from polympi.lab.units import format_bytes


def not_over_the_network(analysis: Analysis) -> list[str]:
    """Sentences about stacks whose messages did not leave a host, although the run is one over hosts."""
    run = analysis.run
    if run.hostfile is None and len(run.launching.hosts) < 2:
        return []
    said = [text for planned in run.stacks if (text := _stayed(analysis, planned))]
    return [sentence(text) for text in (*said, _nothing_sent(analysis)) if text]


def _stayed(analysis: Analysis, planned: StackRun) -> str:
    """Whether all ranks of a stack ran on one host, and nobody had asked for that."""
    told = launches_told(analysis, planned.stack)
    hosts = {place.host for one in told for place in one.places}
    asked = placement_of(analysis, planned.stack) not in ("", TWO_NODES) or analysis.run.launching.by_network
    if len(hosts) != 1 or max(len(one.places) for one in told) < 2 or asked:
        return ""
    return (
        f"On {planned.stack} all ranks ran on {hosts.pop()}, so that no message between them took the network: name "
        "several hosts, with as many slots as each shall have ranks"
    )


def _nothing_sent(analysis: Analysis) -> str:
    """Whether the wires of a test cluster have carried less than a byte per iteration that ranks on them made.

    Only what C made counts: other arms may have made fewer iterations than planned. Wires are counted since the run was
    last continued, so nothing is known of one that was.
    """
    if analysis.outcome is None or not analysis.outcome.sent_bytes or analysis.run.resumed:
        return ""
    apart = {one.stack: one for one in analysis.run.stacks if on_several_hosts(analysis, one.stack)}
    launches = [one for one in analysis.launches if counts(one) and one.binding in (REFERENCE, AGAIN)]
    made = sum(
        case.batches * case.iterations for one in launches if one.stack in apart for case in apart[one.stack].cases
    )
    sent = sum(analysis.outcome.sent_bytes.values())
    if sent >= made:
        return ""
    wires = listing(list(analysis.outcome.sent_bytes))
    return (
        f"The wires of {wires} carried {format_bytes(sent)} in all, while ranks on these hosts made "
        f"{count(made, 'iteration')}: the messages took another way"
    )
