"""Published speed-ups compared with the run's."""

from collections.abc import Mapping, Sequence

from polympi.lab.catalogue import problem_bytes
from polympi.lab.conclusions.phrases import count, listing, plain_ratio
from polympi.lab.published import published
from polympi.lab.report.comparisons.comparison import Comparison, or_dash
from polympi.lab.statistics.scaling import ScalingRow

_LENGTH = 2**18  # of the published vectors


def inner_product(stack: str, rows: Sequence[ScalingRow]) -> Comparison | None:
    """Speed-up of the inner product of two vectors of length 2^18, as in the source the same for all ranks."""
    size = problem_bytes(_LENGTH, 1)
    ours = [
        row
        for row in rows
        if not row.weak and (row.stack, row.benchmark, row.size_bytes) == (stack, "inner-product", size)
    ]
    by_key = {(row.binding, row.ranks): row.speedup for row in ours if row.base_ranks == 1}
    faster = [row for row in ours if row.ranks > 1 and by_key.get((row.binding, row.ranks))]
    if not faster:
        return None
    # Where there are more ranks than processors, a speed-up says nothing about the program.
    most = max(row.ranks for row in [row for row in faster if not row.oversubscribed] or faster)
    table = published("inner_product_speedup")
    theirs = {row["processes"]: row for row in table.frame.iter_rows(named=True)}
    bindings = list(dict.fromkeys(row.binding for row in ours))
    oversubscribed = {row.ranks for row in ours if row.oversubscribed}
    lines = [
        (
            f"{ranks}{', oversubscribed here' if ranks in oversubscribed else ''}",
            *(or_dash(theirs.get(ranks, {}).get(name), plain_ratio) for name in ("c_speedup", "python_pypar_speedup")),
            *(or_dash(by_key.get((binding, ranks)), plain_ratio) for binding in bindings),
        )
        for ranks in sorted({*theirs, *(row.ranks for row in ours)} - {1})
    ]
    best = max(theirs.values(), key=lambda row: row["c_speedup"] or 0.0)
    said = f"Published: with {best['processes']} processes instead of one C is {_both(best)}"
    if (last := max(theirs)) != best["processes"]:
        said += f", and with {last} processes {_both(theirs[last])}"
    said += "."
    parts = [f"{name} {plain_ratio(speedup)} ×" for name in bindings if (speedup := by_key.get((name, most)))]
    said += f" Here, with {count(most, 'rank')}: {listing(parts)}."
    headers = ("processes", "published: C", "published: pypar", *(f"{name}, here" for name in bindings))
    return Comparison(table.source, stack, said, headers, lines)


def _both(row: Mapping[str, float]) -> str:
    return f"{plain_ratio(row['c_speedup'])} × as fast and pypar {plain_ratio(row['python_pypar_speedup'])} ×"
