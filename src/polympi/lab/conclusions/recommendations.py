"""Which interface for whom: computed from what each has, what it costs in a run, and how long its programs are."""

import math
from collections.abc import Sequence

from polympi.lab.conclusions.equations import Solved
from polympi.lab.conclusions.interfaces import CALLS, LAST, coverage, lacking
from polympi.lab.conclusions.modules import Module
from polympi.lab.conclusions.phrases import listing, percent, plain_ratio, sentence
from polympi.lab.records import REFERENCE

OLDER = ("pypar", "pympi", "mympi", "scientific", "boostmpi-compat")
DEVELOPED = ("mpi4py", "polympi")


def cost(module: Module) -> float | None:
    """How many times as long as C's small messages of a module take: the geometric mean; None if none was measured."""
    timed = (module.latency, *module.smallest.values())
    ratios = [one.ratio_to_c for one in timed if one is not None and one.ratio_to_c is not None]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None


def recommendations(modules: Sequence[Module], solved: Sequence[Solved]) -> list[str]:
    """One recommendation for each kind of user, in a sentence with its reason."""
    costs = {module.binding: of for module in modules if (of := cost(module)) is not None}
    said = [_for_older_scripts(costs), _for_arrays(costs), _for_all_of_mpi(), *_for_solvers(solved)]
    return [sentence(text) for text in said if text]


def _for_older_scripts(costs: dict[str, float]) -> str:
    ratios = [costs[name] for name in OLDER if name in costs]
    if not ratios:
        return ""
    rest = f", compared with {plain_ratio(costs['mpi4py'])} × for mpi4py" if "mpi4py" in costs else ""
    return (
        "A script of an older module: polympi's interface of that module (python -m polympi --as NAME), since it runs "
        f"as it is, and small messages take {plain_ratio(min(ratios))} to {plain_ratio(max(ratios))} × as long as "
        f"C's{rest}"
    )


def _for_arrays(costs: dict[str, float]) -> str:
    fit = sorted((costs[name], name) for name in DEVELOPED if name in costs)
    if not fit:
        return ""
    (least, best), *others = fit
    rest = "".join(f", and with {name} {plain_ratio(of)} ×" for of, name in others)
    whole = f"{sum(best in names for names in CALLS.values())} of {len(CALLS)}"
    return (
        f"A new program: {best}, since it has {whole} kinds of calls, is developed, and small messages take "
        f"{plain_ratio(least)} × as long as C's{rest}"
    )


def _for_all_of_mpi() -> str:
    had = percent(coverage("polympi"))
    return (
        "A program that needs all of MPI (partitioned communication, ports, dynamic windows), or whose libraries take "
        f"communicators of mpi4py: mpi4py, since polympi's own interface has {had} of the uses that 80 public programs "
        f"make of it, and not, for example, {listing(lacking('polympi'))}; polympi.mpi4py accelerates it"
    )


def _for_solvers(solved: Sequence[Solved]) -> list[str]:
    ranks = max((one.ranks for one in solved), default=0)
    styles = [one for one in solved if one.ranks == ranks and one.binding != REFERENCE and one.benchmark == "wave"]
    if not styles:
        return []
    largest = max(one.size_bytes for one in styles)
    styles = [one for one in styles if one.size_bytes == largest]
    counted = sorted((one.lines, one.binding) for one in styles if one.lines is not None)
    shortest = f": {counted[0][1]} takes the fewest lines ({counted[0][0]})" if counted else ""
    ratios = [one.blocking.ratio_to_c for one in styles if one.blocking.ratio_to_c is not None]
    if not ratios:
        return []
    return [
        "A solver that computes with NumPy: whichever reads best, since the slowest style of the "
        f"{styles[0].mesh} takes {plain_ratio(max(ratios) / min(ratios))} × as long as the fastest{shortest}",
        "A solver whose time matters most: a kernel that is compiled (C, Numba), whatever sends its messages, "
        f"since with NumPy the {styles[0].mesh} takes {plain_ratio(min(ratios))} to {plain_ratio(max(ratios))} × "
        "as long as C",
    ]


def completeness(names: Sequence[str]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The calls of each interface: headers, then a line for each interface that some have and others lack."""
    headers = ("", "calls", "lacks", "uses of today", "last version")
    lines: list[tuple[str, ...]] = []
    for name in names:
        absent = [call for call, of in CALLS.items() if name not in of]
        lines.append(
            (
                name,
                f"{len(CALLS) - len(absent)} of {len(CALLS)}",
                listing(absent) or "–",
                percent(coverage(name)),
                LAST[name],
            )
        )
    return headers, lines
