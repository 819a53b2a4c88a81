"""Memory of a process of each binding, medians over launches."""

import polars as pl

from polympi.lab.records import REFERENCE, LaunchRecord
from polympi.lab.statistics.operations import counts

_SCHEMA: dict[str, type[pl.DataType]] = {
    "stack": pl.String,
    "binding": pl.String,
    "ranks": pl.Int64,
    "pss_bytes": pl.Int64,
    "pss_mean_bytes": pl.Int64,
    "rss_bytes": pl.Int64,
}


def memory_table(launches: list[LaunchRecord]) -> pl.DataFrame:
    """One row for each arm, in the order of the launches.

    The columns are ``stack, binding, ranks, launches, pss_bytes`` (the largest over ranks), ``pss_mean_bytes`` (0 where
    it is not reported), ``rss_bytes, delta_to_c_bytes`` (of the largest PSS). Launches without it
    (0 bytes) are left out; a binding without any other has no row, and ``delta_to_c_bytes`` is null where C has none.
    """
    known = [r for r in launches if counts(r) and r.pss_bytes > 0]
    frame = pl.DataFrame(
        [(r.stack, r.binding, r.ranks, r.pss_bytes, r.pss_mean_bytes, r.rss_bytes) for r in known],
        schema=_SCHEMA,
        orient="row",
    )
    table = frame.group_by("stack", "binding", "ranks", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("launches"), pl.col("pss_bytes", "pss_mean_bytes", "rss_bytes").median()
    )
    reference = table.filter(pl.col("binding") == REFERENCE).select("stack", reference_bytes="pss_bytes")
    return (
        table.join(reference, on="stack", how="left", maintain_order="left")
        .with_columns(delta_to_c_bytes=pl.col("pss_bytes") - pl.col("reference_bytes"))
        .drop("reference_bytes")
    )
