"""Draw the README's chart from a run: what mpi4py and polympi take, as a ratio to C's time.

    polympi run --profile quick --stack openmpi --bench 'latency/standard/[bd]*' --sizes 8 -o results/readme
    python benchmarks/readme_chart.py keep results/readme/summary.csv     # writes docs/images/readme.csv
    python benchmarks/readme_chart.py draw                                # writes docs/images/readme.svg from it

The rows that are drawn are kept in the repository, so that anybody can draw them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import altair as alt
import polars as pl

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DRAWN = {  # bindings and payloads, by the names of their panel and bar
    ("a message of 8 bytes", "mpi4py"): ("mpi4py", "bytes"),
    ("a message of 8 bytes", "polympi"): ("polympi", "bytes"),
    ("a dict", "mpi4py"): ("mpi4py-object", "dict"),
    ("a dict", "polympi"): ("polympi-object", "dict"),
}
NAMES = ["message", "library", "binding", "payload"]
FIGURES = ["stack", "size_bytes", "launches", "ratio_to_c", "ratio_low", "ratio_high"]


def kept(summary: Path) -> pl.DataFrame:
    """The rows of a run's summary that are drawn."""
    names = pl.DataFrame([(*names, *found) for names, found in DRAWN.items()], NAMES, orient="row")
    rows = pl.read_csv(summary).filter(pl.col("benchmark") == "latency", pl.col("mode") == "standard")
    return names.join(rows, on=NAMES[2:], maintain_order="left").select(*NAMES, *FIGURES)


def chart(rows: pl.DataFrame) -> alt.FacetChart:
    """One panel per message, one bar per library, with the interval of its ratio."""
    low, high = pl.col("ratio_low"), pl.col("ratio_high")
    text = pl.format("{} × C ({} to {})", *(one.round(1) for one in (pl.col("ratio_to_c"), low, high)))
    records = rows.select("message", "library", ratio="ratio_to_c", low=low, high=high, text=text).to_dicts()
    base = alt.Chart().encode(y=alt.Y("library:N", title=None, axis=alt.Axis(ticks=False, domain=False)))
    bars = base.mark_bar(height=18).encode(
        x=alt.X("ratio:Q", title="time as a ratio to C's, with 95 % intervals"),
        color=alt.Color("library:N", legend=None, scale=alt.Scale(range=["#b0b7c3", "#2f6fde"])),
    )
    ends = base.mark_rule(strokeWidth=2, color="#333").encode(x="low:Q", x2="high:Q")
    labels = base.mark_text(align="left", dx=6).encode(x="high:Q", text="text:N")
    line = alt.Chart().mark_rule(strokeDash=[4, 3], color="#888").encode(x=alt.datum(1))
    layers = alt.layer(bars, ends, labels, line, data={"values": records}).properties(width=520, height=70)
    return layers.facet(row=alt.Row("message:N", title=None, header=alt.Header(labelAngle=0, labelAlign="left")))


if __name__ == "__main__":
    if sys.argv[1:2] == ["keep"]:
        kept(Path(sys.argv[2])).write_csv(IMAGES / "readme.csv", float_precision=3)
    else:
        chart(pl.read_csv(IMAGES / "readme.csv")).save(str(IMAGES / "readme.svg"))
