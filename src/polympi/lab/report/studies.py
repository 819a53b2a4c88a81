"""The section of a study, as tables and sentences: shared by all forms of the report."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from polympi.lab.conclusions.equations import Solved, solved, statements
from polympi.lab.conclusions.interfaces import LAST
from polympi.lab.conclusions.modules import COLLECTIVES, PUBLISHED_FITS, Module, Timed, modules, published_fits
from polympi.lab.conclusions.phrases import listing, percent, plain_ratio, rate, sentence, size, times
from polympi.lab.conclusions.recommendations import completeness, recommendations
from polympi.lab.conclusions.rows import stacks_of
from polympi.lab.plan.studies import STUDIES
from polympi.lab.published import Source, sources
from polympi.lab.records import REFERENCE, RunRecord
from polympi.lab.statistics.model import Analysis
from polympi.lab.units import format_ns

_SENDS = {"float64": "into an array", "array": "a new array", "": "–"}
_PING_PONG = ("", "received", "latency", "over C", "bandwidth", "published: latency", "over C", "bandwidth")
_NOTE = (
    "A ping-pong of arrays of doubles. Latency is that of the first segment of the fit, and over C that over C's for "
    "the same message; bandwidth is that of the largest message. Published are fits of one line over all sizes, "
    "between two machines: what can be compared is the latency over C."
)
_STANDS_FOR = "pypar, mympi, pympi, scientific and boostmpi-compat are the interfaces of these modules on polympi."
_LINES = (
    "The inner products in Python differ in their reduction and share the rest, which also says where there is no "
    "memory; that of C is a separate program."
)
_EQUATION = ("", "ranks", "blocking", "speed-up", "calls", "overlapped", "lines")
_SOLVERS = (
    "The solvers in Python have the same kernels and differ in what communicates, whose lines are counted; that of C "
    "is a separate program. With 1 rank nothing is exchanged: that is the serial time. Calls: the share of its time "
    "that rank 0 spends in them."
)
_COMPLETE = (
    "Uses of today: the share that an interface has of what 80 public programs use of mpi4py. The last version is that "
    "of the module itself."
)
_DASH = "–"


@dataclass(frozen=True)
class StudyTable:
    """A table; the first of its columns has names."""

    title: str
    headers: tuple[str, ...]
    lines: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class StudySection:
    """What a study says of one stack."""

    title: str
    stack: str
    answer: str
    statements: tuple[str, ...]  # what was published, each with what this run has of it, in a sentence
    advice: tuple[str, ...]  # which interface for whom, in a sentence each; computed
    missing: str  # in a sentence, what is not measured here and why; empty if all did
    tables: tuple[StudyTable, ...]
    note: str
    source: Source


def study_sections(analysis: Analysis) -> list[StudySection]:
    """The sections of the study of a run, one for each stack that has figures; none for a run without a study.

    With fewer ranks than most, messages have to be among the figures: applications stand in the section of most ranks.
    """
    if analysis.run.study != "modules":  # the only one so far
        return []
    found = [(stack, modules(analysis, stack)) for stack in stacks_of(analysis)]
    equations = _equations(analysis)
    return [
        _section(analysis, stack, lines, equations.get(stack))
        for stack, lines in found
        if len(lines) > 1 and (stack in equations or any(line.payload or line.smallest for line in lines))
    ]


def _equations(analysis: Analysis) -> dict[str, list[Solved]]:
    """What is solved on each installed stack, by the name that it has with the most ranks."""
    usual = [one for one in analysis.run.stacks if not one.level]
    most = {one.installation: one.stack for one in sorted(usual, key=lambda one: one.ranks)}
    return {stack: solved(analysis, installed) for installed, stack in most.items()}


def title_of(run: RunRecord) -> str | None:
    """The title of the study of a run; None without one, or with one of another version of polympi."""
    study = STUDIES.get(run.study)
    return study.title if study else None


def _section(
    analysis: Analysis, stack: str, lines: Sequence[Module], solved_there: Sequence[Solved] | None
) -> StudySection:
    """The section of a stack; of its numbers of ranks the last one has the equations and the recommendations, too."""
    last, equations = solved_there is not None, solved_there or ()
    run, processors = analysis.run, (analysis.environment.metadata.get("affinity") or {}).get("count")
    sizes = [line.collective_bytes for line in lines if line.collective_bytes is not None]
    of_size = f" of {size(min(sizes))}" if sizes else ""
    headers = ("", *COLLECTIVES, "inner product", "lines: hello", "inner product")
    return StudySection(
        title=STUDIES[run.study].title,
        stack=stack,
        answer=_answer(lines),
        statements=tuple(statements(equations, processors)),
        advice=tuple(recommendations(lines, equations)) if last else (),
        missing=_missing(run, stack),
        tables=(
            StudyTable("Ping-pong of arrays, with the published table", _PING_PONG, [_ping_pong(m) for m in lines]),
            StudyTable(
                f"Collectives{of_size}, an application, and lines of code", headers, [_others(m) for m in lines]
            ),
            *(
                StudyTable(f"{mesh}, an iteration", _EQUATION, [_equation(one) for one in group])
                for mesh, group in groupby(equations, key=lambda one: one.mesh)
            ),
            *([_completeness(lines)] if last else ()),
        ),
        note=" ".join((_NOTE, _STANDS_FOR, _LINES, *([_SOLVERS] if equations else []), *([_COMPLETE] if last else []))),
        source=sources()[PUBLISHED_FITS],
    )


def _completeness(lines: Sequence[Module]) -> StudyTable:
    headers, found = completeness([module.binding for module in lines if module.binding in LAST])
    return StudyTable("Which calls each interface has", headers, found)


def _equation(one: Solved) -> tuple[str, ...]:
    return (
        _named(one.binding),
        str(one.ranks),
        _both(one.blocking),
        _DASH if one.speedup is None else plain_ratio(one.speedup),
        _DASH if one.communication is None else percent(one.communication),
        _both(one.overlapped),
        _DASH if one.lines is None else str(one.lines),
    )


def _ping_pong(module: Module) -> tuple[str, ...]:
    ours, theirs = module.latency, module.published
    return (
        _name(module),
        _SENDS[module.payload],
        format_ns(ours.median_ns) if ours else _DASH,
        _over_c(ours.ratio_to_c) if ours and ours.ratio_to_c is not None else _DASH,
        rate(module.mb_per_s) if module.mb_per_s is not None else _DASH,
        f"{theirs.latency_us:g} µs" if theirs else _DASH,
        _over_c(theirs.latency_to_c) if theirs else _DASH,
        rate(theirs.mb_per_s) if theirs else _DASH,
    )


def _over_c(ratio: float) -> str:
    """A ratio; that of C itself has no decimals, since nothing was measured for it."""
    return "1 ×" if ratio == 1.0 else times(ratio)


def _others(module: Module) -> tuple[str, ...]:
    timed = (*(module.smallest.get(name) for name in COLLECTIVES), module.inner_product)
    counted = (module.hello, module.inner_product_lines)
    return (_name(module), *map(_both, timed), *(_DASH if lines is None else str(lines) for lines in counted))


def _both(timed: Timed | None) -> str:
    if timed is None:
        return _DASH
    ratio = "" if timed.ratio_to_c in (None, 1.0) else f", {times(timed.ratio_to_c or 0)}"
    return f"{format_ns(timed.median_ns)}{ratio}"


def _name(module: Module) -> str:
    return _named(module.binding)


def _named(binding: str) -> str:
    return "C" if binding == REFERENCE else binding


def _answer(lines: Sequence[Module]) -> str:
    """The range of the latencies over C, here and as published."""
    ours = sorted(
        (module.latency.ratio_to_c, module.binding)
        for module in lines
        if module.published and module.binding != REFERENCE and module.latency and module.latency.ratio_to_c is not None
    )
    if not ours:
        return "None of the modules has a fit of its ping-pong, which takes four sizes or more."
    others = {name: fit.latency_to_c for name, fit in published_fits().items() if name != "C"}
    least, most = min(others, key=others.__getitem__), max(others, key=others.__getitem__)
    here = [f"{times(ratio)} ({name})" for ratio, name in dict.fromkeys((ours[0], ours[-1]))]
    polympi = next((m.latency for m in lines if m.binding == "polympi"), None)
    own = f"; polympi itself {times(polympi.ratio_to_c)}" if polympi and polympi.ratio_to_c is not None else ""
    theirs = f"{times(others[least])} ({least}) to {times(others[most])} ({most})"
    return sentence(f"The latency of the modules is {' to '.join(here)} that of C{own}. Published, it was {theirs}")


def _missing(run: RunRecord, stack: str) -> str:
    planned = next(one for one in run.stacks if one.stack == stack)
    wanted = STUDIES[run.study].bindings
    parts = [f"{name} ({planned.left_out[name].rstrip('.')})" for name in wanted if name in planned.left_out]
    said = [f"Missing here: {listing(parts)}"] if parts else []
    if len({one.installation for one in run.stacks}) == 1:
        said.append(f"{planned.installation} is the only MPI of this run: 'polympi stack add NAME' adds another")
    return sentence("; ".join(said)) if said else ""


def columns(analysis: Analysis) -> list[dict[str, object]]:
    """The study as rows of ``study.csv``, in the units that the names of its columns say."""
    return [_row(module) for stack in stacks_of(analysis) for module in modules(analysis, stack)]


def _row(module: Module) -> dict[str, object]:
    theirs = module.published
    figures: dict[str, Timed | None] = {"latency": module.latency}
    figures |= {name: module.smallest.get(name) for name in COLLECTIVES}
    figures["inner_product"] = module.inner_product
    row: dict[str, object] = {"stack": module.stack, "binding": module.binding, "payload": module.payload}
    for name, timed in figures.items():
        row[f"{name}_ns"] = timed.median_ns if timed else None
        row[f"{name}_ratio_to_c"] = timed.ratio_to_c if timed else None
    return row | {
        "mb_per_s": module.mb_per_s,
        "collective_bytes": module.collective_bytes,
        "hello_lines": module.hello,
        "inner_product_lines": module.inner_product_lines,
        "published_latency_us": theirs.latency_us if theirs else None,
        "published_latency_ratio_to_c": theirs.latency_to_c if theirs else None,
        "published_mb_per_s": theirs.mb_per_s if theirs else None,
    }
