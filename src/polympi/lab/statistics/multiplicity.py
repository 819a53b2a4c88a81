"""Many rows: p-values adjusted for the false discovery rate.

Benjamini & Hochberg, "Controlling the false discovery rate", J. R. Stat. Soc. B 57 (1995) 289-300. Among the rows
whose adjusted value is at most q, a fraction of at most q is expected to be there by chance. It holds for independent
rows and for rows that move together (Benjamini & Yekutieli, Ann. Stat. 29 (2001), positive dependence), as rows do
that come from the same launches.
"""

from __future__ import annotations

from collections.abc import Sequence

from scipy.stats import false_discovery_control

LIMIT = 0.05  # the false discovery rate that verdicts accept


def adjusted(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini-Hochberg q-values of a family of rows, in its order; rows without a p-value are not members."""
    members = [p for p in p_values if p is not None]
    if not members:
        return [None] * len(p_values)
    q_values = iter(false_discovery_control(members, method="bh").tolist())
    return [None if p is None else next(q_values) for p in p_values]
