"""Two pictures of many numbers: who sent to whom, and the time of each call on each rank."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from polympi.lab.audit.model import Audit
from polympi.lab.report.audit.figures import Figures

MOST_CELLS = 40_000  # of a matrix, in the page
MOST_COLUMNS = 2048
CALLS_SHOWN = 24  # procedures and sites by rank
LEAST_SHARE = 0.001  # of the ranks' time


def matrix(audit: Audit, most: int = MOST_CELLS) -> dict[str, Any] | None:
    """The messages between ranks: [from, to, messages, bytes] of each pair; None if nobody sent.

    Where more than `most` pairs did, ranks are merged into blocks.
    """
    ranks = len(audit.messages)
    block = 1
    while True:
        messages, sizes = _merged(audit.messages, block), _merged(audit.message_bytes, block)
        senders, receivers = np.nonzero(messages)
        if len(senders) <= most:
            break
        block *= 2
    if not len(senders):
        return None
    cells = np.stack([senders, receivers, messages[senders, receivers], sizes[senders, receivers]], axis=1)
    return {"ranks": ranks, "block": block, "cells": cells.tolist()}


def calls_by_rank(figures: Figures) -> dict[str, Any] | None:
    """Seconds of the most expensive procedures and sites on each rank; of very many ranks, the most of a block."""
    rows = [row for row in figures.rows[:CALLS_SHOWN] if row.share >= LEAST_SHARE]
    if not rows:
        return None
    ranks = len(rows[0].calls.seconds)
    block = -(-ranks // MOST_COLUMNS)
    return {
        "ranks": ranks,
        "block": block,
        "labels": [[row.calls.procedure, row.where] for row in rows],
        "values": [[float(f"{v:.3g}") for v in _maxima(row.calls.seconds, block)] for row in rows],
    }


def _merged(counts: NDArray[np.int64], block: int) -> NDArray[np.int64]:
    """Sums over blocks of ranks."""
    if block == 1 or not len(counts):
        return counts
    edges = np.arange(0, len(counts), block)
    merged: NDArray[np.int64] = np.add.reduceat(np.add.reduceat(counts, edges, axis=0), edges, axis=1)
    return merged


def _maxima(values: NDArray[np.float64], block: int) -> NDArray[np.float64]:
    if block == 1:
        return values
    maxima: NDArray[np.float64] = np.maximum.reduceat(values, np.arange(0, len(values), block))
    return maxima
