"""Where polympi is installed from, for messages that say how to install more of it."""

from __future__ import annotations

# Options of pip that name where polympi's wheels are; empty once they are on the index that pip asks.
OPTIONS = "--find-links FOLDER_OF_POLYMPI_WHEELS"


def install_command(extra: str) -> str:
    """The command that installs one of polympi's extras."""
    return " ".join(filter(None, ("pip install", OPTIONS, f"'polympi[{extra}]'")))
