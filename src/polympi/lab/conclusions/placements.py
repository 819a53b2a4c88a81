"""Where ranks ran, whether that is where they were asked to be, and whether their messages took the network."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from polympi.lab.conclusions.phrases import count, first_few, listing, sentence
from polympi.lab.plan.placement_names import MEANINGS, TWO_NODES
from polympi.lab.plan.placements import topology_of, what_differs
from polympi.lab.records import AGAIN, REFERENCE, LaunchRecord, RankPlace, StackRun, all_here
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import counts
from polympi.lab.units import format_bytes

_MOST_WAYS = 3  # ways in a sentence
_MOST_RANKS = 8  # ranks named one by one

Places = tuple[RankPlace, ...]


def places_sentence(analysis: Analysis, stack: str) -> str:
    """Where the ranks of a stack ran, and what that placement is meant to be; empty if they did not report it."""
    ways = Counter(tuple(launch.places) for launch in launches_with_places(analysis, stack))
    if not ways:
        return ""
    total, most = sum(ways.values()), ways.most_common(_MOST_WAYS)
    if len(ways) == 1:
        said = f"In all launches {_words(most[0][0])}"
    else:
        said = "; ".join(f"in {number} of {count(total, 'launch')} {_words(places)}" for places, number in most)
        said = said[0].upper() + said[1:]
        if len(ways) > len(most):
            said += f"; {count(len(ways) - len(most), 'other way')} in the rest"
    placement = placement_of(analysis, stack)
    asked = f" Asked for: {MEANINGS.get(placement, placement)}." if placement else ""
    return sentence(said) + asked


def on_several_hosts(analysis: Analysis, stack: str) -> bool:
    """Whether the ranks of most launches of a stack ran on more than one host, as they reported."""
    known = [one.places for one in launches_with_places(analysis, stack)]
    return 2 * sum(len({place.host for place in places}) > 1 for places in known) > len(known)


def misplaced(analysis: Analysis) -> list[str]:
    """Sentences about launches whose ranks were not where they were asked to be, or did not report where they were."""
    topology = topology_of(analysis.environment.metadata) if all_here(analysis.run, analysis.environment) else None
    said = []
    for planned in analysis.run.stacks:
        placement = placement_of(analysis, planned.stack)
        counted = _counted(analysis, planned.stack)
        known = [one for one in counted if one.places]
        if placement and len(known) < len(counted):
            silent = first_few(sorted({one.binding for one in counted if not one.places}))
            said.append(
                sentence(
                    f"In {len(counted) - len(known)} of {count(len(counted), 'launch')} on {planned.stack} ({silent}) "
                    "ranks did not report where they ran, so it is not known whether they were placed as asked"
                )
            )
        found: dict[str, list[LaunchRecord]] = defaultdict(list)
        for launch in known:
            if differs := what_differs(placement, launch.places, topology):
                found[differs].append(launch)
        for differs, launches in found.items():
            arms = first_few(sorted({launch.binding for launch in launches}))
            said.append(
                sentence(
                    f"{planned.stack} was not placed as asked in {len(launches)} of {count(len(known), 'launch')} "
                    f"({arms}): {differs}; what was measured there is not '{placement}'"
                )
            )
    return said


def launches_with_places(analysis: Analysis, stack: str) -> list[LaunchRecord]:
    """The launches of a stack that count, and whose ranks reported where they ran."""
    return [one for one in _counted(analysis, stack) if one.places]


def placement_of(analysis: Analysis, stack: str) -> str:
    """The placement that was asked for on a stack; empty for none."""
    planned = next((one for one in analysis.run.stacks if one.stack == stack), None)
    levels = {level.name: level.placement for level in analysis.run.levels}
    return levels.get(planned.level, "") if planned else ""


def _counted(analysis: Analysis, stack: str) -> list[LaunchRecord]:
    return [one for one in analysis.launches if one.stack == stack and counts(one)]


def _words(places: Sequence[RankPlace]) -> str:
    hosts: dict[str, list[int]] = defaultdict(list)
    for rank, place in enumerate(places):
        hosts[place.host].append(rank)
    if len({(place.host, place.cpus) for place in places}) == 1:
        return f"all ranks ran on {places[0].host}, each free to use {_cpus(places[0].cpus)}"
    if len(places) > _MOST_RANKS:
        return f"{count(len(places), 'rank')} ran on {count(len(hosts), 'host')} ({first_few(list(hosts))})"
    if len(hosts) == 1:
        known = listing([_of_rank(rank, place) for rank, place in enumerate(places)])
        return f"{known} of {places[0].host}"
    return listing([f"{_of_rank(rank, place)} of {place.host}" for rank, place in enumerate(places)])


def _of_rank(rank: int, place: RankPlace) -> str:
    return f"rank {rank}{'' if rank else ' ran'} on {_cpus(place.cpus)}"


def _cpus(listed: str) -> str:
    if listed == "-":
        return "unknown CPUs"
    return f"CPU {listed}" if listed.isdecimal() else f"CPUs {listed}"


def not_over_the_network(analysis: Analysis) -> list[str]:
    """Sentences about stacks whose messages did not leave a host, although the run is one over hosts."""
    run = analysis.run
    if run.hostfile is None and len(run.launching.hosts) < 2:
        return []
    said = [text for planned in run.stacks if (text := _stayed(analysis, planned))]
    return [sentence(text) for text in (*said, _nothing_sent(analysis)) if text]


def _stayed(analysis: Analysis, planned: StackRun) -> str:
    """Whether all ranks of a stack ran on one host, and nobody had asked for that."""
    known = launches_with_places(analysis, planned.stack)
    hosts = {place.host for one in known for place in one.places}
    asked = placement_of(analysis, planned.stack) not in ("", TWO_NODES) or analysis.run.launching.by_network
    if len(hosts) != 1 or max(len(one.places) for one in known) < 2 or asked:
        return ""
    return (
        f"On {planned.stack} all ranks ran on {hosts.pop()}, so that no message between them took the network: name "
        "several hosts, with as many slots as it gets ranks"
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
