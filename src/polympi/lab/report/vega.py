"""The Vega runtime as one script, to be put inside a page that never uses a network."""

from importlib import metadata

import vl_convert

from polympi.lab.home import home

_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def vega_runtime() -> str:
    """The source of vega, vega-lite and vega-embed, safe inside a ``<script>`` element.

    Bundling takes more than a second, so the result is kept next to the stacks, a file a version; a place that
    cannot be written costs that second and nothing else.
    """
    cached = home() / "cache" / f"vega-{metadata.version('vl-convert-python')}.js"
    try:
        return cached.read_text(encoding="utf-8")
    except OSError:
        source = _bundle()
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        partial = cached.with_suffix(".partial")
        partial.write_text(source, encoding="utf-8")
        partial.replace(cached)
    except OSError:
        pass
    return source


def _bundle() -> str:
    source: str = vl_convert.javascript_bundle(_SNIPPET)
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")
