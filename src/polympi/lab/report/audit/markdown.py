"""An audit as Markdown: the first screen of its page."""

from __future__ import annotations

from importlib import metadata

from polympi.lab.audit.model import Audit
from polympi.lab.report.audit import tables, words
from polympi.lab.report.audit.figures import Figures
from polympi.lab.report.escape import escape
from polympi.lab.report.escape import table as markdown_table
from polympi.lab.report.generator import MARKDOWN_MARK
from polympi.lab.report.projection.tables import Table

CALLS = 10  # rows of the table of calls


def render_markdown(audit: Audit) -> str:
    """The sentence, what to change, the figures, the most expensive calls; text from outside is escaped."""
    figures = Figures(audit)
    program = words.program_name(audit)
    parts = [
        f"{MARKDOWN_MARK} {metadata.version('polympi')} -->",
        f"# What {escape(program)} asks of MPI",
        *(escape(text) for text in words.troubles(figures)),
        f"**{escape(words.headline(figures))}**",
    ]
    if audit.findings:
        parts += ["## What to change", _table(tables.finding_table(figures))]
    totals = Table("", ("figure", "value"), tables.total_lines(figures), words=1)
    parts += ["## Figures", _table(totals), _table(tables.efficiency_table(audit))]
    if audit.calls:
        parts += ["## Calls", _table(tables.call_table(figures, CALLS))]
    parts.append(escape(f"{words.recording_sentence(figures)} {words.clock_sentence(figures)}"))
    return "\n\n".join(parts) + "\n"


def _table(table: Table) -> str:
    return markdown_table(table.headers, table.lines, right=range(table.words, len(table.headers)))
