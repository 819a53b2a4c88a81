"""Published figures compared with the run's, if both measure the same."""

from collections.abc import Container

from polympi.lab.conclusions.placements import on_several_hosts
from polympi.lab.conclusions.rows import rows_of, stacks_of
from polympi.lab.records import REFERENCE
from polympi.lab.report.charts import Palette
from polympi.lab.report.comparisons.comparison import Comparison
from polympi.lab.report.comparisons.languages import boost, csharp
from polympi.lab.report.comparisons.python import bidirectional, modules
from polympi.lab.report.comparisons.scaling import inner_product
from polympi.lab.report.comparisons.sends import pings, stream
from polympi.lab.statistics.model import Analysis

__all__ = ["Comparison", "comparisons"]


def comparisons(analysis: Analysis, palette: Palette, shown: Container[str]) -> list[Comparison]:
    """All published tables that measure what the run measured, for each stack; speed-ups for each installed one.

    They are compared with C and the bindings that are shown; a table of one language, also with those of it.
    """
    every = [row for row in rows_of(analysis) if row.median_ns is not None]
    found: list[Comparison | None] = []
    for stack in stacks_of(analysis):
        over_hosts = on_several_hosts(analysis, stack)
        of_all = [row for row in every if row.stack == stack]
        own = [row for row in of_all if row.binding == REFERENCE or row.binding in shown]
        fits = [
            fit for fit in analysis.fits if fit.stack == stack and (fit.binding == REFERENCE or fit.binding in shown)
        ]
        found += [
            bidirectional(stack, own, palette),
            pings(stack, own, over_hosts),
            stream(stack, of_all, palette, over_hosts),
            modules(stack, fits),
            csharp(analysis, stack, of_all, shown),
            boost(stack, of_all),
        ]
    scaling = [row for row in analysis.scaling if row.binding == REFERENCE or row.binding in shown]
    found += [inner_product(stack, scaling) for stack in dict.fromkeys(row.stack for row in scaling)]
    return [one for one in found if one is not None]
