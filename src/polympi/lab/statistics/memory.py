"""Memory of a process of each binding, medians over launches."""

from __future__ import annotations

import polars as pl

from polympi.lab.records import REFERENCE, LaunchRecord
from polympi.lab.statistics.operations import counts

_SCHEMA: dict[str, type[pl.DataType]] = {
    "stack": pl.String,
    "binding": pl.String,
    "pss_bytes": pl.Int64,
    "rss_bytes": pl.Int64,
}


def memory_table(launches: list[LaunchRecord]) -> pl.DataFrame:
    """``stack, binding, launches, pss_bytes, rss_bytes, delta_to_c_bytes`` (of PSS) in the order of the launches.

    Launches on a system that does not tell (0 bytes) are left out; a binding without any other has no row, and
    ``delta_to_c_bytes`` is null where C has none.
    """
    known = [r for r in launches if counts(r) and r.pss_bytes > 0]
    frame = pl.DataFrame([(r.stack, r.binding, r.pss_bytes, r.rss_bytes) for r in known], schema=_SCHEMA, orient="row")
    table = frame.group_by("stack", "binding", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("launches"), pl.col("pss_bytes", "rss_bytes").median()
    )
    reference = table.filter(pl.col("binding") == REFERENCE).select("stack", reference_bytes="pss_bytes")
    return (
        table.join(reference, on="stack", how="left", maintain_order="left")
        .with_columns(delta_to_c_bytes=pl.col("pss_bytes") - pl.col("reference_bytes"))
        .drop("reference_bytes")
    )
