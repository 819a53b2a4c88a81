"""The errors that a user can correct: one sentence that says what happened and what to do.

Functions let them pass to the command line, which prints them. A docstring names them only if a caller handles them.
"""

import errno
import subprocess


class LabError(Exception):
    """An error that the user can correct; its text is one clear sentence, printed without a traceback.

    The command line exits with `exit_code`, 2 where the request cannot be carried out.
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


_REASONS = {
    errno.EACCES: "it is not permitted",
    errno.EPERM: "it is not permitted",
    errno.EROFS: "the file system is read-only",
    errno.ENOENT: "there is no such file or directory",
    errno.ENOTDIR: "a part of the path is not a directory",
    errno.EISDIR: "it is a directory",
    errno.EEXIST: "it exists",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your share of the disk is used up",
    errno.EMFILE: "too many files are open",
    errno.ENOMEM: "the memory is used up",
    errno.ELOOP: "its links lead in a circle",
    errno.ENOEXEC: "it is not a program of this machine",
}


def system_reason(error: OSError | subprocess.TimeoutExpired) -> str:
    """Why the system refused, or a command took too long, as the middle of a sentence."""
    if isinstance(error, subprocess.TimeoutExpired):
        return f"it did not end within {error.timeout:.0f} s"
    return _REASONS.get(error.errno or 0, (error.strerror or "the system refused").lower())
