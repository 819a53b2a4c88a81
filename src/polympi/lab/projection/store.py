"""The folder of a projection: ``projection.json`` and what is written from it."""

import re
from pathlib import Path

import msgspec

from polympi.lab.errors import UsageError, system_reason
from polympi.lab.projection.model import Projection

NAME = "projection.json"


def usual_folder(run: Path, network: str) -> Path:
    """The default folder of a projection: in the result directory, named after the network."""
    words = re.sub(r"[^A-Za-z0-9.]+", "-", network).strip("-.") or "network"
    return run / f"projection-{words}"


def make_folder(folder: Path, *, force: bool) -> None:
    """Make sure, before anything is simulated, that a projection can be written and overwrites nothing unasked."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"'{folder}' is a file: choose a folder with -o.")
    if folder.is_dir() and any(folder.iterdir()):
        if not force:
            raise UsageError(f"'{folder}' exists and is not overwritten: choose another folder with -o, or --force.")
        if not (folder / NAME).is_file():
            raise UsageError(f"'{folder}' holds no projection, and other files are never overwritten: choose with -o.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"Cannot make the folder '{folder}': {system_reason(error)}; choose with -o.") from error


def render_json(projection: Projection) -> str:
    """The projection as indented JSON."""
    return msgspec.json.format(msgspec.json.encode(projection), indent=2).decode() + "\n"
