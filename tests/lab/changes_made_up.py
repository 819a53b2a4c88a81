"""Comparisons of two runs as they may come out, to test sentences and tables without runs."""

from typing import Any

from polympi.lab.statistics.comparison.model import Comparison, GroupChange, RowChange

_CHANGE: dict[str, Any] = {"stack": "mpich", "binding": "mpi4py", "benchmark": "latency", "verdict": "same"}
_CHANGE |= {"launches_before": 9, "launches_after": 9, "launches_needed": None}
_CHANGE |= {"change": 1.0, "change_low": 0.98, "change_high": 1.02, "confidence": 0.96, "p_value": 1.0}
_CHANGE |= {"floor_ratio": 1.03, "c_change": 1.01}


def group(**fields: Any) -> GroupChange:
    return GroupChange(**(_CHANGE | {"rows": 10, "rows_slower": 0, "rows_faster": 0} | fields))


def row(**fields: Any) -> RowChange:
    case = {"mode": "standard", "payload": "bytes", "size_bytes": 8, "ranks": 2, "before": 1.5, "after": 1.5}
    return RowChange(**(_CHANGE | case | fields))


def comparison(*groups: GroupChange, rows: tuple[RowChange, ...] = (), absolute: bool = False) -> Comparison:
    return Comparison(absolute=absolute, threshold=0.1, groups=list(groups), rows=list(rows))
