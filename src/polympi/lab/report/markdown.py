"""The report as Markdown, for a README or a pull request."""

from collections.abc import Sequence

import polars as pl

from polympi.lab.conclusions.order import MOST_AT_ONCE
from polympi.lab.records import REFERENCE, SETTING
from polympi.lab.report.cells import KEY, SIGNS, Cell, Line
from polympi.lab.report.comparisons import comparisons
from polympi.lab.report.content import (
    CODE_HEADERS,
    CODE_NOTE,
    IMPORTED_HEADERS,
    IMPORTED_NOTE,
    SOLVER_HEADERS,
    SOLVER_NOTE,
    TOOL_HEADERS,
    TOOLS_NOTE,
    Content,
    StackContent,
    code_lines,
    content,
    imported_lines,
    shown_of,
    tool_lines,
)
from polympi.lab.report.demands import DEMAND_HEADERS, DEMAND_NOTE, DEMAND_TITLE
from polympi.lab.report.escape import escape, table
from polympi.lab.report.figures import palette_of
from polympi.lab.report.generator import mark
from polympi.lab.report.guidelines import GUIDELINE_NOTE, GUIDELINE_TITLE, GuidelineLine
from polympi.lab.report.limits import LIMIT_NOTE, LIMIT_TITLE, LimitLine
from polympi.lab.report.scaling import scaling_note
from polympi.lab.statistics.model import Analysis


def render_markdown(analysis: Analysis, imported: pl.DataFrame) -> str:
    """The same content as the page, without charts."""
    words = content(analysis)
    parts = [
        f"<!-- made by {escape(mark(analysis))} -->",
        f"# {escape(words.title)}",
        " · ".join(map(escape, words.meta)),
        *(f"> **{escape(label.word)}.** {escape(label.text)}" for label in words.labels),
        _key(words),
    ]
    for stack in words.stacks:
        parts += _overview(stack)
    parts += _bullets("What went wrong", words.failures)
    parts += _bullets("What this machine does to the figures", [f"{f.title}: {f.text}" for f in words.findings])
    parts += _studies(words)
    parts.append("## Bindings by benchmark")
    parts.append("Ratio to C with its interval, and the difference. In brackets the thread level of each arm.")
    for stack in words.stacks:
        parts += _main_table(stack, many=len(words.stacks) > 1)
    parts += _factors(words)
    parts += _scaling(words, scaling_note(analysis.scaling))
    parts += _answers(LIMIT_TITLE, LIMIT_NOTE, words.limits)
    parts += _answers(GUIDELINE_TITLE, GUIDELINE_NOTE, words.guidelines)
    parts += _tools(words)
    if words.code:
        said = " ".join(filter(None, (words.code.answer, CODE_NOTE)))
        parts += ["## Lines of code", said, table(CODE_HEADERS, code_lines(words.code), right=range(2, 6))]
    if words.solvers:
        parts += ["### Of applications", SOLVER_NOTE, table(SOLVER_HEADERS, words.solvers, right=range(2, 5))]
    for one in (stack.demands for stack in words.stacks):
        if one is not None:
            heading = f"## {DEMAND_TITLE}, on {escape(one.stack)}"
            parts += [heading, DEMAND_NOTE, table(DEMAND_HEADERS, [*one.first, *one.others], right=())]
    parts += [] if analysis.about else _published(analysis)
    if imported.height:
        lines = imported_lines(imported)
        parts += ["## Rows of other tools", IMPORTED_NOTE, table(IMPORTED_HEADERS, lines, right=(4, 5, 6, 8))]
    parts += _rest(words)
    return "\n\n".join(parts) + "\n"


def _key(words: Content) -> str:
    seen = {cell.verdict for stack in words.stacks for line in stack.lines for cell in line.cells}
    signs = [f"{SIGNS[verdict]} {said}" for verdict, said in KEY.items() if verdict in seen]
    return escape(", ".join([*signs, "– not measured"])) + ". × is the time over C's."


def _overview(stack: StackContent) -> list[str]:
    library = f" ({escape(stack.library)})" if stack.library and stack.library != stack.stack else ""
    parts = [f"## {escape(stack.stack)}{library}"]
    if stack.languages is not None:
        parts.append("**The cheapest binding of each language, time over C's**")
        parts.append("\n".join(f"- {escape(text)}" for text in stack.languages.answers))
    if stack.no_reference:
        parts.append(f"**{escape(stack.no_reference.text)}**")
    if stack.no_reference and stack.no_reference.whole:
        return parts
    if stack.headline:
        parts.append(f"**{escape(stack.headline)}**")
    parts.append("\n".join(f"- {escape(text)}" for text in stack.advice))
    if stack.screen.bindings or stack.screen.arms_of_c:
        headers = ["", *(f"{c.title}: {c.what}{c.size and f', {c.size}'}" for c in stack.screen.columns)]
        reference = ("C", *(column.reference or "–" for column in stack.screen.columns))
        lines: list[tuple[str, ...]] = []
        for group in stack.screen.groups:
            if group.language:
                lines.append((group.language, *("" for _ in stack.screen.columns)))
            lines += [(line.binding, *(_cell(one.cell) for one in line.cells)) for line in group.lines]
        lines += [(line.binding, *(_cell(one.cell) for one in line.cells)) for line in stack.screen.arms_of_c]
        parts.append(table(headers, [reference, *lines], right=range(1, len(headers))))
    else:
        parts.append("No binding was compared with C.")
    arms = (*stack.bindings, *stack.arms_of_c)
    said = [f"- **{escape(one.binding)}.** {escape(' '.join(one.brief))}" for one in arms if one.brief]
    said += [f"- **{escape(title)}.** {escape(text)}" for title, text in stack.notes]
    parts.append("\n".join(said))
    more = [f"- **{escape(one.binding)}, {escape(topic)}.** {escape(text)}" for one in arms for topic, text in one.more]
    if more:
        listed = "\n".join(more)
        parts.append(f"<details><summary>More about each binding</summary>\n\n{listed}\n\n</details>")
    return [part for part in parts if part]


