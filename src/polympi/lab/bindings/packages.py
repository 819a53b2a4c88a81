"""Which Python packages a stack has."""

import contextlib
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from polympi.lab.stacks.stack import Stack

_LIST_PACKAGES = """
import importlib.metadata, json, os, re, sys
folders = {folder: os.stat(folder).st_mtime_ns for folder in sys.path if os.path.isdir(folder)}
packages = {}
for found in importlib.metadata.distributions():
    if name := found.metadata["Name"]:  # of two of one name, the first is imported
        packages.setdefault(re.sub("[-_.]+", "-", name).lower(), found.version)
print(json.dumps({"folders": folders, "packages": packages}))
"""


class _Listed(msgspec.Struct):
    """Folders that modules are found in, and when entries of them last came or went; packages and their versions."""

    folders: dict[str, int]
    packages: dict[str, str]


_listed: dict[tuple[str, str | None], _Listed] = {}  # by interpreter and PYTHONPATH


def installed_packages(stack: Stack) -> Mapping[str, str]:
    """Versions of the packages that the stack's interpreter finds, by canonical name; none if it does not run.

    The interpreter is asked once (it takes 0.2 s), and again when packages were installed or removed.
    """
    variables = stack.variables()
    asked_for = stack.python, variables.get("PYTHONPATH")
    known = _listed.get(asked_for)
    if known and known.folders == _changed(known.folders):
        return known.packages
    with contextlib.suppress(OSError, msgspec.DecodeError):
        asked = subprocess.run(
            [stack.python, "-c", _LIST_PACKAGES], capture_output=True, text=True, env=variables, check=False
        )
        _listed[asked_for] = msgspec.json.decode(asked.stdout, type=_Listed)
        return _listed[asked_for].packages
    return {}


def _changed(folders: Iterable[str]) -> dict[str, int]:
    return {folder: Path(folder).stat().st_mtime_ns for folder in folders if Path(folder).is_dir()}
