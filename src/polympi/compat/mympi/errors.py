"""Errors: exceptions, or numbers for programs that have asked for these."""

from __future__ import annotations

import polympi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# Numbers of error classes, as MPICH has them.
COUNT, TYPE, TAG, COMM, RANK, GROUP, OP, ARG, TRUNCATE, OTHER = 2, 3, 4, 5, 6, 8, 9, 12, 14, 15
_NUMBERS: tuple[tuple[type[polympi.Error], int], ...] = (
    (polympi.RankError, RANK),
    (polympi.TagError, TAG),
    (polympi.TruncationError, TRUNCATE),
    (polympi.MismatchError, TYPE),
)

# What mpi_comm_set_errhandler takes.
FATAL, RETURN, PRINT = 0, 1, 2


class error(RuntimeError):  # noqa: N801, N818  (its name)
    """MPI could not do what was asked.

    Attributes:
        number: of the error class, as MPICH has them.
    """

    def __init__(self, sentence: str, number: int = OTHER) -> None:
        super().__init__(sentence)
        self.number = number


class _Here:
    """What is known of this process.

    Attributes:
        rank: in MPI_COMM_WORLD; None before MPI runs.
        error: the number of the error of the last call; 0 if there was none.
    """

    __slots__ = ("error", "rank")

    def __init__(self) -> None:
        self.rank: int | None = None
        self.error = 0


here = _Here()


def answer(failure: polympi.Error | error, handler: int) -> int:
    """The number of a failure, if the error handler of the communicator returns numbers; otherwise raise it."""
    raised = failure if isinstance(failure, error) else error(str(failure), _number(failure))
    here.error = raised.number
    if handler == FATAL:
        raise raised from None
    if handler == PRINT:
        print(f"mpi generated the error {raised.number}")
    return raised.number


def _number(failure: polympi.Error) -> int:
    return next((number for kind, number in _NUMBERS if isinstance(failure, kind)), OTHER)


def refuse(call: str, what: str, number: int) -> NoReturn:
    """Raise an error, in a sentence."""
    where = "" if here.rank is None else f"rank {here.rank}, "
    raise error(f"{where}{call}(): {what}", number)


def mpi_error() -> int:
    """The number of the error of the last call; 0 if there was none."""
    return here.error
