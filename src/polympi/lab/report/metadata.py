"""The environment of a run as sections of labelled metadata; any keys of its record are shown."""

import math
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from polympi.lab.records import Environment, Finding
from polympi.lab.units import format_bytes, format_ns

_GENERAL = "general"
_ABBREVIATIONS = frozenset(
    {"cpu", "cpus", "mhz", "mpi", "gcc", "id", "os", "shm", "smt", "numa", "cma", "pss", "rss", "tmpfs", "url", "cc"}
)

_NOT_SHOWN = {"topology"}  # one line per CPU, for the comparison of placements


@dataclass(frozen=True)
class Section:
    """One part of the environment."""

    title: str
    entries: list[tuple[str, str]]


def sections(environment: Environment) -> list[Section]:
    """All metadata but the findings; what belongs to no section comes first."""
    general: list[tuple[str, str]] = []
    found = []
    stacks = {"stacks": msgspec.to_builtins(environment.stacks)} if environment.stacks else {}
    for key, value in {**environment.metadata, **stacks}.items():
        if isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(v, Mapping) for v in value)):
            found.append(Section(_words(key), list(_entries("", value)) or [("", "–")]))
        else:
            general.append(
                (
                    _words(key),
                    shlex.join(map(str, value)) if key == "command" and isinstance(value, list) else _text(key, value),
                )
            )
    return [Section(_words(_GENERAL), general), *found] if general else found


def findings(environment: Environment) -> list[Finding]:
    """The findings, warnings first."""
    return sorted(environment.findings, key=lambda finding: finding.level != "warning")


def _entries(label: str, value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for inner_key, inner in value.items():
            if inner_key in _NOT_SHOWN:
                continue
            words = _words(str(inner_key))
            yield from _entries(f"{label} › {words}" if label else words, inner, str(inner_key))
    elif isinstance(value, list) and any(isinstance(item, (Mapping, list)) for item in value):
        for number, item in enumerate(value, start=1):
            yield from _entries(f"{label} {number}".strip(), item, key)
    else:
        yield label, _text(key, value)


def _text(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value in ("", [], {}) or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, list):
        return ", ".join(_text("", item) for item in value)
    if isinstance(value, (int, float)):
        return _number(key, value)
    return str(value)


def _number(key: str, value: float) -> str:
    if key.endswith("bytes"):
        return format_bytes(value)
    if key.endswith("_ns"):
        return format_ns(value)
    if key.endswith("_mhz"):
        return f"{value:,.0f} MHz"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _words(key: str) -> str:
    key = key.removesuffix("_bytes").removesuffix("_mhz").removesuffix("_ns")
    words = [word.upper() if word in _ABBREVIATIONS else word for word in key.replace("_", " ").split()]
    text = " ".join(words)
    return text[:1].upper() + text[1:] if text else text
