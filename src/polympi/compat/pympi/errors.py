"""The exceptions of pyMPI."""

from __future__ import annotations

import polympi
from polympi.compat.raising import raising


class MPIError(RuntimeError):
    """MPI could not do what was asked; a ``RuntimeError``, as pyMPI raised it."""


class ArgumentError(MPIError, ValueError):
    """There is no such rank, tag or mesh; pyMPI raised ``ValueError`` in some calls and ``RuntimeError`` in others."""


def translated(error: polympi.Error | ValueError) -> MPIError:
    """An error of polympi as one of pyMPI, in the same sentence."""
    kind = ArgumentError if isinstance(error, ValueError) else MPIError
    return kind(str(error))


own_errors = raising(translated)
