"""Python helpers of the core, where speed doesn't matter."""

from __future__ import annotations

import pickle


def copied(value: object) -> object:
    """The value as received by a rank that sends it to itself; the value itself if it can't be pickled."""
    try:
        copy: object = pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    except (pickle.PicklingError, TypeError, AttributeError):
        return value
    return copy
