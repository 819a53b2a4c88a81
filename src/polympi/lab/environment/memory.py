"""Metadata of the memory: how much, in which pages, and how much of it processes can share."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

import psutil

from polympi.lab.environment.files import read_text

MOUNT_SHM = "Let root mount it, or make it writable: mount -t tmpfs -o mode=1777 tmpfs /dev/shm."


def memory_metadata(root: Path = Path("/")) -> dict[str, Any]:
    """Size of memory and the settings of huge pages; what the system does not tell is None."""
    memory = psutil.virtual_memory()
    pages = root / "sys/kernel/mm/transparent_hugepage"
    table = read_text(root / "proc/meminfo") or ""
    size_kib = _entry(table, "Hugepagesize")
    return {
        "total_bytes": memory.total,
        "available_bytes": memory.available,
        "transparent_hugepages": _chosen(read_text(pages / "enabled")),
        "transparent_hugepages_of_shared_memory": _chosen(read_text(pages / "shmem_enabled")),
        "reserved_hugepages": _entry(table, "HugePages_Total"),
        "hugepage_size_bytes": None if size_kib is None else size_kib * 1024,
    }


def shared_memory_metadata(path: Path = Path("/dev/shm")) -> dict[str, Any]:
    """Size and free space of the file system that MPI libraries put their shared segments on, and whether they may."""
    writable = os.access(path, os.W_OK | os.X_OK)
    try:
        usage = shutil.disk_usage(path)
    except OSError:
        return {"size_bytes": None, "free_bytes": None, "writable": writable}
    return {"size_bytes": usage.total, "free_bytes": usage.free, "writable": writable}


def _chosen(setting: str | None) -> str | None:
    """The value in brackets of ``always [madvise] never``."""
    match = re.search(r"\[(\w+)\]", setting or "")
    return match[1] if match else None


def _entry(table: str, name: str) -> int | None:
    match = re.search(rf"^{name}:\s*(\d+)", table, re.MULTILINE)
    return int(match[1]) if match else None
