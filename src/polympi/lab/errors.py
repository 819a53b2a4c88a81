"""The errors a user can mend: one sentence that says what happened and what to do."""

from __future__ import annotations


class LabError(Exception):
    """Something the user can mend; its text is one clear sentence, printed without a traceback.

    Attributes:
        exit_code: what the command line exits with (2: the request cannot be carried out).
    """

    exit_code = 2


class UsageError(LabError):
    """The request itself is wrong: an unknown name, an impossible size, a directory that exists."""


class ResultError(LabError):
    """A result directory is missing, damaged, or from an unknown version."""


class StackError(LabError):
    """An MPI stack is missing or does not work."""


class BuildError(LabError):
    """A binding's program could not be built."""
