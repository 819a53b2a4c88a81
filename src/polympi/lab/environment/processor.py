"""Metadata of the processors: what they are, how their clock runs, and which of them we may use."""

import os
import platform
import re
from pathlib import Path
from typing import Any

import psutil

from polympi.lab.environment.files import expand_list, read_int, read_text

_X86 = {"x86_64", "amd64", "i386", "i686"}


def processor_metadata(root: Path = Path("/"), machine: str | None = None) -> dict[str, Any]:
    """Model, counts, clock and virtualisation of the processors; what the system does not tell is None."""
    cpus = root / "sys/devices/system/cpu"
    information = read_text(root / "proc/cpuinfo") or ""
    packages = {read_int(p) for p in cpus.glob("cpu[0-9]*/topology/physical_package_id")} - {None}
    smt = read_int(cpus / "smt/active")
    virtual = _is_virtual(root, information, machine or platform.machine())
    return {
        "model": _model(information),
        "sockets": len(packages) or None,
        "physical_cores": psutil.cpu_count(logical=False),
        "logical_cpus": psutil.cpu_count(),
        "smt": None if smt is None else bool(smt),
        "governor": _governor(cpus),
        "frequency_min_mhz": _megahertz(cpus, "cpuinfo_min_freq", min),
        "frequency_max_mhz": _megahertz(cpus, "cpuinfo_max_freq", max),
        "boost": _boost(cpus),
        "virtual_machine": virtual,
        "hypervisor": _hypervisor(root) if virtual else None,
    }


def affinity_metadata(root: Path = Path("/"), allowed: set[int] | None = None) -> dict[str, Any]:
    """The CPUs that this process, and so its ranks, may run on (``taskset``, cpusets and batch systems limit them).

    Returns:
        The list ``cpus``, their number ``count``, the number of distinct ``cores`` they belong to, the size of
        their last-level caches together, each counted once, and the ``topology``: of each CPU its socket and its core,
        which is named after the first CPU of it; empty if the system does not tell.
    """
    if allowed is None:
        allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
    siblings = [
        read_text(root / f"sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") for cpu in sorted(allowed)
    ]
    cores = {min(expand_list(text), default=None) for text in siblings if text}
    known = bool(siblings) and all(siblings)
    return {
        "cpus": sorted(allowed),
        "count": len(allowed) or None,
        "cores": len(cores) if known else None,
        "last_level_cache_bytes": _last_level_cache(root, allowed),
        "topology": _topology(root, allowed),
    }


def numa_metadata(root: Path = Path("/")) -> dict[str, Any]:
    """The number of NUMA ``nodes``, and whether the kernel moves pages between them (``balancing``)."""
    nodes = expand_list(read_text(root / "sys/devices/system/node/online") or "")
    balancing = read_int(root / "proc/sys/kernel/numa_balancing")
    return {"nodes": len(nodes) or None, "balancing": None if balancing is None else bool(balancing)}


def instruction_sets(root: Path = Path("/")) -> str:
    """The instruction sets of this processor, which compilers may use; empty if the system hides them."""
    found = re.search(r"^(?:flags|Features)\s*:\s*(.*)$", read_text(root / "proc/cpuinfo") or "", re.MULTILINE)
    return " ".join(sorted(found[1].split())) if found else ""


def _topology(root: Path, allowed: set[int]) -> dict[str, list[int]]:
    found = {}
    for cpu in sorted(allowed):
        folder = root / f"sys/devices/system/cpu/cpu{cpu}/topology"
        socket = read_int(folder / "physical_package_id")
        siblings = expand_list(read_text(folder / "thread_siblings_list") or "")
        if socket is None or not siblings:
            return {}
        found[str(cpu)] = [socket, min(siblings)]
    return found


def _last_level_cache(root: Path, allowed: set[int]) -> int | None:
    """Bytes of the caches farthest from the cores of these CPUs; a cache that several of them share counts once."""
    caches: dict[tuple[str, int], int] = {}
    for cpu in allowed:
        folders = (root / f"sys/devices/system/cpu/cpu{cpu}/cache").glob("index[0-9]*")
        found = [(level, folder) for folder in folders if (level := read_int(folder / "level")) is not None]
        if not found:
            return None
        level, folder = max(found, key=lambda one: one[0])
        size = re.fullmatch(r"(\d+)K", read_text(folder / "size") or "")
        if size is None:
            return None
        caches[read_text(folder / "shared_cpu_list") or str(cpu), level] = 1024 * int(size[1])
    return sum(caches.values()) or None


def _model(information: str) -> str | None:
    """The model's name: ``model name`` on x86, ``cpu`` on POWER; ARM kernels give no name."""
    for key in ("model name", "cpu model", "cpu"):
        if match := re.search(rf"^{key}\s*:\s*(\S.*)$", information, re.MULTILINE):
            return match[1].strip()
    return None


def _governor(cpus: Path) -> str | None:
    governors = {read_text(p) for p in cpus.glob("cpu[0-9]*/cpufreq/scaling_governor")}
    return ", ".join(sorted(g for g in governors if g)) or None


def _megahertz(cpus: Path, name: str, choose: Any) -> float | None:
    kilohertz = [f for p in cpus.glob(f"cpu[0-9]*/cpufreq/{name}") if (f := read_int(p))]
    return choose(kilohertz) / 1000 if kilohertz else None


def _boost(cpus: Path) -> bool | None:
    """Whether the clock may exceed the nominal frequency; Intel's driver says the contrary."""
    boost = read_int(cpus / "cpufreq/boost")
    if boost is not None:
        return bool(boost)
    no_turbo = read_int(cpus / "intel_pstate/no_turbo")
    return None if no_turbo is None else not no_turbo


def _is_virtual(root: Path, information: str, machine: str) -> bool | None:
    """Whether a hypervisor runs below the kernel: on x86 the processor says so itself (CPUID leaf 1, bit 31)."""
    if (root / "sys/hypervisor/type").exists():
        return True
    flags = re.search(r"^flags\s*:(.*)$", information, re.MULTILINE)
    if flags and machine.lower() in _X86:
        return "hypervisor" in flags[1].split()
    return None


def _hypervisor(root: Path) -> str | None:
    kind = read_text(root / "sys/hypervisor/type")
    identity = [read_text(root / "sys/class/dmi/id" / name) for name in ("sys_vendor", "product_name")]
    return kind or " ".join(part for part in identity if part) or None
