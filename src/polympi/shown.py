"""Defaults of arguments, as ``help`` and ``inspect.signature`` show them: by their names.

The text signatures of the core name them (``source=polympi.shown.ANY_SOURCE``). :mod:`inspect` looks that up, and only
then is this module imported.
"""

from __future__ import annotations

import polympi


class _Named(int):
    """A number that is shown by the name of a constant."""

    def __repr__(self) -> str:
        return next(name for name in ("ANY_SOURCE", "ANY_TAG") if getattr(polympi, name) == self)


ANY_SOURCE = _Named(polympi.ANY_SOURCE)
ANY_TAG = _Named(polympi.ANY_TAG)
