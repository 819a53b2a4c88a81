"""What a report says, apart from how it looks: shared by HTML and Markdown."""

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import metadata

import polars as pl

from polympi.lab.conclusions import Answer, Label, answers, labels
from polympi.lab.conclusions.advice import advice
from polympi.lab.conclusions.brief import brief, first_of
from polympi.lab.conclusions.caveats import thread_levels
from polympi.lab.conclusions.code import Code, Solver, code, solvers
from polympi.lab.conclusions.demands import split_sentence, splits, typical_split
from polympi.lab.conclusions.gaps import NoReference, failed_launches, no_reference
from polympi.lab.conclusions.headline import headline
from polympi.lab.conclusions.languages import languages
from polympi.lab.conclusions.order import shown_first
from polympi.lab.conclusions.overview import ArmInOverview, overview
from polympi.lab.conclusions.phrases import count, listing, rate, signed, size_words, times
from polympi.lab.conclusions.rows import Family, Row, bindings_of, catalogue_order, rows_of, stacks_of
from polympi.lab.conclusions.tools import ToolAgainstC, tools_against_c
from polympi.lab.demand.split import Split
from polympi.lab.plan.calibration import SLOW
from polympi.lab.records import AGAIN, Finding, LaunchRecord, StackRun
from polympi.lab.report.cells import Line, interval, main_table
from polympi.lab.report.demands import DemandTable, demand_table
from polympi.lab.report.factors import FactorSection, factor_sections
from polympi.lab.report.guidelines import GuidelineLine, guideline_lines
from polympi.lab.report.limits import LimitLine, limit_lines
from polympi.lab.report.metadata import Section, findings, sections
from polympi.lab.report.scaling import ScalingTable, scaling_tables
from polympi.lab.report.screen import Screen, language_screen, screen
from polympi.lab.report.studies import StudySection, study_sections, title_of
from polympi.lab.statistics.model import Analysis, Fit, Overhead
from polympi.lab.units import format_bytes, format_ns, format_size

TITLE = "What MPI bindings cost over C"
TOPICS = {
    "latency": "Latency",
    "faces": "Faces",
    "bandwidth": "Bandwidth",
    "collectives": "Collectives",
    "startup": "Start-up",
    "memory": "Memory",
}
NOTES = {  # what concerns a whole stack
    "noise": "Noise",
    "threads": "Thread level",
    "waiting": "Waiting",
    "tails": "Long tails",
    "pages": "Pages",
    "placement": "Placement",
    "clocks": "Clocks",
}
CODE_HEADERS = ("language", "binding", "hello", "timed part", "combinations", "lines a combination")
CODE_NOTE = (
    "Lines that hold code, neither blank nor comment alone: of hello, in which each rank says which it is, and of the "
    "files with the timed part. The combinations of benchmark, mode and payload are those that this part covers; what "
    "all languages share, the harness, is not in it."
)
SOLVER_HEADERS = ("application", "binding", "lines", "an iteration", "over C")
SOLVER_NOTE = (
    "What a style takes to write, and to run: lines that hold code of each application's solver, without what only the "
    "program alone takes (its arguments, its picture, what it prints), next to the time of an iteration."
)
TOOL_HEADERS = ("size", "tool", "C", "tool over C")
TOOLS_NOTE = (
    "Third-party benchmarks, launched in the same blocks as our C: the time of an operation as the tool computes it, "
    "over ours, the median over blocks with its interval. If you trust them, you can trust our C as far as both agree."
)
IMPORTED_HEADERS = (
    *("tool", "benchmark", "mode", "payload", "size", "ranks", "time", "what the time is", "bandwidth", "source"),
)
IMPORTED_NOTE = (
    "Imported as those tools printed them, without launches, intervals and verdicts. In a collective our time is that "
    "of the slowest rank, call by call or batch by batch; 'max over ranks' is the largest of the ranks' own means, "
    "which is never larger, and 'mean over ranks' is smaller still."
)
_IMPORTED = ("tool", "benchmark", "mode", "payload", "size_bytes", "ranks", "time_ns", "statistic", "mb_per_s")
_CONTENT_SHOWN = 6  # hexadecimal digits, enough to distinguish a handful of files


@dataclass(frozen=True)
class Words:
    """The conclusions about one binding or arm of C on one stack."""

    binding: str
    language: str  # its language; empty if the run does not say
    brief: tuple[str, ...]  # three short sentences about a binding, one at most about an arm of C
    more: list[tuple[str, str]]


