"""Patterns of cases, as ``--bench`` takes them."""

import fnmatch


def fits(pattern: str, benchmark: str, mode: str, payload: str) -> bool:
    """Whether a name or a pattern means this benchmark, mode and payload.

    As ``latency`` (all of a benchmark), ``latency/ready*`` (modes) or ``latency/ready*/bytes`` (modes and payloads).
    """
    name, _, rest = pattern.partition("/")
    if not fnmatch.fnmatchcase(benchmark, name):
        return False
    return not rest or fnmatch.fnmatchcase(f"{mode}/{payload}", rest if "/" in rest else f"{rest}/*")
