"""What a factor other than the binding costs: a setting, a placement or another MPI, for C and for every binding.

Every level of a factor is launched in the same blocks as the base, so that what drifts from block to block cancels in
the ratio of the times of a binding at both, as it does in its ratio to C. It is judged by the same rules as a binding:
an exact interval of the median over blocks, the noise floor, and the share of chance among all rows of the level.

C stands for both of its launches at a level: their geometric mean, as where bindings are compared with it.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np
import polars as pl

from polympi.lab.records import AGAIN, REFERENCE, STACK, LaunchRecord, RunRecord, StackRun
from polympi.lab.statistics.effects import paired_effect
from polympi.lab.statistics.floor import floor_between
from polympi.lab.statistics.keys import RowKey
from polympi.lab.statistics.operations import CASE
from polympi.lab.statistics.pairs import Pairs, log_ratio_table, sittings_of
from polympi.lab.statistics.sign_flips import flip_q_values
from polympi.lab.statistics.verdicts import verdict

_ARM = ("binding", *CASE)


@dataclass(frozen=True)
class Contrast:
    """Two levels of a factor that a run compares."""

    factor: str  # `setting`, `placement` or `stack`
    level: str
    base: str  # what the level is called that it is compared with; empty if it is none of a name
    stack: str  # what records and samples call the stack at the level
    base_stack: str


@dataclass(frozen=True)
class FactorRow(Contrast):
    """One binding in one case at a level of a factor, against the same at the base; what does not exist is None."""

    binding: str  # an arm; C's row is of the mean of its two launches
    benchmark: str
    mode: str
    payload: str
    size_bytes: int
    ranks: int
    blocks: int
    median_ns: float  # time of one operation at the level, the median over these blocks
    base_ns: float
    delta_ns: float  # median over blocks of level - base, with the ends of its interval
    delta_low_ns: float | None
    delta_high_ns: float | None
    ratio: float | None  # exp of the median over blocks of the log-ratio of level to base, likewise
    ratio_low: float | None
    ratio_high: float | None
    confidence: float | None  # the coverage that the intervals really have
    p_value: float | None  # exact two-sided sign test of the log-ratios
    q_value: float | None  # share of chance among the rows of this contrast that are at least as clear
    floor_ratio: float | None  # how far the two may seem to differ by noise alone
    verdict: str  # as in `summary.csv`; `slower` is slower than at the base


FACTOR_COLUMNS = tuple(field.name for field in fields(FactorRow))


def contrasts(run: RunRecord) -> list[Contrast]:
    """What a run compares other than bindings: levels with the base on their stack, further stacks with the first.

    Stacks are compared at the base alone; what has different numbers of ranks is not compared here.
    """
    base = run.levels[0] if run.levels else None
    factors = {level.name: level.factor for level in run.levels}
    found = []
    for planned in run.stacks:
        if base is None or planned.level == base.name:
            continue
        counterpart = _first(run, planned.ranks, base.name, planned.installation)
        if counterpart is not None:
            factor = factors.get(planned.level, "")
            found.append(Contrast(factor, planned.level, base.name, planned.stack, counterpart.stack))
    for planned in run.stacks:
        first = _first(run, planned.ranks, base.name if base else "")
        if first is not None and planned.level == first.level and planned.installation != first.installation:
            found.append(Contrast(STACK, planned.installation, first.installation, planned.stack, first.stack))
    return found


def _first(run: RunRecord, ranks: int, level: str, installation: str | None = None) -> StackRun | None:
    """The first of the run with this many ranks at a level; if one is named, on this installed stack."""
    same = [one for one in run.stacks if (one.ranks, one.level) == (ranks, level)]
    return next((one for one in same if installation in (None, one.installation)), None)


def factor_rows(
    medians: pl.DataFrame, run: RunRecord, launches: Iterable[LaunchRecord], floors: Mapping[RowKey, float]
) -> list[FactorRow]:
    """All rows of all contrasts, in the order of the run.

    ``floors`` are under the rows of the A/A arm (:func:`~polympi.lab.statistics.floor.noise_floors`).
    """
    compared = contrasts(run)
    if not compared:
        return []
    sittings = sittings_of(run, launches)
    at = pl.DataFrame(
        [(stack, block, sitting) for (stack, block), sitting in sittings.items()],
        schema={"stack": pl.String, "block": medians.schema["block"], "sitting": pl.Int64},
        orient="row",
    )
    times = _arms(medians).join(at, on=["stack", "block"], how="left").with_columns(pl.col("sitting").fill_null(0))
    bindings = list(dict.fromkeys(name for one in run.stacks for name in one.bindings))
    return [row for contrast in compared for row in _rows(contrast, times, floors, bindings)]


def _arms(medians: pl.DataFrame) -> pl.DataFrame:
    """Launch medians, those of C's two launches as one; C has no row where its first launch has none in any block."""
    of_c = pl.col("binding") == REFERENCE
    has_c = medians.filter(of_c)
    both = (
        medians.filter(pl.col("binding").is_in([REFERENCE, AGAIN]))
        .join(has_c, on=["stack", *CASE], how="semi")
        .group_by("stack", "block", *CASE, maintain_order=True)
        .agg(pl.col("median_ns").product().pow(1 / pl.len()))
        .with_columns(binding=pl.lit(REFERENCE))
    )
    others = medians.filter(~pl.col("binding").is_in([REFERENCE, AGAIN]))
    return pl.concat([both.select(medians.columns), others])


