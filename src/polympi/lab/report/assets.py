"""What the pages share: the files of the folder ``page``, JSON inside a page, and specifications of charts."""

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import Any

import altair as alt
import jinja2
from markupsafe import Markup

_UNIT = re.compile(r"(?<=[\d×]) (?=(?:ns|µs|ms|s|%|B|[KMG]iB|[kMG]B(?:/s)?|×|C)\b|[%×])")


def asset(name: str) -> Markup:
    """A file of the folder."""
    return Markup((resources.files("polympi.lab.report") / "page" / name).read_text(encoding="utf-8"))


def assets(names: Sequence[str]) -> Markup:
    """Several files as one text."""
    return Markup("\n").join(map(asset, names))


@lru_cache
def template(name: str) -> jinja2.Template:
    """A template of the folder; its filter ``tight`` keeps numbers on one line with their units."""
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["tight"] = lambda text: _UNIT.sub("\u00a0", text)
    return environment.from_string(str(asset(name)))


def embedded_json(value: Any) -> Markup:
    """JSON that cannot leave its ``<script>`` element; not-a-number would break the page and is refused."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def specification(chart: alt.LayerChart) -> dict[str, Any]:
    """The specification of a chart without what the page sets for all charts: schema and configuration."""
    spec: dict[str, Any] = chart.to_dict(validate=False)
    return {key: value for key, value in spec.items() if key not in ("$schema", "config")}
