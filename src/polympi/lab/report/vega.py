"""The Vega runtime as one script, to be put inside a page that never uses a network."""

from importlib import metadata

from polympi.lab.home import PREBUILT, home

RUNTIME = PREBUILT / "vega.js"
_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def vega_runtime() -> str:
    """The source of vega, vega-lite and vega-embed, safe inside a ``<script>`` element.

    A wheel brings it. Elsewhere bundling takes more than a second, so the result is kept next to the stacks, one file
    per version; a place that cannot be written costs that second and nothing else.
    """
    if RUNTIME.is_file():
        return RUNTIME.read_text(encoding="utf-8")
    cached = home() / "cache" / f"vega-{metadata.version('vl-convert-python')}.js"
    try:
        return cached.read_text(encoding="utf-8")
    except OSError:
        source = bundle()
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        partial = cached.with_suffix(".partial")
        partial.write_text(source, encoding="utf-8")
        partial.replace(cached)
    except OSError:
        pass
    return source


def bundle() -> str:
    """Bundle the script; needs vl-convert, which takes 80 MB."""
    import vl_convert

    source: str = vl_convert.javascript_bundle(_SNIPPET)
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")
