"""The fits and overheads of a run, from its launch medians."""

import polars as pl

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.statistics.fits import MINIMUM_SIZES, fit_segments, fitted_times
from polympi.lab.statistics.model import Fit, Overhead
from polympi.lab.statistics.overheads import overhead_line, overhead_over_blocks
from polympi.lab.statistics.reference import with_reference

_APPLICATIONS = [benchmark.name for benchmark in BENCHMARKS.values() if benchmark.application]
_FAMILY = ("stack", "binding", "benchmark", "mode", "payload")


def fits_of(launch_medians: pl.DataFrame) -> list[Fit]:
    """A fit of every family of rows that differ only in size, if it has at least four sizes."""
    fits = []
    for family, rows in _families(launch_medians):
        points = rows.group_by("size_bytes").agg(pl.col("median_ns").median()).sort("size_bytes")
        points = points.filter(pl.col("median_ns") > 0)
        if len(points) < MINIMUM_SIZES:
            continue
        sizes, times = points["size_bytes"].to_list(), points["median_ns"].to_list()
        segments = fit_segments(sizes, times)
        fits.append(
            Fit(
                *family,
                segments=segments,
                sizes=tuple(sizes),
                measured_ns=tuple(times),
                fitted_ns=fitted_times(segments, sizes),
            )
        )
    return fits


def overheads_of(launch_medians: pl.DataFrame) -> list[Overhead]:
    """What each binding adds to C, where at least six blocks have at least four sizes of both."""
    overheads = []
    for family, rows in _families(with_reference(launch_medians.filter(pl.col("median_ns") > 0))):
        blocks = [b for b in rows.partition_by("block") if len(b) >= MINIMUM_SIZES]
        lines = [
            overhead_line(b["size_bytes"].to_list(), b["median_ns"].to_list(), b["reference_ns"].to_list())
            for b in blocks
        ]
        coefficients = overhead_over_blocks(lines)
        if coefficients is None:
            continue
        per_call, per_byte = coefficients
        overheads.append(
            Overhead(
                *family,
                per_call_ns=per_call.median,
                per_call_low_ns=per_call.interval.low,
                per_call_high_ns=per_call.interval.high,
                per_byte_ns=per_byte.median,
                per_byte_low_ns=per_byte.interval.low,
                per_byte_high_ns=per_byte.interval.high,
                launches=len(lines),
            )
        )
    return overheads


def _families(rows: pl.DataFrame) -> list[tuple[tuple[str, str, str, str, str], pl.DataFrame]]:
    """The rows that differ only in size; those of applications have no latency and no bandwidth."""
    rows = rows.filter(~pl.col("benchmark").is_in(_APPLICATIONS))
    families = rows.partition_by(_FAMILY, as_dict=True, maintain_order=True)
    return [((stack, arm, name, mode, payload), f) for (stack, arm, name, mode, payload), f in families.items()]
