"""The colour and the shape of each binding: of few bindings a colour each, of several languages a hue a language."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt
from coloraide import Color

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
# Lightness, and shift of the hue in degrees, of a language's bindings: a family of colours, none like its neighbour.
_VARIANTS = ((0.60, 0), (0.70, 12), (0.51, -10), (0.67, -14), (0.55, 14))
_CHROMA = 0.135
_GREY = 0.025  # chroma of the arms of C


class Palette:
    """Colours and shapes of a run's bindings in all charts and tables; of several languages each has a hue."""

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
    """The sRGB colour of a place in OKLCH: lightness from 0 to 1, chroma (less if beyond sRGB), hue in degrees."""
    return Color("oklch", [lightness, chroma, hue]).convert("srgb").to_string(hex=True, fit="oklch-chroma")
