"""What a binding is compared with: C in the same block, which is launched twice.

The two launches of C are of one program, so that the geometric mean of their times is what C takes, with less noise
than either alone: where both launches of a pair vary by s, a log-ratio to one launch varies by the square root of
2 s^2, to the mean of two by that of 1.5 s^2; and of one bad launch of C only the half reaches the ratios of its block.

The A/A arm itself is compared with the other launch alone: it says how far two launches of one program differ.
"""

import polars as pl

from polympi.lab.records import AGAIN, REFERENCE
from polympi.lab.statistics.operations import CASE

_BLOCK = ("stack", "block", *CASE)


def with_reference(medians: pl.DataFrame) -> pl.DataFrame:
    """The rows of all arms but C, in blocks with a time of C, with what they are compared with as ``reference_ns``.

    Medians are one row per launch and case. It is the geometric mean of C's two launches in the block, or the one of
    them that is there; for the A/A arm C's first launch. The second launch does not stand in for the first where C has
    no row of the case in any block: there it was refused, and what failed once is no counterpart.
    """
    of_c = pl.col("binding") == REFERENCE
    both = (
        medians.filter(pl.col("binding").is_in([REFERENCE, AGAIN]), pl.col("median_ns").is_not_null())
        .group_by(_BLOCK, maintain_order=True)
        .agg(
            # Not by logarithms: the mean of a single launch is to be its time to the last digit.
            pl.col("median_ns").product().pow(1 / pl.len()).alias("mean_ns"),
            pl.col("median_ns").filter(of_c).first().alias("first_ns"),
        )
    )
    of_both = medians.filter(~of_c).join(medians.filter(of_c), on=("stack", *CASE), how="semi", maintain_order="left")
    compared = of_both.join(both, on=_BLOCK, how="inner", maintain_order="left")
    reference = pl.when(pl.col("binding") == AGAIN).then("first_ns").otherwise("mean_ns")
    return compared.with_columns(reference_ns=reference).drop("mean_ns", "first_ns").drop_nulls("reference_ns")
