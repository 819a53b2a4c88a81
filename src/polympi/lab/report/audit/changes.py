"""What changed from one audit to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from polympi.lab.audit.model import Audit
from polympi.lab.conclusions.phrases import MINUS, percent, plain_ratio
from polympi.lab.report.audit import words
from polympi.lab.report.audit.figures import Figures, Row
from polympi.lab.report.audit.terminal import rich_table
from polympi.lab.report.projection.tables import Table
from polympi.lab.units import format_bytes

SHOWN = 10  # sites
NOTICEABLE = 0.005  # of the ranks' time: a change below this isn't shown


@dataclass(frozen=True)
class Change:
    """A procedure and a site in both audits, or in one of them."""

    before: Row | None
    after: Row | None

    @property
    def share(self) -> float:
        """By how much of the ranks' time its part has grown."""
        return (self.after.share if self.after else 0.0) - (self.before.share if self.before else 0.0)

    @property
    def seconds(self) -> float:
        """By how many seconds of all ranks it has grown."""
        return (self.after.seconds if self.after else 0.0) - (self.before.seconds if self.before else 0.0)


def matched(before: Sequence[Row], after: Sequence[Row]) -> list[Change]:
    """The rows of both audits in pairs: those of the same site, then those whose line may have moved.

    A site has moved if procedure, file and function are the same; of several, the first in the file is paired with the
    first. What remains is in one audit only.
    """
    pairs: list[Change] = []
    left, right = list(before), list(after)
    for exact in (True, False):
        pending: dict[tuple[str, ...], list[Row]] = {}
        for row in sorted(left, key=_line):
            pending.setdefault(_key(row, exact=exact), []).append(row)
        unmatched = []
        for row in sorted(right, key=_line):
            candidates = pending.get(_key(row, exact=exact))
            if candidates:
                pairs.append(Change(candidates.pop(0), row))
            else:
                unmatched.append(row)
        left, right = [row for rows in pending.values() for row in rows], unmatched
    pairs += [Change(row, None) for row in left] + [Change(None, row) for row in right]
    return sorted(pairs, key=lambda change: -abs(change.seconds))


def _line(row: Row) -> int:
    return row.calls.site.line or 0


def _key(row: Row, *, exact: bool) -> tuple[str, ...]:
    site = row.calls.site
    # Two versions of a program may lie in different folders, so the short name of the file counts.
    place = row.where if exact else row.where.split(":")[0]
    return row.calls.procedure, place, site.function


def print_changes(before: Audit, after: Audit, console: Console) -> None:
    """Print what changed: totals, efficiencies, and the sites whose time changed most."""
    old, new = Figures(before), Figures(after)
    console.print(Text(headline(old, new), style="bold"))
    if len(before.ranks) != len(after.ranks):
        text = f"The first ran on {len(before.ranks)} ranks, the second on {len(after.ranks)}."
        console.print(Text(text, style="yellow"))
    console.print()
    console.print(rich_table(total_table(old, new)))
    changes = matched(old.sites, new.sites)
    table = site_table(changes, new.all_time)
    console.print()
    if table.lines:
        console.print(rich_table(table))
    else:
        console.print("No site's time changed noticeably.")


def headline(old: Figures, new: Figures) -> str:
    """Time and share of MPI in one sentence."""
    before, after = old.audit.seconds, new.audit.seconds
    if not before or not after:
        return "One of the audits recorded no time."
    way = "slower" if after > before else "faster"
    ratio = max(after / before, before / after)
    speed = "as fast as before" if ratio < 1.005 else f"{plain_ratio(ratio)}× {way}"
    share, former = percent(new.mpi_share), percent(old.mpi_share)
    return f"It is {speed}; MPI takes {share} of the time, {'as before' if share == former else f'and took {former}'}."


def total_table(old: Figures, new: Figures) -> Table:
    """The figures of both programs."""
    lines: list[tuple[str, ...]] = [
        _times("run time", old.audit.seconds, new.audit.seconds),
        _points("time in MPI", old.mpi_share, new.mpi_share),
    ]
    pairs = zip(words.efficiencies(old.audit), words.efficiencies(new.audit), strict=False)
    lines += [_points(b.name.lower(), b.value, a.value) for b, a in pairs if b.name == a.name]
    for name, one, other in (
        ("calls", old.call_count, new.call_count),
        ("messages", old.message_count, new.message_count),
    ):
        lines.append((name, f"{one:,}", f"{other:,}", _relative(one, other)))
    sizes = format_bytes(old.byte_count), format_bytes(new.byte_count)
    lines.append(("bytes in messages", *sizes, _relative(old.byte_count, new.byte_count)))
    return Table("Figures", ("", "before", "after", "change"), lines, words=1)


def site_table(changes: Sequence[Change], all_time: float) -> Table:
    """The sites whose time changed most, by at least a noticeable part of the ranks' time."""
    least = NOTICEABLE * all_time
    lines = []
    for change in [one for one in changes if abs(one.seconds) >= least][:SHOWN]:
        shown = change.after or change.before
        assert shown is not None
        before = words.seconds_text(change.before.seconds) if change.before else "–"
        after = words.seconds_text(change.after.seconds) if change.after else "–"
        counts = (f"{row.count:,}" if row else "–" for row in (change.before, change.after))
        lines.append((shown.calls.procedure, _moved(change), before, after, _signed(change.seconds), *counts))
    headers = ("procedure", "site", "time before", "after", "change", "calls before", "after")
    return Table("Sites", headers, lines)


def _moved(change: Change) -> str:
    """The site, with its former line if that is another one."""
    if change.after is None:
        return f"{change.before.where}, gone" if change.before else ""
    if change.before is None:
        return f"{change.after.where}, new"
    if change.before.where == change.after.where:
        return change.after.where
    return f"{change.after.where}, was {change.before.where.rpartition(':')[2]}"


def _times(name: str, before: float, after: float) -> tuple[str, ...]:
    return name, words.seconds_text(before), words.seconds_text(after), _relative(before, after)


def _points(name: str, before: float | None, after: float | None) -> tuple[str, ...]:
    """Shares: they differ by percentage points."""
    texts = ["unknown" if value is None else percent(value) for value in (before, after)]
    if before is None or after is None:
        return name, *texts, ""
    points = 100 * (after - before)
    return name, *texts, "same" if abs(points) < 0.05 else f"{_sign(points)}{abs(points):.1f} points"


def _relative(before: float, after: float) -> str:
    if not before:
        return "" if not after else "new"
    change = after / before - 1
    return "same" if abs(change) < 0.0005 else f"{_sign(change)}{percent(abs(change))}"


def _signed(seconds: float) -> str:
    return f"{_sign(seconds)}{words.seconds_text(abs(seconds))}"


def _sign(value: float) -> str:
    return MINUS if value < 0 else "+"
