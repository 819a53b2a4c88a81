"""The colour and the shape of each binding: of few bindings a colour each, of several languages a hue a language."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from polympi.lab.conclusions.order import is_arm_of_c
from polympi.lab.records import AGAIN, REFERENCE

Record = Mapping[str, Any]

# After Okabe and Ito's palette for all kinds of colour vision, shifted to mid lightness so that every colour keeps
# a contrast of about 3 : 1 on white and on near-black alike. Greys are kept for C, the measure of everything.
_REFERENCE_COLOURS = {REFERENCE: "#747b87", AGAIN: "#a0a7b3"}
_COLOURS = ("#2b7fd4", "#d9601a", "#0f9b78", "#a864c9", "#b88a00", "#3aa5c9", "#c8447c", "#7d8f2a")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

# Hues in degrees of OKLCH. A known language has the same one in every report; those that are often compared are far
# apart. The others take what is left, in the order of the report.
_HUES = {"Python": 252, "C++": 52, "Rust": 15, "Fortran": 160, "Go": 208, "Java": 92, "C#": 298, "R": 338, "Julia": 128}
_FREE_HUES = (280, 185, 108, 5, 65, 230, 325, 145)
# Lightness, and degrees beside the hue, of the bindings of a language: all of the same family, none like its neighbour.
_VARIANTS = ((0.60, 0), (0.70, 12), (0.51, -10), (0.67, -14), (0.55, 14))
_CHROMA = 0.135
_GREY = 0.025  # chroma of the arms of C


class Palette:
    """Colours and shapes of the bindings of one run; the same in all its charts and tables.

    Args:
        bindings: all bindings of the run, in the order of its report.
        languages: the language of each. Where the bindings are of several, each language has a hue and its bindings
            are variants of it; otherwise each binding has a colour of its own.
    """

    def __init__(self, bindings: Sequence[str], languages: Mapping[str, str] | None = None) -> None:
        self._order = list(bindings)
        others = [name for name in self._order if name not in _REFERENCE_COLOURS]
        known = {name: (languages or {}).get(name, "") for name in others if not is_arm_of_c(name)}
        if len(set(known.values())) > 1:
            self._colours = _by_language(others, known) | _REFERENCE_COLOURS
        else:
            self._colours = {name: _COLOURS[i % len(_COLOURS)] for i, name in enumerate(others)} | _REFERENCE_COLOURS
        self._shapes = {name: _SHAPES[(i + 1) % len(_SHAPES)] for i, name in enumerate(others)}

    def colour(self, binding: str) -> str:
        """CSS colour of a binding."""
        return self._colours.get(binding, _COLOURS[-1])

    def present(self, records: Iterable[Record]) -> list[str]:
        """The bindings that occur in some records, in the order of the report."""
        found = {record["binding"] for record in records}
        return [name for name in self._order if name in found] + sorted(found - set(self._order))

    def scale(self, names: Sequence[str]) -> alt.Scale:
        """Colour scale of some bindings."""
        return alt.Scale(domain=list(names), range=[self.colour(name) for name in names])

    def shapes(self, names: Sequence[str]) -> alt.Scale:
        """Shape scale of some bindings: distinguishable without colour, too."""
        return alt.Scale(domain=list(names), range=[self._shapes.get(name, "circle") for name in names])


def _by_language(names: Sequence[str], languages: Mapping[str, str]) -> dict[str, str]:
    """A hue a language, a variant of it a binding; arms of C are greys."""
    present = list(dict.fromkeys(languages.values()))
    unknown = [language for language in present if language not in _HUES]
    hues = _HUES | {language: _FREE_HUES[i % len(_FREE_HUES)] for i, language in enumerate(unknown)}
    seen: dict[str, int] = {}
    colours = {}
    for name in names:
        language = languages.get(name)
        number = seen.setdefault(language or REFERENCE, 0)
        seen[language or REFERENCE] += 1
        lightness, aside = _VARIANTS[number % len(_VARIANTS)]
        if language is None:
            colours[name] = oklch(lightness, _GREY, 75 * number)
        else:
            colours[name] = oklch(lightness, _CHROMA, hues[language] + aside)
    return colours


def oklch(lightness: float, chroma: float, hue: float) -> str:
    """The sRGB colour of a place in OKLCH, where equal lightness looks equally light; with less chroma beyond sRGB.

    Args:
        lightness: from 0 to 1.
        chroma: 0 is grey.
        hue: degrees.
    """
    while chroma > 0 and not all(-0.0005 <= channel <= 1.0005 for channel in _linear(lightness, chroma, hue)):
        chroma -= 0.005
    return "#" + "".join(f"{_encoded(channel):02x}" for channel in _linear(lightness, max(chroma, 0.0), hue))


def _linear(lightness: float, chroma: float, hue: float) -> tuple[float, float, float]:
    """Linear sRGB; the matrices are those of the definition of OKLab."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _encoded(channel: float) -> int:
    """A linear channel as a byte of sRGB."""
    value = min(max(channel, 0.0), 1.0)
    return round(255 * (12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055))
