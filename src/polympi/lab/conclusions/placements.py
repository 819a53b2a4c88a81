"""Where ranks ran, as they reported it, and whether that is where they were asked to run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from polympi.lab.conclusions.phrases import count, first_few, listing, sentence
from polympi.lab.plan.placement_names import MEANINGS
from polympi.lab.plan.placements import topology_of, what_differs
from polympi.lab.records import LaunchRecord, RankPlace, all_here
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import counts

_MOST_TOLD = 3  # ways in a sentence
_MOST_RANKS = 8  # ranks told one by one

Places = tuple[RankPlace, ...]


def places_sentence(analysis: Analysis, stack: str) -> str:
    """Where the ranks of a stack ran, and what that placement is meant to be; empty if they did not tell."""
    ways = Counter(tuple(launch.places) for launch in launches_told(analysis, stack))
    if not ways:
        return ""
    total, most = sum(ways.values()), ways.most_common(_MOST_TOLD)
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
    """Whether the ranks of most launches of a stack ran on more than one host, as they told."""
    told = [one.places for one in launches_told(analysis, stack)]
    return 2 * sum(len({place.host for place in places}) > 1 for places in told) > len(told)


def misplaced(analysis: Analysis) -> list[str]:
    """Sentences about launches in which ranks were not where they were asked to be, or did not tell where they were."""
    topology = topology_of(analysis.environment.facts) if all_here(analysis.run, analysis.environment) else None
    said = []
    for planned in analysis.run.stacks:
        placement = placement_of(analysis, planned.stack)
        counted = _counted(analysis, planned.stack)
        told = [one for one in counted if one.places]
        if placement and len(told) < len(counted):
            silent = first_few(sorted({one.binding for one in counted if not one.places}))
            said.append(
                sentence(
                    f"In {len(counted) - len(told)} of {count(len(counted), 'launch')} on {planned.stack} ({silent}) "
                    "ranks did not tell where they ran, so that it is not known whether they were placed as asked"
                )
            )
        found: dict[str, list[LaunchRecord]] = defaultdict(list)
        for launch in told:
            if differs := what_differs(placement, launch.places, topology):
                found[differs].append(launch)
        for differs, launches in found.items():
            arms = first_few(sorted({launch.binding for launch in launches}))
            said.append(
                sentence(
                    f"{planned.stack} was not placed as asked in {len(launches)} of {count(len(told), 'launch')} "
                    f"({arms}): {differs}; what was measured there is not '{placement}'"
                )
            )
    return said


def launches_told(analysis: Analysis, stack: str) -> list[LaunchRecord]:
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
        told = listing([_of_rank(rank, place) for rank, place in enumerate(places)])
        return f"{told} of {places[0].host}"
    return listing([f"{_of_rank(rank, place)} of {place.host}" for rank, place in enumerate(places)])


def _of_rank(rank: int, place: RankPlace) -> str:
    return f"rank {rank}{'' if rank else ' ran'} on {_cpus(place.cpus)}"


def _cpus(listed: str) -> str:
    if listed == "-":
        return "unknown CPUs"
    return f"CPU {listed}" if listed.isdecimal() else f"CPUs {listed}"
