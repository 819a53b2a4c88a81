"""Small pieces of English: counts, lists, signs, ratios, rates."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.units import format_bytes, format_ns, format_size

MINUS = "−"


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun in the right form: ``1 launch``, ``3 launches``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {plural or _plural(noun)}"


def by_reason(reasons: Mapping[str, str]) -> list[tuple[str, str]]:
    """Names and why, those with the same reason together: ``boost and r``, ``it runs on openmpi only``."""
    named: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        named.setdefault(reason, []).append(name)
    return [(listing(names), reason) for reason, names in named.items()]


def size(size_bytes: int) -> str:
    """A size as people write it, also a decimal one: ``64 KiB``, ``10 MB``, ``1,027 B``."""
    if size_bytes >= 1000 and size_bytes % 1000 == 0:
        return f"{size_bytes // 10**6:,} MB" if size_bytes % 10**6 == 0 else f"{size_bytes // 1000:,} kB"
    return f"{size_bytes:,} B" if size_bytes % 1024 else format_size(size_bytes)


class _Measured(Protocol):
    @property
    def benchmark(self) -> str: ...

    @property
    def size_bytes(self) -> int: ...


def size_words(row: _Measured) -> str:
    """The size of a row's case: of a message, or the mesh of an application."""
    return BENCHMARKS[row.benchmark].size_words(row.size_bytes)


def verb(number: int, singular: str, plural: str) -> str:
    """The form of a verb that agrees with a count."""
    return singular if number == 1 else plural


def listing(items: Iterable[str], conjunction: str = "and") -> str:
    """A list in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    words = list(items)
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def first_few(items: Sequence[str], most: int = 5) -> str:
    """A list of which only the first few are named: ``a, b, c and 4 more``."""
    if len(items) <= most:
        return listing(items)
    return f"{', '.join(items[:most])} and {len(items) - most} more"


def duration(nanoseconds: float) -> str:
    """A time without its sign, as :func:`polympi.lab.units.format_ns` writes it."""
    return format_ns(abs(nanoseconds))


def signed(nanoseconds: float) -> str:
    """A difference of times with its sign: ``+521 ns``, ``−12.0 ns``."""
    return f"{_sign(nanoseconds)}{duration(nanoseconds)}"


def signed_bytes(amount: float) -> str:
    """A difference of amounts of memory with its sign: ``+11.2 MB``."""
    return f"{_sign(amount)}{format_bytes(abs(amount))}"


def plain_ratio(ratio: float) -> str:
    """A ratio to two or three significant digits: ``0.0024``, ``1.66``, ``12.4``, ``131``."""
    if 0 < ratio < 0.0995:
        return f"{ratio:.2g}"
    decimals = 2 if ratio < 9.995 else 1 if ratio < 99.95 else 0
    return f"{ratio:,.{decimals}f}"


def times(ratio: float) -> str:
    """A ratio as a factor: ``1.66 ×``; three decimals within 10 % of one, where two would hide the effect."""
    return f"{factor(ratio)} ×"


def factor(ratio: float) -> str:
    """A ratio to C as a plain number: ``1.66``, and ``1.012`` within 10 % of one."""
    return f"{ratio:.3f}" if 0.9 < ratio < 1.1 else plain_ratio(ratio)


def percent(fraction: float) -> str:
    """A share in percent, with a decimal below 10 %: ``1.2 %``, ``61 %``."""
    value = 100.0 * fraction
    return f"{value:.1f} %" if abs(value) < 9.95 else f"{value:.0f} %"


def rate(mb_per_s: float) -> str:
    """A bandwidth to three significant digits, in MB/s (10^6 bytes a second) or GB/s."""
    if mb_per_s >= 9995.0:
        return f"{plain_ratio(mb_per_s / 1000.0)} GB/s"
    if mb_per_s >= 999.5:
        return f"{mb_per_s / 1000.0:.2f} GB/s"
    return f"{plain_ratio(mb_per_s)} MB/s"


def sentence(text: str) -> str:
    """The text as one sentence: capital first letter unless it is a name in lower case, full stop at the end."""
    stripped = text.strip()
    return stripped if stripped.endswith((".", "!", "?", ":")) else f"{stripped}."


def _sign(value: float) -> str:
    return MINUS if value < 0 else "+"


def _plural(noun: str) -> str:
    if noun.endswith(("ch", "sh", "s", "x")):
        return f"{noun}es"
    return f"{noun}s"
