"""How single times spread: values far from the others, counted and never dropped, and percentiles of events."""

import numpy as np

from polympi.lab.statistics.intervals import Values

# Tukey's fences stand this many interquartile ranges outside the quartiles (*Exploratory Data Analysis*, 1977,
# chapter 2). Of normal values 0.7 % are outside; a count far above that says that something disturbed the run.
REACH = 1.5
PERCENTILES = {"p50_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "p999_ns": 0.999, "max_ns": 1.0}


def count_outliers(values: Values) -> int:
    """How many of the values are outside Tukey's fences (quartiles interpolated linearly); 0 of no values."""
    data = np.asarray(values, dtype=np.float64)
    if not data.size:
        return 0
    lower, upper = np.quantile(data, (0.25, 0.75))
    reach = REACH * (upper - lower)
    return int(((data < lower - reach) | (data > upper + reach)).sum())


def percentiles(values: Values) -> dict[str, float | None]:
    """The percentiles of events by the name of their column; each is the smallest event that the share does not exceed.

    This is the inverse of the empirical distribution function (definition 1 of Hyndman & Fan, Am. Stat. 50 (1996)):
    always an event that happened, never one between two. Of fewer than 1000 events p99.9 is the largest. All None
    of no values.
    """
    data = np.asarray(values, dtype=np.float64)
    if not data.size:
        return dict.fromkeys(PERCENTILES)
    quantiles = np.quantile(data, list(PERCENTILES.values()), method="inverted_cdf")
    return {name: float(quantile) for name, quantile in zip(PERCENTILES, quantiles, strict=True)}
