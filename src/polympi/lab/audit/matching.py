"""Which send belongs to which receive: messages of the same communicator, ranks and tag keep their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polympi.lab.audit.model import Counts


@dataclass(frozen=True)
class Messages:
    """One end of messages, in the order in which they were sent or their receives were begun."""

    communicator: Counts
    sender: Counts
    receiver: Counts
    tag: Counts


def match(sends: Messages, receives: Messages, *, from_end: bool = False) -> tuple[Counts, Counts]:
    """Indices of sends and of the receives that took them.

    Args:
        sends: in their order.
        receives: likewise.
        from_end: whether the last ones belong together, as where the timeline has lost the first ones of a run that
            has ended; otherwise the first ones do.
    """
    keys = _keys(sends, receives)
    kinds, first_sends, counts_sent = _runs(keys[: len(sends.tag)])
    kinds_received, first_receives, counts_received = _runs(keys[len(sends.tag) :])
    _, at_sends, at_receives = np.intersect1d(kinds, kinds_received, assume_unique=True, return_indices=True)
    order_sends = np.argsort(keys[: len(sends.tag)], kind="stable")
    order_receives = np.argsort(keys[len(sends.tag) :], kind="stable")
    sent, received = counts_sent[at_sends], counts_received[at_receives]
    number = np.minimum(sent, received)
    skip_sent, skip_received = (sent - number, received - number) if from_end else (0 * sent, 0 * received)
    within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    chosen_sends = np.repeat(first_sends[at_sends] + skip_sent, number) + within
    chosen_receives = np.repeat(first_receives[at_receives] + skip_received, number) + within
    return order_sends[chosen_sends], order_receives[chosen_receives]


def _keys(sends: Messages, receives: Messages) -> Counts:
    """A number for each combination of communicator, ranks and tag, of all sends and then all receives."""
    key = np.zeros(len(sends.tag) + len(receives.tag), np.int64)
    for name in ("communicator", "sender", "receiver", "tag"):
        values = np.concatenate([getattr(sends, name), getattr(receives, name)])
        found, place = np.unique(values, return_inverse=True)
        key = key * max(1, len(found)) + place
        key = np.unique(key, return_inverse=True)[1].astype(np.int64)  # stays below the number of messages
    return key


def _runs(keys: Counts) -> tuple[Counts, Counts, Counts]:
    """The different keys, where each begins when they are sorted, and how many there are."""
    kinds, counts = np.unique(keys, return_counts=True)
    return kinds, np.cumsum(counts) - counts, counts
