"""An image to build hosts upon, where no registry is reached: Debian, from the mirror that apt takes here."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

from sharing import only_one_makes

_RELEASE = "bookworm"  # as the image that is used elsewhere
BASE = f"localhost/polympi-test-base:{_RELEASE}"
_MAKING_S = 600  # a minute, on a machine with nothing else to do


def base_image(folder: Path) -> str:
    """The name of the image, which is made once on a machine.

    Args:
        folder: an empty one, for what it is made of.
    """
    with only_one_makes():
        if subprocess.run(["podman", "image", "exists", BASE], check=False).returncode:
            _run("debootstrap", "--variant=minbase", _RELEASE, str(folder / "system"), _mirror())
            _run("sh", "-c", f"tar -C {folder}/system -c . | podman import - {BASE}")
    return BASE


def _mirror() -> str:
    """The first mirror of Debian that apt is configured with."""
    said = _run("apt-get", "indextargets", "--format", "$(REPO_URI) $(CODENAME)", "Created-By: Packages")
    found = [line.split()[0] for line in said.splitlines() if line.split()[1:] == [_RELEASE]]
    assert found, f"apt has no mirror of {_RELEASE} on this {platform.machine()}"
    return found[0]


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_MAKING_S)
    assert done.returncode == 0, (command, done.stdout[-1000:], done.stderr[-1000:])
    return done.stdout
