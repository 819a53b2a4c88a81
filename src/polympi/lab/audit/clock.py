"""Ticks of a rank's clock as seconds on the clock of rank 0."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from polympi.lab.audit.files import RankFile
from polympi.lab.audit.model import Floats


@dataclass(frozen=True)
class Clock:
    """How a rank's ticks become nanoseconds of rank 0's CLOCK_MONOTONIC."""

    first_ticks: int
    first_ns: int
    ns_per_tick: float
    offset_ns: tuple[float, float]  # at the first moment, and at the last one
    length_ns: float  # between these
    error_ns: float | None  # at most; None if it was not measured

    def ns(self, ticks: ArrayLike, *, corrected: bool = True) -> Floats:
        """Nanoseconds since rank 0's host was started, or since this rank's if not `corrected`."""
        passed: Floats = (np.asarray(ticks).astype(np.int64) - self.first_ticks).astype(np.float64) * self.ns_per_tick
        if not corrected:
            return passed + self.first_ns
        begin, end = self.offset_ns
        drift = passed / self.length_ns * (end - begin) if self.length_ns else 0.0
        return passed + self.first_ns + begin + drift

    def seconds(self, ticks: ArrayLike) -> Floats:
        """A number of ticks, as a duration."""
        seconds: Floats = np.asarray(ticks).astype(np.float64) * (self.ns_per_tick / 1e9)
        return seconds


def clock_of(file: RankFile) -> Clock:
    """The clock of a rank by the two moments in its header."""
    first, last = file.header["first"], file.header["last"]
    ticks, ns = int(last["ticks"]) - int(first["ticks"]), int(last["ns"]) - int(first["ns"])
    errors = [int(error) for error in file.header["error_ns"]]
    begin, end = (float(offset) for offset in file.header["offset_ns"])
    if errors[0] < 0:
        begin = end if errors[1] >= 0 else 0.0
    if errors[1] < 0:
        end = begin
    measured = [error for error in errors if error >= 0]
    return Clock(
        first_ticks=int(first["ticks"]),
        first_ns=int(first["ns"]),
        ns_per_tick=ns / ticks if ticks > 0 else 1.0,
        offset_ns=(begin, end),
        length_ns=float(ns),
        error_ns=float(max(measured)) if measured else None,
    )


def now_ns(file: RankFile, *, here: bool) -> float:
    """This moment on the clock of a rank's own host: read if it is this one, else by the time of day."""
    if here:
        return float(time.monotonic_ns())
    return float(file.header["first"]["ns"]) + (time.time_ns() - float(file.header["started_ns"]))
