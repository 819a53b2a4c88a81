"""The exceptions of Boost.MPI."""

from __future__ import annotations

import polympi
from polympi.compat.raising import raising

OTHER = 16  # MPI_ERR_OTHER in the ABI of the MPI standard


class Error(Exception):
    """MPI could not do what was asked.

    Attributes:
        what: the sentence that says so.
        routine: the same sentence, as before.
        result_code: the error class, if the MPI library reported the error; else that of other errors.
    """

    def __init__(self, what: str = "", result_code: int = OTHER) -> None:
        super().__init__(what)
        self.what = self.routine = what
        self.result_code = result_code


class ObjectWithoutSkeletonError(Error):
    """Only NumPy arrays have a skeleton and a content.

    Attributes:
        object: what has none.
    """

    def __init__(self, what: str = "", object: object = None) -> None:  # noqa: A002  (its name)
        super().__init__(what)
        self.object = object


def translated(error: polympi.Error) -> Error:
    """An error of polympi as one of Boost.MPI, in the same sentence."""
    return Error(str(error), OTHER if error.code is None else error.code)


own_errors = raising(translated)