def _rows(
    contrast: Contrast, times: pl.DataFrame, floors: Mapping[RowKey, float], bindings: list[str]
) -> Iterator[FactorRow]:
    pairs = _pairs(contrast, times)
    q_values = dict(zip(pairs, flip_q_values(log_ratio_table(list(pairs.values()))), strict=True))
    place = {name: number for number, name in enumerate(bindings)}
    for key in sorted(pairs, key=lambda key: (place.get(key.binding, len(place)), key)):
        pair, again = pairs[key], key.of(AGAIN)
        effect = paired_effect(pair.binding, pair.reference)
        both = floors.get(again), floors.get(RowKey(**{**vars(again), "stack": contrast.base_stack}))
        floor = None if None in both else floor_between(*both, of_means=key.binding == REFERENCE)  # type: ignore[arg-type]
        delta, ratio = effect.delta_interval, effect.log_interval
        yield FactorRow(
            **vars(contrast),
            **{name: getattr(key, name) for name in _ARM},
            blocks=effect.blocks,
            median_ns=float(np.median(pair.binding)),
            base_ns=float(np.median(pair.reference)),
            delta_ns=effect.delta_ns,
            delta_low_ns=delta.low if delta else None,
            delta_high_ns=delta.high if delta else None,
            ratio=None if effect.log_ratio is None else math.exp(effect.log_ratio),
            ratio_low=math.exp(ratio.low) if ratio else None,
            ratio_high=math.exp(ratio.high) if ratio else None,
            confidence=ratio.coverage if ratio else None,
            p_value=effect.p_value,
            q_value=q_values[key],
            floor_ratio=None if floor is None else math.exp(floor),
            verdict=verdict(effect, floor, q_values[key]),
        )


def _pairs(contrast: Contrast, times: pl.DataFrame) -> dict[RowKey, Pairs]:
    """By row of the level: its times and those of the base, of blocks that were made at the same time."""
    level, base = (
        times.filter(pl.col("stack") == stack).select("block", "sitting", *_ARM, "median_ns")
        for stack in (contrast.stack, contrast.base_stack)
    )
    both = level.join(base.rename({"median_ns": "base_ns"}), on=["block", "sitting", *_ARM], how="inner")
    return {
        RowKey(contrast.stack, *key): Pairs(
            rows["block"].cast(pl.Int64).to_numpy(), rows["median_ns"].to_numpy(), rows["base_ns"].to_numpy()
        )
        for key, rows in both.sort("block").partition_by(_ARM, as_dict=True).items()
    }
