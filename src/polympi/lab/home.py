"""The place of stacks and built programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import platformdirs

HOME_VARIABLE = "POLYMPI_HOME"


def home() -> Path:
    """The folder of stacks and builds.

    ``$POLYMPI_HOME`` if set; else inside the virtual environment that polympi runs in, so that removing the
    environment removes everything; else the user's data directory (XDG).
    """
    if chosen := os.environ.get(HOME_VARIABLE):
        return Path(chosen).expanduser().absolute()
    prefix = Path(sys.prefix)
    if sys.prefix != sys.base_prefix and os.access(prefix, os.W_OK):
        return prefix / "share" / "polympi"
    return Path(platformdirs.user_data_dir("polympi"))
