"""Placements as levels of a factor: where the ranks of a launch run, in the words of each family of launchers.

They are the four of published comparisons (one node, slots of one node, two nodes), and two sockets or one core beside
them. What a launcher made of its words is not taken for granted: each rank reports where it runs, and
:func:`what_differs` compares.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polympi.lab.environment.files import expand_list
from polympi.lab.errors import UsageError
from polympi.lab.plan.placement_names import CORE_PAIR, MEANINGS, NODE, ONE_CORE, SOCKET, TWO_NODES
from polympi.lab.plan.settings import setting_words
from polympi.lab.records import PLACEMENT, Level, Metadata, RankPlace
from polympi.lab.stacks.stack import HYDRA, PRRTE, SRUN
from polympi.lab.suggest import did_you_mean

# Options for Hydra and for PRRTE: bindings of ranks, and their sources. {cpu} is a processor, {ranks} one
# for each rank. PRRTE fills a list of processors again from its beginning only if it may oversubscribe them.
_HYDRA = {
    NODE: "-bind-to none",
    CORE_PAIR: "-bind-to core -map-by core",
    SOCKET: "-bind-to socket -map-by socket",
    ONE_CORE: "-bind-to user:{each}",
    TWO_NODES: "-bind-to none",
}
_PRRTE = {
    NODE: "--bind-to none",
    CORE_PAIR: "--bind-to core --map-by core",
    SOCKET: "--bind-to package --map-by package",
    ONE_CORE: "--bind-to core:overload-allowed --map-by pe-list={cpu}:ordered:oversubscribe",
    TWO_NODES: "--bind-to none --map-by node",
}
# srun fills the hosts of its list as we write it; what it may use of a host is what its job has.
_SRUN = {
    NODE: "--cpu-bind=none",
    CORE_PAIR: "--cpu-bind=cores",
    SOCKET: "--cpu-bind=sockets",
    ONE_CORE: "--cpu-bind=map_cpu:{each} --overcommit",
    TWO_NODES: "--cpu-bind=none",
}
_BINDS = re.compile(r"--?(bind-to|map-by|rank-by|cpu-bind|cpu_bind|distribution|binding)\b")
_WORDS = {HYDRA: _HYDRA, PRRTE: _PRRTE, SRUN: _SRUN}


@dataclass(frozen=True)
class Topology:
    """The processors that ranks may use on a host."""

    cores: Mapping[int, tuple[int, int]]  # by the number of a CPU, its socket and its core

    @property
    def sockets(self) -> set[int]:
        """The sockets that any of the CPUs is on."""
        return {socket for socket, _ in self.cores.values()}

    @property
    def most_cores(self) -> int:
        """Cores of the socket that has the most of them."""
        pairs = set(self.cores.values())
        return max((sum(one == socket for one, _ in pairs) for socket in self.sockets), default=0)


def topology_of(metadata: Metadata) -> Topology | None:
    """The processors of this machine, from the kernel's description; None without one."""
    topology = (metadata.get("affinity") or {}).get("topology")
    return Topology({int(cpu): (socket, core) for cpu, (socket, core) in topology.items()}) if topology else None


def placement_levels(names: Sequence[str]) -> list[Level]:
    """The placements that were asked for, in their order; the first is the base."""
    for name in names:
        if name not in MEANINGS:
            raise UsageError(
                f"There is no placement '{name}': choose {', '.join(MEANINGS)}.{did_you_mean(name, MEANINGS)}"
            )
        if names.count(name) > 1:
            raise UsageError(f"--placement names '{name}' twice: give each placement once.")
    return [Level(factor=PLACEMENT, name=name, placement=name) for name in names]


def level_words(level: Level) -> str:
    """What a level is: the meaning of a placement, or what a setting adds to a launch."""
    return MEANINGS.get(level.placement, "") if level.factor == PLACEMENT else setting_words(level)


def why_impossible(placement: str, ranks: int, topology: Topology | None, hosts: int) -> str | None:
    """Why a placement cannot be had and what to do, the end of a sentence; None if it can, or if that is not known.

    The topology is not known of other machines; `hosts` is 0 without a host file or a job of Slurm.
    """
    if placement == TWO_NODES:
        return _why_not_two(ranks, hosts)
    if topology is None or not topology.cores:
        return None
    if placement == SOCKET and len(topology.sockets) < 2:
        return "it needs two sockets, and this machine has one; leave it out"
    if placement == CORE_PAIR and topology.most_cores < ranks:
        return (
            f"it needs a core for each of {ranks} ranks on one socket, and the largest that may be used here has "
            f"{topology.most_cores}; give fewer with --ranks, or leave it out"
        )
    return None


