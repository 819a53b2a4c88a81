"""The files that a manifest means by a pattern."""

from pathlib import Path

import polympi
from polympi.lab.bindings.manifest import Binding, applications_folder, shipped_folder, unusable

INTERFACE = Path(polympi.__path__[0])  # the folder of the package that this laboratory belongs to


def files_meant(binding: Binding, pattern: str, field: str) -> list[Path]:
    """The files that a pattern of the manifest means: in the binding's folder, unless it begins with a place.

    Places are ``{polympi}/``, ``{bindings}/`` and ``{applications}/``; `field` has the pattern, for errors.
    """
    folder, relative = binding.folder, pattern
    places = {"{polympi}/": INTERFACE, "{bindings}/": shipped_folder(), "{applications}/": applications_folder()}
    for place, root in places.items():
        if pattern.startswith(place):
            folder, relative = root, pattern.removeprefix(place)
    try:
        found = sorted(path for path in folder.glob(relative) if path.is_file())
    except (ValueError, IndexError, NotImplementedError):  # "", "a**", "." and an absolute path
        found = []
    if not found:
        raise unusable(
            binding.folder / "manifest.toml", f"in the field '{field}', no file in '{folder}' is meant by '{relative}'"
        )
    return found