@dataclass(frozen=True)
class StackContent:
    """All conclusions about one stack."""

    stack: str
    library: str  # what its library calls itself, up to the first comma
    languages: Screen | None  # what each language costs; None where all bindings are of one
    headline: str  # one sentence on all bindings
    advice: list[str]  # what to do, where the report is about one binding
    screen: Screen
    bindings: list[Words]
    arms_of_c: list[Words]
    notes: list[tuple[str, str]]  # title and text of what concerns the whole stack, those of `NOTES` that are said
    levels: dict[str, str]  # the thread level of each arm, where its launches said it
    columns: list[str]
    lines: list[Line]
    least_confidence: float | None  # the smallest coverage of its intervals
    tools: list[ToolAgainstC]
    demands: DemandTable | None  # what each arm asks of MPI; None if that was not recorded
    no_reference: NoReference | None  # that C failed, which is said before all else; None if it did not


@dataclass(frozen=True)
class FitSegment:
    """A protocol segment as cells of a table; a ``poor`` one leaves residuals beyond which it describes nothing."""

    sizes: str
    latency: str
    bandwidth: str
    largest_residual: str
    poor: bool


@dataclass(frozen=True)
class FitLine:
    """A fit as a line of a table: the segments of one binding, and what it adds to C."""

    stack: str
    family: str
    binding: str
    segments: list[FitSegment]
    per_call: str
    per_byte: str


@dataclass(frozen=True)
class Content:
    """A report's words and figures, everything but its charts."""

    title: str
    created: str
    meta: list[str]
    labels: list[Label]
    stacks: list[StackContent]
    shown: list[str]  # the arms that tables and charts show before the reader chooses others
    failures: list[str]
    gaps: list[str]
    uncovered: list[str]
    findings: list[Finding]
    sections: list[Section]
    fits: list[FitLine]
    code: Code | None
    solvers: list[tuple[str, ...]]
    studies: list[StudySection]
    scaling: list[ScalingTable]
    limits: list[LimitLine]
    factors: list[FactorSection]
    guidelines: list[GuidelineLine]
    failed: list[LaunchRecord]
    reproduce: list[tuple[str, str]]
    commands: list[tuple[str, str]]
    links: list[tuple[str, str]] = field(default_factory=list)


def content(analysis: Analysis) -> Content:
    """Everything a report of the run says."""
    rows = rows_of(analysis)
    said = answers(analysis)
    run = analysis.run
    parts = splits(analysis)
    return Content(
        title=f"{analysis.about} on this machine" if analysis.about else title_of(run) or TITLE,
        created=run.created,
        meta=_meta(analysis),
        labels=labels(analysis),
        stacks=[_stack(analysis, rows, said, stack, parts) for stack in stacks_of(analysis)],
        shown=shown_of(analysis),
        failures=[answer.text for answer in said if answer.topic == "failure"],
        gaps=[answer.text for answer in said if answer.topic == "gap"],
        uncovered=[answer.text for answer in said if answer.topic == "uncovered"],
        findings=findings(analysis.environment),
        sections=sections(analysis.environment),
        fits=fit_lines(analysis),
        code=code(run),
        solvers=solver_lines(solvers(run, rows)),
        studies=study_sections(analysis),
        scaling=scaling_tables(analysis.scaling),
        limits=limit_lines(analysis.limits, shown_of(analysis)),
        factors=factor_sections(analysis),
        guidelines=guideline_lines(analysis.guidelines, shown_of(analysis)),
        failed=failed_launches(analysis),
        reproduce=_reproduce(analysis),
        commands=_commands(analysis),
        links=_links(),
    )


def shown_of(analysis: Analysis) -> list[str]:
    """The arms that tables and charts show before the reader chooses others: all, unless there are many."""
    measured = set(analysis.summary["binding"])
    return shown_first(analysis.run, [n for n in bindings_of(analysis, compared=True) if n in measured])


def _stack(
    analysis: Analysis, rows: Sequence[Row], said: Sequence[Answer], stack: str, parts: Sequence[Split]
) -> StackContent:
    planned = next((one for one in analysis.run.stacks if one.stack == stack), StackRun(stack=stack))
    own = [row for row in rows if row.stack == stack]
    seen = overview(analysis, rows, stack)
    columns, lines = main_table(analysis, rows, stack)
    missing = no_reference(analysis, stack)

    def words(arms: Sequence[ArmInOverview], say: Callable[[list[Row]], tuple[str, ...]]) -> list[Words]:
        return [
            Words(
                binding=arm.binding,
                language=planned.languages.get(arm.binding, ""),
                brief=(
                    *say([row for row in own if row.binding == arm.binding]),
                    *_largest_part(parts, stack, arm.binding),
                    *_built_from(planned, arm.binding),
                ),
                more=[(TOPICS[a.topic], a.text) for a in said if (a.stack, a.binding) == (stack, arm.binding)],
            )
            for arm in arms
        ]

    return StackContent(
        stack=stack,
        library=_library(planned),
        languages=None if missing and missing.whole else language_screen(languages(analysis, rows, stack)),
        headline=headline(seen),
        advice=advice(own, [arm.binding for arm in seen.bindings]) if analysis.about else [],
        screen=screen(seen, analysis.run),
        bindings=words(seen.bindings, brief),
        arms_of_c=words(seen.arms_of_c, lambda rows: tuple(filter(None, (first_of(rows),)))),
        notes=[(NOTES[a.topic], a.text) for a in said if a.stack == stack and a.topic in NOTES],
        levels=thread_levels(analysis, stack),
        columns=columns,
        lines=lines,
        least_confidence=min((row.confidence for row in own if row.confidence is not None), default=None),
        tools=tools_against_c(analysis, stack),
        demands=demand_table(analysis, stack, seen.columns),
        no_reference=missing,
    )