def _why_not_two(ranks: int, hosts: int) -> str | None:
    if not hosts:
        return (
            "it needs two hosts, and there is no --hostfile; give one with the names of two, or make two of this "
            "machine with 'polympi cluster up'"
        )
    if hosts == 1:
        return "it needs two hosts, and the host file or the job has one; give it two"
    return None if ranks > 1 else "it needs at least 2 ranks; give more with --ranks"


def binding_word(arguments: Sequence[str]) -> str | None:
    """The first of some arguments of a launcher that says where ranks run, as a placement does; None if none does."""
    return next((word for word in arguments if _BINDS.match(word)), None)


def placement_arguments(placement: str, dialect: str, ranks: int, topology: Topology | None) -> list[str]:
    """The options of a launcher of a dialect (but ``template``) for a placement; of several CPUs all get the first."""
    if not placement:
        return []
    cpu = min(topology.cores, default=0) if topology else 0
    return _WORDS[dialect][placement].format(cpu=cpu, each=",".join([str(cpu)] * ranks)).split()


def placed_hosts(placement: str, dialect: str, slots: Mapping[str, int], ranks: int) -> dict[str, int]:
    """The hosts of a placement with the slots of each: the first one, or the first two, which are filled in turn.

    Hydra fills a host before it goes to the next, and begins again with the first when all are full: with one slot on
    each it goes to them in turn. PRRTE does that on request, and needs slots for all ranks. srun fills a host before
    the next: of more than two ranks, the first half runs on the first. Without a placement all hosts stay as they are.
    """
    if not placement:
        return dict(slots)
    names = list(slots)[: 2 if placement == TWO_NODES else 1]
    each = 1 if placement == TWO_NODES and dialect == HYDRA else -(-ranks // len(names))
    return dict.fromkeys(names, each)


def what_differs(placement: str, places: Sequence[RankPlace], topology: Topology | None) -> str | None:
    """How what ranks reported differs from the placement that was asked for, a clause, as far as is known."""
    if not places or not placement:
        return None
    hosts = list(dict.fromkeys(place.host for place in places))
    if placement == TWO_NODES:
        return None if len(hosts) == 2 else f"the ranks ran on {_hosts(hosts)}"
    if len(hosts) > 1:
        return f"the ranks ran on {_hosts(hosts)}"
    sets = [frozenset(expand_list(place.cpus)) if place.cpus != "-" else None for place in places]
    known = [cpus for cpus in sets if cpus]
    if len(known) < len(sets):
        return "a rank did not tell its CPUs"
    return _how_bound(placement, known, topology)


def _how_bound(placement: str, sets: Sequence[frozenset[int]], topology: Topology | None) -> str | None:
    """As :func:`what_differs`, of the CPUs of ranks on one host."""
    found = ", ".join(f"rank {rank} on {_list(cpus)}" for rank, cpus in enumerate(sets[:8]))
    bound = f"the ranks were bound otherwise: {found}"
    place = (topology.cores if topology else {}).get
    cores = [{place(cpu, (0, cpu)) for cpu in cpus} for cpus in sets]
    if placement == NODE:
        wanted = frozenset(topology.cores) if topology else sets[0]
        return None if all(cpus >= wanted for cpus in sets) else bound
    if placement == ONE_CORE:
        return None if all(len(one) == 1 and one == cores[0] for one in cores) else bound
    if placement == CORE_PAIR:
        each = [next(iter(one)) for one in cores if len(one) == 1]
        sockets = {socket for socket, _ in each}
        return None if len(set(each)) == len(sets) and len(sockets) == 1 else bound
    sockets_of = [{socket for socket, _ in one} for one in cores]
    turned = set().union(*sockets_of)
    return None if all(len(one) == 1 for one in sockets_of) and (len(turned) > 1 or topology is None) else bound


def _hosts(hosts: Sequence[str]) -> str:
    return f"{hosts[0]} alone" if len(hosts) == 1 else f"{len(hosts)} hosts ({', '.join(hosts[:4])})"


def _list(cpus: frozenset[int]) -> str:
    numbers = sorted(cpus)
    if len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"CPUs {numbers[0]} to {numbers[-1]}"
    return f"CPU{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
