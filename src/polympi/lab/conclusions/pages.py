"""The pages of message buffers: a large message is copied several times faster between huge ones."""

from collections.abc import Sequence

from polympi.lab.arms import PLAIN_PAGES
from polympi.lab.conclusions.phrases import listing, percent, sentence, size_words, times
from polympi.lab.conclusions.rows import Row
from polympi.lab.statistics.model import Analysis
from polympi.lab.statistics.operations import counts

ALL, NONE = 0.99, 0.01  # shares from which "all" and "none" are true except for a page at an end

_WHO_ASKS = "NumPy asks for its arrays of 4 MiB or more, malloc never does"  # numpy.org, release notes of 1.19


def huge_share(analysis: Analysis, stack: str, *, plain: bool) -> float | None:
    """The share of the bytes of a stack's message buffers, with ``plain`` of that arm, on huge pages, if known."""
    known = [one for one in analysis.launches if one.stack == stack and counts(one) and one.buffer_bytes]
    chosen = [one for one in known if (one.binding == PLAIN_PAGES) is plain]
    total = sum(one.buffer_bytes for one in chosen)
    return sum(one.huge_bytes for one in chosen) / total if total else None


def pages_sentence(analysis: Analysis, stack: str, rows: Sequence[Row]) -> str:
    """What a stack's buffers lay on, what C takes on plain pages, and which programs have them; or nothing."""
    asked = analysis.run.pages == "huge"
    share = huge_share(analysis, stack, plain=False)
    if share is None:
        return ""
    if asked:
        said = [f"On {stack} the message buffers of all arms but {PLAIN_PAGES} asked for huge pages and {_got(share)}."]
    else:
        said = [f"On {stack} no arm asked for huge pages; {percent(share)} of the message buffers lay on them."]
    if asked and share > NONE:
        said += _cost(rows)
        said += _who_has(huge_share(analysis, stack, plain=True))
    return " ".join(said)


def _got(share: float) -> str:
    if share >= ALL:
        return "got them"
    return "got none" if share <= NONE else f"got {percent(share)} of them"


def _cost(rows: Sequence[Row]) -> list[str]:
    """What plain pages cost C, at the separated sizes from 64 KiB on."""
    ping_pong = (
        r for r in rows if (r.binding, r.benchmark, r.payload) == (PLAIN_PAGES, "latency", "bytes") and r.separated
    )
    large = sorted((row for row in ping_pong if row.size_bytes >= 65536), key=lambda row: row.size_bytes)
    costs = [f"{times(row.ratio)} C at {size_words(row)}" for row in large]
    return (
        [sentence(f"On the pages of a program that does not ask for huge ones, C itself takes {listing(costs)}")]
        if costs
        else []
    )


def _who_has(share: float | None) -> list[str]:
    if share is None:
        return []
    if share <= NONE:
        return [
            f"This kernel gives huge pages only to programs that ask ({_WHO_ASKS}): yours has those of {PLAIN_PAGES}."
        ]
    return ["This kernel gives huge pages to programs that do not ask, too: yours has them."]