def _largest_part(parts: Sequence[Split], stack: str, binding: str) -> tuple[str, ...]:
    """The sentence that names the largest part of a binding's time, if it is known."""
    typical = typical_split([one for one in parts if (one.stack, one.binding) == (stack, binding)])
    return () if typical is None else (split_sentence(typical),)


def _built_from(planned: StackRun, binding: str) -> tuple[str, ...]:
    """The sentence that names the sources a binding was built from, if the user gave them."""
    given = [f"{name} ({version})" for name, version in planned.sources.get(binding, {}).items()]
    return (f"It was built from the sources of {listing(given)}.",) if given else ()


def fit_lines(analysis: Analysis) -> list[FitLine]:
    """The fits and overheads as lines of a table, in the order of the catalogue."""
    overheads = {(o.stack, o.benchmark, o.mode, o.payload, o.binding): o for o in analysis.overheads}
    found = []
    place = {name: index for index, name in enumerate(bindings_of(analysis))}
    fits = [fit for fit in analysis.fits if fit.binding != AGAIN]
    fits.sort(key=lambda f: (*catalogue_order(_family(f)), place[f.binding]))
    for fit in fits:
        added = overheads.get((fit.stack, fit.benchmark, fit.mode, fit.payload, fit.binding))
        found.append(
            FitLine(
                stack=fit.stack,
                family=_family(fit).title,
                binding=fit.binding,
                segments=[
                    FitSegment(
                        sizes=f"{format_size(s.first_size)} – {format_size(s.last_size)}",
                        latency=format_ns(s.latency_ns),
                        bandwidth=rate(s.bandwidth_mb_per_s) if s.bandwidth_mb_per_s is not None else "–",
                        largest_residual=f"{100 * s.largest_residual:.0f} %",
                        poor=s.poor,
                    )
                    for s in fit.segments
                ],
                per_call=_estimate(added, "call", 1) if added else "",
                # Per byte would be a fraction of a nanosecond; per KiB it is a number to read.
                per_byte=_estimate(added, "byte", 1024) if added else "",
            )
        )
    return found


def _family(fit: Fit) -> Family:
    return Family(fit.stack, fit.benchmark, fit.mode, fit.payload)


def _estimate(added: Overhead, of: str, times: int) -> str:
    value, low, high = (signed(times * getattr(added, f"per_{of}_{end}ns")) for end in ("", "low_", "high_"))
    return f"{value} [{low}, {high}]"


def _meta(analysis: Analysis) -> list[str]:
    run = analysis.run
    measured = sum(one.outcome == "ok" and one.block is not None for one in analysis.launches)
    samples = int(analysis.summary["samples"].fill_null(0).sum() or 0)
    return [
        run.created[:16].replace("T", " "),
        f"profile {run.profile}",
        f"{listing(list(map(str, run.several_ranks)))} ranks" if run.several_ranks else count(run.ranks, "rank"),
        *(["by the network, without memory that ranks share"] if run.launching.by_network else []),
        listing(list(dict.fromkeys(_library(planned) or planned.installation for planned in run.stacks))),
        count(measured, "launch"),
        count(samples, "batch"),
        f"polympi {run.polympi}",
    ]


