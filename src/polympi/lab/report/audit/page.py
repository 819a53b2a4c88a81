"""The page of an audit: one file with its styles, scripts and data."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import metadata
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polympi.lab.audit.model import Audit
from polympi.lab.conclusions.phrases import percent
from polympi.lab.report.assets import assets, embedded_json, template
from polympi.lab.report.audit import tables, words
from polympi.lab.report.audit.figures import Figures, Row
from polympi.lab.report.audit.grids import calls_by_rank, matrix
from polympi.lab.report.audit.kinds import KINDS
from polympi.lab.report.audit.timeline import timeline
from polympi.lab.units import format_bytes

_STYLES = ("base.css", "overview.css", "tables.css", "sections.css", "audit/audit.css", "print.css")
_SCRIPTS = (  # share one scope, in this order
    *("theme.js", "audit/canvas.js", "tables.js", "all-rows.js", "audit/ranks.js", "audit/grid.js"),
    *("audit/events.js", "audit/view.js", "audit/timeline.js", "audit/hands.js", "audit/start.js"),
)

MOST_ROWS = 2000  # of the table of calls

# Key, title, how it is written, whether it can be filtered by, what it means.
_COLUMNS = (
    ("procedure", "Procedure", "text", True, "as in the MPI standard"),
    ("site", "Site", "text", False, "where the program calls it"),
    ("function", "Function", "text", False, "the function that calls it"),
    ("time_ns", "Time", "time", False, "of all ranks together"),
    ("share", "Share", "share", False, "of all ranks' time"),
    ("calls", "Calls", "count", False, "of all ranks"),
    ("per_call_ns", "Per call", "time", False, "mean"),
    ("longest_ns", "Longest", "time", False, "the longest single call"),
    ("busiest_rank", "Busiest", "count", False, "the rank whose calls take longest"),
    ("spread", "× mean", "ratio", False, "the busiest rank's time over the mean of all ranks"),
    ("messages", "Messages", "count", False, "sent; where none are sent, received"),
    ("bytes", "Bytes", "amount", False, "of these messages"),
    ("communicator", "Communicator", "text", True, ""),
)


def render_page(audit: Audit) -> str:
    """The whole page; everything that comes from outside is escaped."""
    figures = Figures(audit)
    drawn = timeline(figures)
    by_rank = calls_by_rank(figures)
    sent = matrix(audit)
    return template("audit/page.html.j2").render(
        audit=audit,
        program=words.program_name(audit),
        library=PurePath(audit.library).name,
        version=metadata.version("polympi"),
        headline=words.headline(figures),
        troubles=words.troubles(figures),
        figures=figures,
        totals=tables.total_lines(figures),
        measures=[(one, "unknown" if one.value is None else percent(one.value)) for one in words.efficiencies(audit)],
        findings=[
            (words.cause(one, figures), words.loss(one), words.evidence(one), words.advice(one), one)
            for one in audit.findings[: words.SHOWN]
        ],
        recording=words.recording_sentence(figures),
        clocks=words.clock_sentence(figures),
        kinds=list(figures.by_kind),
        columns=_stacked(figures),
        longest=words.seconds_text(max((rank.seconds for rank in audit.ranks), default=0.0)),
        rank_count=len(audit.ranks),
        by_rank=by_rank,
        sent=sent,
        sizes=_size_bars(figures),
        communicators=tables.communicator_table(audit),
        communicators_left_out=max(0, len(audit.communicators) - tables.MOST_COMMUNICATORS),
        ranks=tables.rank_table(audit),
        timeline=drawn,
        row_count=len(figures.rows),
        rows_left_out=max(0, len(figures.rows) - MOST_ROWS),
        rows_json=embedded_json(_rows(figures.rows[:MOST_ROWS])),
        data_json=embedded_json(
            {
                "kinds": [[kind.name, kind.colour] for kind in KINDS],
                "ranks": _bars(figures),
                "matrix": sent,
                "calls": by_rank,
                "timeline": drawn.data if drawn else None,
            }
        ),
        tight_bytes=format_bytes(figures.byte_count),
        css=assets(_STYLES),
        js=assets(_SCRIPTS),
    )


def _rows(rows: Sequence[Row]) -> dict[str, Any]:
    columns = [
        {"key": key, "title": title, "form": form, "filter": filtered, "help": meaning}
        for key, title, form, filtered, meaning in _COLUMNS
    ]
    return {"columns": columns, "rows": [_cells(row) for row in rows]}


def _cells(row: Row) -> list[str | int | float | None]:
    return [
        *(row.calls.procedure, row.where, row.calls.site.function, _short(1e9 * row.seconds), _short(row.share)),
        *(row.count, _short(1e9 * row.per_call), _short(1e9 * row.calls.longest), row.busiest, _short(row.spread)),
        *(row.messages or None, row.bytes if row.messages or row.bytes else None, row.calls.communicator),
    ]


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _bars(figures: Figures) -> dict[str, Any]:
    """What hovering over a rank's bar shows: its time, its time in MPI, and that in each kind of call."""
    return {
        "names": [rank.rank for rank in figures.audit.ranks],
        "hosts": [rank.host for rank in figures.audit.ranks],
        "seconds": [_short(rank.seconds) for rank in figures.audit.ranks],
        "in_mpi": [_short(rank.in_mpi) for rank in figures.audit.ranks],
        "kinds": [
            [kind.name, [_short(v) for v in figures.present(values)]] for kind, values in figures.by_kind.items()
        ],
    }


def _stacked(figures: Figures) -> list[tuple[str, str]]:
    """Bars as paths in a box one unit high and one unit wide per rank, a colour each: MPI by kind, then the rest."""
    ranks = figures.audit.ranks
    longest = max((rank.seconds for rank in ranks), default=0.0)
    if not longest:
        return []
    base = np.zeros(len(ranks))
    paths = []
    for kind, values in figures.by_kind.items():
        own = figures.present(values) / longest
        paths.append((kind.colour, _boxes(base, own)))
        base = base + own
    total = np.array([rank.seconds for rank in ranks]) / longest
    paths.append(("var(--rest)", _boxes(base, np.maximum(total - base, 0.0))))
    return paths


def _boxes(base: NDArray[np.float64], height: NDArray[np.float64]) -> str:
    gap = 0.08 if len(base) <= 200 else 0.0  # narrower bars are hardly wider than a pixel
    return "".join(
        f"M{i + gap:g} {1 - low:.4g}h{1 - 2 * gap:g}v{-size:.4g}h{2 * gap - 1:g}z"
        for i, (low, size) in enumerate(zip(base, height, strict=True))
        if size > 0
    )


def _size_bars(figures: Figures) -> list[tuple[str, str, float]]:
    """The histogram: range of sizes, number of messages, and the length of its bar in percent."""
    most = max((number for _, number in figures.sizes), default=0)
    return [(size, f"{number:,}" if number else "", round(100 * number / most, 2)) for size, number in figures.sizes]
