"""A badge for a README: the JSON that an endpoint badge of shields.io reads."""

from pathlib import Path

import msgspec

from polympi.lab.conclusions.order import is_arm_of_c
from polympi.lab.conclusions.phrases import plain_ratio, size
from polympi.lab.conclusions.rows import example_size, rows_of
from polympi.lab.report.generator import write_text
from polympi.lab.statistics.model import Analysis

MOST_BINDINGS = 3  # a badge is one short line


def write_badge(analysis: Analysis, directory: Path) -> list[Path]:
    """Write ``badge.json``: the latency of a small message over C's, of the first bindings of the first stack."""
    rows = [
        row
        for row in rows_of(analysis)
        if row.family[1:] == ("latency", "standard", "bytes") and not is_arm_of_c(row.binding) and row.judged
    ]
    content: dict[str, object] = {"schemaVersion": 1, "label": "MPI latency over C", "message": "not measured"}
    if rows:
        small = example_size(row.size_bytes for row in rows)
        shown = [row for row in rows if (row.stack, row.size_bytes) == (rows[0].stack, small)][:MOST_BINDINGS]
        content["label"] = f"MPI latency over C, {size(small)}"
        content["message"] = ", ".join(f"{row.binding} {plain_ratio(row.ratio)} ×" for row in shown)
    text = msgspec.json.encode(content | {"color": "blue" if rows else "lightgrey"}).decode()
    return [write_text(directory / "badge.json", text + "\n")]
