"""The place of stacks and built programs, and the user's home folder."""

import os
import pwd
import sys
from pathlib import Path

import platformdirs

from polympi.lab.errors import UsageError

HOME_VARIABLE = "POLYMPI_HOME"
PREBUILT = Path(__file__).with_name("prebuilt")  # what a wheel brings: packaging/prebuilt.py


def home() -> Path:
    """``$POLYMPI_HOME``, or a folder in the virtual environment, removed with it, or the user data directory (XDG)."""
    if chosen := os.environ.get(HOME_VARIABLE):
        return Path(chosen).expanduser().absolute()
    prefix = Path(sys.prefix)
    if sys.prefix != sys.base_prefix and os.access(prefix, os.W_OK):
        return prefix / "share" / "polympi"
    return Path(platformdirs.user_data_dir("polympi"))


def take_home() -> str | None:
    """Set HOME where it is not set: Open MPI's compiler and launcher refuse to start without it; say what was done."""
    if os.environ.get("HOME"):
        return None
    try:
        folder = pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise UsageError(
            "HOME is not set, and the system knows no home folder of this user. Open MPI's compiler and launcher do "
            "not start without one: export HOME=/path/of/a/folder."
        ) from None
    os.environ["HOME"] = folder
    return f"HOME is not set, and Open MPI's compiler and launcher do not start without it: polympi takes {folder}."
