"""The most expensive sites, each with its cause and the figures for a sentence about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polympi.lab.audit import procedures
from polympi.lab.audit.losses import losses_of, numbered
from polympi.lab.audit.model import Calls, Cause, Counts, Finding
from polympi.lab.audit.timeline import Timeline

LEAST_SHARE = 0.002  # of all ranks' time; less than this is not worth a sentence
MOST = 12
Key = tuple[int, int, int]  # procedure, site and communicator, as numbers of the job


@dataclass(frozen=True)
class _Loss:
    """What the calls of one key lost to one cause."""

    key: Key
    cause: Cause
    seconds: float
    calls: Counts  # indices of events


def findings_of(timeline: Timeline, calls: Mapping[Key, Calls], total: float) -> tuple[Finding, ...]:
    """The causes that lost the most time, the most first.

    Args:
        timeline: of all ranks.
        calls: the calls by procedure, site and communicator.
        total: seconds of all ranks together.
    """
    events, losses = timeline.events, losses_of(timeline)
    group = numbered(events.procedure, events.site, events.communicator)
    first = np.unique(group, return_index=True)[1]
    kinds = np.stack([events.procedure[first], events.site[first], events.communicator[first]])
    found = []
    for cause, seconds in losses.seconds.items():
        sums = np.bincount(group, weights=seconds, minlength=kinds.shape[1])
        for number in np.flatnonzero(sums >= LEAST_SHARE * total) if total > 0 else ():
            procedure, site, communicator = kinds[:, number].tolist()
            lost = np.flatnonzero((group == number) & (seconds > 0))
            found.append(_Loss((procedure, site, communicator), cause, float(sums[number]), lost))
    found.sort(key=lambda loss: -loss.seconds)
    return tuple(
        Finding(
            calls[loss.key],
            loss.cause,
            loss.seconds,
            loss.seconds / total,
            _detail(timeline, loss, losses.seconds[loss.cause][loss.calls], losses.blamed[loss.calls]),
        )
        for loss in found
        if loss.key in calls
    )[:MOST]


def _detail(timeline: Timeline, loss: _Loss, seconds: np.ndarray, blamed: Counts) -> dict[str, float | int | str]:
    """Figures: how many calls lost time, how much a typical one did, and the rank that most of it is due to."""
    events = timeline.events
    detail: dict[str, float | int | str] = {"calls": len(loss.calls), "median": float(np.median(seconds))}
    known = blamed >= 0
    if known.any() and loss.cause not in (Cause.TRANSFER, Cause.BLOCKING):
        by_rank = np.bincount(blamed[known], weights=seconds[known])
        rank = int(by_rank.argmax())
        if loss.cause is Cause.SMALL_MESSAGES or by_rank[rank] > 0.5 * by_rank.sum():
            detail |= {"rank": rank, "rank_share": float(by_rank[rank] / by_rank.sum())}
    if loss.cause in (Cause.SMALL_MESSAGES, Cause.BLOCKING, Cause.TRANSFER):
        size = int(events.bytes[loss.calls].sum())
        detail |= {"bytes": size, "mean_bytes": size / len(loss.calls)}
    return detail


def findings_of_profile(calls: Sequence[Calls], total: float) -> tuple[Finding, ...]:
    """What sums alone let one infer: in collectives, ranks that are there longer than the last one wait for it."""
    found = []
    for one in calls:
        taking_part = one.calls > 0
        waits = procedures.collective(one.procedure) and procedures.plain(one.procedure) not in procedures.TO_ROOT
        if not waits or taking_part.sum() < 2 or not total:
            continue
        seconds = one.seconds[taking_part]
        lost = float((seconds - seconds.min()).sum())
        if lost >= LEAST_SHARE * total:
            last = int(np.flatnonzero(taking_part)[seconds.argmin()])
            found.append(Finding(one, Cause.IMBALANCE, lost, lost / total, {"rank": last}, known=False))
    return tuple(sorted(found, key=lambda finding: -finding.seconds)[:MOST])
