"""Quantities as people write and read them: sizes, durations, rates."""

import re

from polympi.lab.errors import UsageError

_BINARY = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_SIZE = re.compile(r"([0-9]+)\s*([bkmg]?)(?:i?b)?", re.IGNORECASE)
_MESH = re.compile(r"([0-9]{1,18})\^([123])")
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|h|)", re.IGNORECASE)
_PERCENT = re.compile(r"([0-9]{1,9}(?:\.[0-9]+)?)\s*%")
_SECONDS = {"ms": 1e-3, "": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def parse_size(text: str) -> int:
    """Bytes of a size such as ``8``, ``64KiB``, ``4M`` (prefixes are binary), or of a mesh of doubles, ``129^3``."""
    if mesh := _MESH.fullmatch(text.strip()):
        size = int(BYTES_OF_A_DOUBLE * int(mesh[1]) ** int(mesh[2]))
    elif match := _SIZE.fullmatch(text.strip()):
        size = int(match[1]) * _BINARY[match[2].lower()]
    else:
        raise UsageError(f"'{text}' is not a size: write bytes as 8, 64KiB, 4MiB, a mesh as 129^3, or '{NETPIPE}'.")
    if size >= 2**63:
        raise UsageError(f"'{text}' is more bytes than any machine addresses.")
    return size


BYTES_OF_A_DOUBLE = 8
NETPIPE = "netpipe"  # instead of a size: those of the program NetPIPE
NETPIPE_LAST = 2**22  # the largest power of two of them, as of the other lists of sizes
NETPIPE_BESIDE = 3  # bytes more and less than each power of two: neither is aligned, and one is beyond a switch at it


def netpipe_sizes() -> set[int]:
    """Powers of two up to 4 MiB, and three bytes more and less than each, without those that are below 1 byte."""
    powers = [2**k for k in range(NETPIPE_LAST.bit_length())]
    return {size for power in powers for size in (power - NETPIPE_BESIDE, power, power + NETPIPE_BESIDE) if size > 0}


def parse_sizes(text: str) -> list[int]:
    """Sizes in bytes of ``8,1KiB`` (a list), ``1:4MiB`` (powers of two in a range, ends included) or ``netpipe``."""
    sizes: set[int] = set()
    for part in text.split(","):
        if part.strip().lower() == NETPIPE:
            sizes |= netpipe_sizes()
            continue
        low_text, colon, high_text = part.partition(":")
        low = parse_size(low_text)
        if not colon:
            sizes.add(low)
            continue
        high = parse_size(high_text)
        if low > high:
            raise UsageError(f"The size range '{part}' runs backwards: write the smaller size first, as {high}:{low}.")
        sizes |= {low, high} | {2**k for k in range(high.bit_length()) if low <= 2**k <= high}
    return sorted(sizes)


def parse_duration(text: str) -> float:
    """Seconds of a duration such as ``90``, ``90s``, ``10m``, ``1h``."""
    match = _DURATION.fullmatch(text.strip())
    if not match or float(match[1]) == 0:
        raise UsageError(f"'{text}' is not a duration: write it as 90s, 10m or 1h.")
    return float(match[1]) * _SECONDS[match[2].lower()]


def parse_percent(text: str) -> float:
    """The fraction that a text such as ``5%`` or ``2.5 %`` means."""
    match = _PERCENT.fullmatch(text.strip())
    if not match or float(match[1]) == 0:
        raise UsageError(f"'{text}' is not a percentage above 0: write it as 5% or 2.5%.")
    return float(match[1]) / 100


def format_size(size_bytes: int) -> str:
    """A size as people write it: ``8 B``, ``64 KiB``; exact, never rounded."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size_bytes >= factor and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes} B"


def format_ns(nanoseconds: float) -> str:
    """A time to three significant digits in ns, µs, ms or s, such as ``512 ns`` or ``1.53 µs``."""
    magnitude = abs(nanoseconds)
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if magnitude >= 0.9995 * factor:
            return f"{_three_digits(nanoseconds / factor)} {unit}"
    return f"{_three_digits(nanoseconds)} ns"


def format_duration(seconds: float) -> str:
    """A duration for progress displays: ``42 s``, ``3 min 05 s``."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


def format_bytes(count: float) -> str:
    """An amount of memory to three significant digits in powers of 1000: ``31.4 MB``."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if abs(count) >= 0.9995 * factor:
            return f"{_three_digits(count / factor)} {unit}"
    return f"{count:.0f} B"


def format_range(low: str, high: str) -> str:
    """Both ends of a range, or the one text where they read the same: ``3 s to 5 s``, ``3 s``."""
    return low if low == high else f"{low} to {high}"


def _three_digits(value: float) -> str:
    magnitude = abs(value)
    decimals = 0 if magnitude >= 99.95 else 1 if magnitude >= 9.995 else 2
    return f"{value:.{decimals}f}"