def _main_table(stack: StackContent, *, many: bool) -> list[str]:
    if not stack.lines:
        return []
    found = [f"### On {escape(stack.stack)}"] if many else []
    for first in range(0, len(stack.columns), MOST_AT_ONCE):  # wider tables cannot be read
        columns = stack.columns[first : first + MOST_AT_ONCE]
        arms = zip((REFERENCE, *columns), ("C", *columns), strict=True)
        titles = [f"{title} ({stack.levels[arm]})" if arm in stack.levels else title for arm, title in arms]
        headers = ("benchmark", "size", *titles)
        lines = [_line(line, line.cells[first : first + MOST_AT_ONCE]) for line in stack.lines]
        found.append(table(headers, lines, right=range(1, len(headers))))
    return found


def _line(line: Line, cells: Sequence[Cell]) -> tuple[str, ...]:
    return (line.label, line.size, line.reference or "–", *map(_cell, cells))


def _cell(cell: Cell) -> str:
    if not cell.verdict:
        return "–"
    if not cell.ratio:
        return f"{cell.sign} {cell.verdict}" + (f", {cell.time}" if cell.time else "")
    interval = f" ({cell.interval})" if cell.interval else ""
    typical = f"; {cell.typical}" if cell.typical else ""
    return f"{cell.sign} {cell.ratio} ×{interval}, {cell.delta}{typical}"


def _studies(words: Content) -> list[str]:
    parts = []
    for one in words.studies:
        parts += [f"## {escape(one.title)}, on {escape(one.stack)}", escape(" ".join((one.answer, *one.statements)))]
        for each in one.tables:
            parts += [f"**{escape(each.title)}**", table(each.headers, each.lines, right=range(1, len(each.headers)))]
        if one.advice:
            parts += ["**Which interface for whom**", "\n".join(f"- {escape(text)}" for text in one.advice)]
        published = f"Published: {one.source.citation}; {one.source.setting}."
        parts.append(escape(" ".join(filter(None, (one.note, published, one.missing)))))
    return parts


def _factors(words: Content) -> list[str]:
    parts = []
    for section in words.factors:
        parts += [f"## {escape(section.heading)}", escape(section.note)]
        for part in section.parts:
            how = f"`{escape(part.how)}`" if section.factor == SETTING else escape(part.how)
            how = f" ({how})" if part.how else ""
            parts.append(f"**{escape(part.title)}**{how}")
            parts.append("\n".join(f"- {escape(text)}" for _, text in part.sentences))
            for first in range(0, len(part.columns), MOST_AT_ONCE):
                columns = part.columns[first : first + MOST_AT_ONCE]
                headers = ("benchmark", "size", "C at the base", *("C" if n == REFERENCE else n for n in columns))
                lines = [_line(line, line.cells[first : first + MOST_AT_ONCE]) for line in part.lines]
                parts.append(table(headers, lines, right=range(1, len(headers))))
    return parts


def _scaling(words: Content, note: str) -> list[str]:
    parts = []
    for one in words.scaling:
        title = f"**{escape(one.title)} on {escape(one.stack)}.** {escape(one.answer)}"
        lines = [(line.binding, *line.figures) for line in one.lines]
        parts += [title, table(one.headers, lines, right=range(1, len(one.headers)))]
    return ["## Scaling", note, *parts] if parts else []


def _answers(title: str, note: str, answers: Sequence[LimitLine | GuidelineLine]) -> list[str]:
    lines = [f"- **{escape(one.title)}.** {escape(one.answer)}" for one in answers]
    return [f"## {title}", note, "\n".join(lines)] if lines else []


def _tools(words: Content) -> list[str]:
    parts = []
    for stack in words.stacks:
        for one in stack.tools:
            where = f" on {stack.stack}" if len(words.stacks) > 1 else ""
            title = f"**{escape(one.tool)}{escape(where)}** ({escape(one.measures)}): {escape(one.answer)}."
            figures = table(TOOL_HEADERS, tool_lines(one), right=range(4))
            parts += [
                f"{title} {escape(one.figure)}",
                f"<details><summary>The figures</summary>\n\n{figures}\n\n</details>",
            ]
    return ["## Other tools in the same blocks", TOOLS_NOTE, *parts] if parts else []


def _published(analysis: Analysis) -> list[str]:
    published = comparisons(analysis, palette_of(analysis), shown_of(analysis))
    if not published:
        return []
    lines = [
        f"- **{escape(one.source.title)}.** {escape(one.statement)} ({escape(one.source.citation)})"
        for one in published
    ]
    return ["## Compared with published figures", "\n".join(lines)]


def _rest(words: Content) -> list[str]:
    parts = []
    for section in words.sections:
        lines = [
            f"- {escape(label)}: {escape(value)}" if label else f"- {escape(value)}" for label, value in section.entries
        ]
        parts.append(f"**{escape(section.title)}**\n\n" + "\n".join(lines))
    environment = "\n\n".join(parts)
    found = [f"<details><summary>Environment</summary>\n\n{environment}\n\n</details>"] if parts else []
    found += _bullets("What was not measured, and why", words.gaps + words.uncovered)
    reproduce = "\n".join(f"- {escape(label)}: {escape(value)}" for label, value in words.reproduce)
    return [*found, "## How to reproduce it", reproduce]


def _bullets(title: str, texts: Sequence[str]) -> list[str]:
    return [f"**{title}**", "\n".join(f"- {escape(text)}" for text in texts)] if texts else []
