"""Metadata of the software: system, Python, packages, and the commit of polympi itself."""

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from polympi.lab.environment.files import read_text

PACKAGES = ("polympi", "numpy", "polars", "msgspec", "psutil", "altair")

_SLURM = (
    "JOB_ID", "JOB_PARTITION", "JOB_NUM_NODES", "JOB_NODELIST", "NTASKS", "NTASKS_PER_NODE", "CPUS_PER_TASK",
    "CPUS_ON_NODE", "CPU_BIND", "DISTRIBUTION", "MPI_TYPE",
)  # fmt: skip
_GIT_TIME_LIMIT_S = 10.0  # a healthy git answers in milliseconds; one on a stuck network drive must not hang the run


def system_metadata() -> dict[str, dict[str, Any]]:
    """The sections ``os`` and ``kernel``."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    kernel = platform.uname()
    return {
        "os": {"name": release.get("PRETTY_NAME"), "c_library": " ".join(platform.libc_ver()).strip() or None},
        "kernel": {
            "system": kernel.system,
            "release": kernel.release,
            "version": kernel.version,
            "machine": kernel.machine,
            "tcp_congestion_control": read_text(Path("/proc/sys/net/ipv4/tcp_congestion_control")),
        },
    }


def python_metadata() -> dict[str, Any]:
    """The interpreter that polympi runs on (a stack's own is described with the stack)."""
    return {
        "implementation": platform.python_implementation(),
        "version": platform.python_version(),
        "compiler": platform.python_compiler(),
        "executable": sys.executable,
    }


def package_versions() -> dict[str, str | None]:
    """Versions of polympi and of the packages that its figures pass through; None where one is not installed."""
    return {name: _version(name) for name in PACKAGES}


def source_metadata(folder: Path | None = None) -> dict[str, Any]:
    """Commit of polympi's source, and whether it was changed since; None where polympi is not a checkout.

    A package installed inside somebody else's repository is not tracked there; that commit is not taken for ours.
    """
    folder = Path(__file__).parents[1] if folder is None else folder
    if _git(folder, "ls-files", "--error-unmatch", "__init__.py") is None:
        return {"commit": None, "changed": None}
    changes = _git(folder, "status", "--porcelain", "--untracked-files=no", ".")
    return {"commit": _git(folder, "rev-parse", "HEAD"), "changed": None if changes is None else bool(changes)}


def slurm_metadata(variables: Mapping[str, str] | None = None) -> dict[str, str] | None:
    """What Slurm says about the job; None outside of a job."""
    variables = os.environ if variables is None else variables
    if "SLURM_JOB_ID" not in variables:
        return None
    return {name.lower(): variables[f"SLURM_{name}"] for name in _SLURM if f"SLURM_{name}" in variables}


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        answer = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            text=True,
            timeout=_GIT_TIME_LIMIT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
