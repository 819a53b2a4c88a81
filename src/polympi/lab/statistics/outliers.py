"""Values far from the others, counted and never dropped.

Tukey's fences stand one and a half interquartile ranges outside the quartiles (Tukey, *Exploratory Data Analysis*,
1977, chapter 2). Of normal values 0.7 % are outside; a count far above that says that something came between.
"""

from __future__ import annotations

import numpy as np

from polympi.lab.statistics.intervals import Values

REACH = 1.5  # interquartile ranges from a quartile to its fence, Tukey's choice


def count_outliers(values: Values) -> int:
    """How many of the values are outside Tukey's fences (quartiles interpolated linearly); 0 of no values."""
    data = np.asarray(values, dtype=np.float64)
    if not data.size:
        return 0
    lower, upper = np.quantile(data, (0.25, 0.75))
    reach = REACH * (upper - lower)
    return int(((data < lower - reach) | (data > upper + reach)).sum())
