"""The exceptions of Scientific.MPI."""

from __future__ import annotations

import polympi
from polympi.compat.raising import raising


class MPIError(EnvironmentError):
    """MPI could not do what was asked."""


class ArgumentError(MPIError, TypeError, ValueError):
    """A call that cannot be made in this way. Scientific.MPI raised one of the three, not always the same."""


def translated(error: polympi.Error) -> MPIError:
    """An error of polympi as one of Scientific.MPI, in the same sentence."""
    refused = isinstance(error, (ValueError, TypeError))
    return ArgumentError(str(error)) if refused else MPIError(str(error))


own_errors = raising(translated)
