"""Charts: one function for each chart, each from rows of an analysis and the colours of its bindings."""

from polympi.lab.report.charts.bars import memory, modes_at_size, startup
from polympi.lab.report.charts.comparison import series_over_size
from polympi.lab.report.charts.fits import fitted_time, residuals
from polympi.lab.report.charts.launches import event_percentiles, launch_distribution
from polympi.lab.report.charts.over_size import bandwidth_over_size, level_over_size, ratio_over_size, time_over_size
from polympi.lab.report.charts.palette import Palette
from polympi.lab.report.charts.scaling import speedup_over_ranks
from polympi.lab.report.charts.style import config

__all__ = [
    "Palette",
    "bandwidth_over_size",
    "config",
    "event_percentiles",
    "fitted_time",
    "launch_distribution",
    "level_over_size",
    "memory",
    "modes_at_size",
    "ratio_over_size",
    "residuals",
    "series_over_size",
    "speedup_over_ranks",
    "startup",
    "time_over_size",
]