def _reproduce(analysis: Analysis) -> list[tuple[str, str]]:
    run = analysis.run
    least, most = run.minimum_blocks, run.maximum_blocks
    blocks = count(most, "block") if least == most else f"{least} to {most} blocks"
    entries = [
        ("Command", shlex.join(run.command)),
        ("Seed", f"{run.seed} (add --seed {run.seed} for the same order of launches and cases)"),
        ("polympi", run.polympi),
        ("Profile", f"{run.profile}: {blocks}"),
        ("Ranks", f"{', '.join(map(str, run.every_ranks))}{f', {run.scaling} scaling' if run.several_ranks else ''}"),
        ("Window", count(run.window, "message")),
        ("Pages", run.pages),
        ("Begun", run.created),
    ]
    if analysis.outcome:
        entries.append(("Ended", f"{analysis.outcome.finished} ({analysis.outcome.ended})"))
    if run.hostfile:
        entries.append(("Hosts", run.hostfile))
    if run.launching.variables:
        variables = [f"{name}={value}" for name, value in run.launching.variables.items()]
        entries.append(("Variables of the ranks", shlex.join(variables)))
    if analysis.outcome and analysis.outcome.sent_bytes:
        sent = [f"{name} {format_bytes(nbytes)}" for name, nbytes in analysis.outcome.sent_bytes.items()]
        entries.append(("Sent over wires", listing(sent)))
    if run.time_limit_s:
        entries.append(("Time limit", f"{run.time_limit_s:g} s"))
    if run.launch_timeout_s:
        entries.append(("Launches were ended after", f"{run.launch_timeout_s:g} s"))
    libraries = {planned.installation: planned.library for planned in run.stacks if planned.library}
    entries += [(f"Stack {name}", library) for name, library in libraries.items()]
    entries += [(f"Fewer iterations on {one.stack}", _fewer_iterations(one)) for one in run.stacks if one.slow]
    return entries


def _fewer_iterations(planned: StackRun) -> str:
    """Which bindings made fewer iterations than C, and in how many cases."""
    cases = [f"{binding} in {count(len(planned.slow[binding]), 'case')}" for binding in sorted(planned.slow)]
    return f"{listing(cases)}, where a trial took over {SLOW} times as long as C"


def _library(planned: StackRun) -> str:
    """Name and version; what some libraries add after a comma stands under how to reproduce the run."""
    return planned.library.partition(",")[0]


def _commands(analysis: Analysis) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for launch in analysis.launches:
        if launch.outcome == "ok" and launch.command and launch.block is not None:
            found.setdefault(f"{launch.binding} on {launch.stack}", shlex.join(launch.command))
    return list(found.items())


def _links() -> list[tuple[str, str]]:
    try:
        entries = metadata.metadata("polympi").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return []
    pairs = [tuple(part.strip() for part in entry.split(",", 1)) for entry in entries]
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2 and pair[1].startswith("https://")]


def solver_lines(found: Sequence[Solver]) -> list[tuple[str, ...]]:
    """Solvers of applications as lines of a table: the columns of :data:`SOLVER_HEADERS`."""
    lines: list[tuple[str, ...]] = []
    for one in found:
        row = one.row
        ratio = "" if row.ratio_to_c is None else times(row.ratio_to_c)
        lines.append(
            (
                f"{row.family.title}, {size_words(row)} on {row.stack}",
                row.binding,
                str(one.lines),
                "–" if row.median_ns is None else format_ns(row.median_ns),
                ratio,
            )
        )
    return lines


def code_lines(programs: Code) -> list[tuple[str, ...]]:
    """Lines of code as lines of a table: the columns of :data:`CODE_HEADERS`."""
    return [
        (
            one.language,
            one.binding,
            str(one.lines.hello or "–"),
            str(one.lines.timed or "–"),
            str(one.lines.combinations),
            f"{one.lines.timed / one.lines.combinations:.1f}" if one.lines.timed and one.lines.combinations else "–",
        )
        for one in programs.programs
    ]


def tool_lines(compared: ToolAgainstC) -> list[tuple[str, ...]]:
    """A tool compared with C, size by size: the columns of :data:`TOOL_HEADERS`."""
    return [
        (
            format_size(row.size_bytes),
            format_ns(row.tool_ns),
            format_ns(row.c_ns),
            " ".join(filter(None, (times(row.ratio), f"({interval(row.low, row.high)})" if row.low else ""))),
        )
        for row in compared.rows
    ]


def imported_lines(frame: pl.DataFrame) -> list[tuple[str, ...]]:
    """Imported rows as lines of a table: the columns of :data:`IMPORTED_HEADERS`."""
    lines: list[tuple[str, ...]] = []
    for row, source in zip(frame.select(_IMPORTED).iter_rows(), _source_names(frame), strict=True):
        tool, benchmark, mode, payload, size, ranks, ns, statistic, mb = row
        lines.append(
            (
                tool or "",
                benchmark or "",
                mode or "",
                payload or "",
                "" if size is None else format_size(size),
                "" if ranks is None else str(ranks),
                "" if ns is None else format_ns(ns),
                statistic or "",
                "" if mb is None else rate(mb),
                source,
            )
        )
    return lines


def _source_names(frame: pl.DataFrame) -> list[str]:
    """Names of the files of the rows; of files that share a name the first digits of their content, too."""
    contents = frame.select("source", "content").unique()
    shared = set(contents.filter(contents["source"].is_duplicated())["source"])
    return [
        f"{source} ({content[:_CONTENT_SHOWN]})" if source in shared and content else source or ""
        for source, content in frame.select("source", "content").iter_rows()
    ]
