"""Limits that a container or batch system puts on this process: control groups, versions 1 and 2.

Files after the kernel's documentation: ``admin-guide/cgroup-v2.rst`` and ``admin-guide/cgroup-v1/``. A limit may be
set at any level above the process, so all levels are read and the tightest counts.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from polympi.lab.environment.files import read_int, read_text

_NO_MEMORY_LIMIT = 2**62  # version 1 writes the largest multiple of a page below 2^63 when there is no limit

_MARKER_FILES = {".dockerenv": "docker", "run/.containerenv": "podman"}
_MARKER_VARIABLES = {
    "APPTAINER_CONTAINER": "apptainer",
    "SINGULARITY_CONTAINER": "singularity",
    "KUBERNETES_SERVICE_HOST": "kubernetes",
}


def limit_metadata(root: Path = Path("/"), variables: Mapping[str, str] | None = None) -> dict[str, Any]:
    """The container, if any, and the limits on processor time and memory.

    Returns:
        ``container`` (its kind, None if no sign of one was found), ``cgroup`` (version that limits CPU time, None if
        control groups are not visible), ``cpu_quota_cpus`` (CPU seconds a second, None for no limit),
        ``memory_bytes`` (None for no limit), ``cpuset`` (CPUs of the group, as the kernel writes them).
    """
    groups = _groups(root)
    cpu_version, cpu_levels = groups.get("cpu", (None, []))
    _, memory_levels = groups.get("memory", (None, []))
    _, cpuset_levels = groups.get("cpuset", (None, []))
    quotas = [q for level in cpu_levels if (q := _quota(level)) is not None]
    memory = [m for level in memory_levels if (m := _memory(level)) is not None]
    cpusets = [c for level in cpuset_levels if (c := _cpuset(level))]
    return {
        "container": _container(root, os.environ if variables is None else variables),
        "cgroup": cpu_version,
        "cpu_quota_cpus": min(quotas, default=None),
        "memory_bytes": min(memory, default=None),
        "cpuset": cpusets[0] if cpusets else None,
    }


def _container(root: Path, variables: Mapping[str, str]) -> str | None:
    for variable, kind in _MARKER_VARIABLES.items():
        if variable in variables:
            return kind
    for name, kind in _MARKER_FILES.items():
        if (root / name).exists():
            return kind
    return read_text(root / "run/systemd/container")


def _groups(root: Path) -> dict[str, tuple[int, list[Path]]]:
    """For each controller, the version of its hierarchy and this process's levels in it, innermost first."""
    memberships = (read_text(root / "proc/self/cgroup") or "").splitlines()
    mounts = list(_mounts(root))
    groups: dict[str, tuple[int, list[Path]]] = {}
    for line in memberships:
        _, names, path = line.split(":", 2) if line.count(":") >= 2 else ("", "", "")
        for mount, version, controllers in mounts:
            if version == 1 and names and set(names.split(",")) & controllers:
                for controller in names.split(","):
                    groups[controller] = (1, _levels(mount, path))
            elif version == 2 and path and not names:
                for controller in set((read_text(mount / "cgroup.controllers") or "").split()) - groups.keys():
                    groups[controller] = (2, _levels(mount, path))
    return groups


def _mounts(root: Path) -> Iterator[tuple[Path, int, set[str]]]:
    """Mount point, version and controllers of each mounted hierarchy (``/proc/self/mountinfo``)."""
    for line in (read_text(root / "proc/self/mountinfo") or "").splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.partition(" ")
        fields = before.split()
        if len(fields) < 5 or kind not in ("cgroup", "cgroup2"):
            continue
        point = root / fields[4].lstrip("/")
        yield point, 2 if kind == "cgroup2" else 1, set(options.rpartition(" ")[2].split(","))


def _levels(mount: Path, path: str) -> list[Path]:
    """The process's group and all above it; where a container shows only its own group, that is the mount itself."""
    inner = mount / path.lstrip("/")
    if not inner.is_dir():
        return [mount]
    return [inner, *[p for p in inner.parents if p == mount or mount in p.parents]]


def _quota(level: Path) -> float | None:
    """CPUs' worth of time that a level allows: microseconds in each period over the period."""
    text = read_text(level / "cpu.max")  # "max 100000" or "150000 100000"
    if text:
        quota, _, period = text.partition(" ")
        return int(quota) / int(period) if quota.isdigit() and period.isdigit() else None
    quota_us, period_us = read_int(level / "cpu.cfs_quota_us"), read_int(level / "cpu.cfs_period_us")
    return quota_us / period_us if quota_us and period_us and quota_us > 0 else None


def _memory(level: Path) -> int | None:
    limit = read_int(level / "memory.max")  # the word "max" isn't a number: no limit
    if limit is None:
        limit = read_int(level / "memory.limit_in_bytes")
    return limit if limit is not None and limit < _NO_MEMORY_LIMIT else None


def _cpuset(level: Path) -> str | None:
    return read_text(level / "cpuset.cpus.effective") or read_text(level / "cpuset.effective_cpus")
