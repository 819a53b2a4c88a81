"""Draw the README's chart from a run: what mpi4py and polympi take, as a ratio to C's time.

    polympi run --profile standard --stack openmpi --bench latency/standard/bytes,object --sizes 8 -o results/readme
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
MESSAGES = {  # what is drawn, by benchmark, payload and size
    ("latency", "bytes", 8): "a message of 8 bytes",
    ("object", "dict", 24): "a dict",
}
COLUMNS = ["stack", "binding", "benchmark", "payload", "size_bytes", "ratio_to_c", "ratio_low", "ratio_high"]


def kept(summary: Path) -> pl.DataFrame:
    """The rows of a run's summary that are drawn."""
    drawn = pl.DataFrame([(*key,) for key in MESSAGES], ["benchmark", "payload", "size_bytes"], orient="row")
    rows = pl.read_csv(summary).join(drawn, on=drawn.columns, how="semi")
    return rows.filter(pl.col("mode") == "standard", pl.col("ratio_to_c").is_not_null()).select(COLUMNS)


def chart(rows: pl.DataFrame) -> alt.FacetChart:
    """One panel per message, one bar per library, with the interval of its ratio."""
    records = [
        {
            "library": row["binding"].removesuffix("-object"),
            "message": MESSAGES[row["benchmark"], row["payload"], row["size_bytes"]],
            "ratio": row["ratio_to_c"],
            "low": row["ratio_low"],
            "high": row["ratio_high"],
            "text": f"{row['ratio_to_c']:.1f} × C ({row['ratio_low']:.1f} to {row['ratio_high']:.1f})",
        }
        for row in rows.iter_rows(named=True)
    ]
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
