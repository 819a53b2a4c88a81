"""What the core asks Python for, where that need not be fast."""

from __future__ import annotations

import pickle


def copied(value: object) -> object:
    """What a rank gets that has sent the value to itself; the value itself if it cannot be pickled."""
    try:
        copy: object = pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    except (pickle.PicklingError, TypeError, AttributeError):
        return value
    return copy
