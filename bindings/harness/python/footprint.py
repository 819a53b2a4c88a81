"""The memory and the processors of this process. Imports nothing, because it is read before anything else is loaded."""

from __future__ import annotations


def footprint(path: str = "/proc/self/smaps_rollup") -> tuple[int, int]:
    """Proportional and resident set size of this process in bytes; (0, 0) where the system does not tell.

    Args:
        path: the kernel's account; lines such as ``Pss:    1234 kB``.
    """
    sizes = {}
    try:
        with open(path, encoding="ascii") as account:
            for line in account:
                fields = line.split()
                if len(fields) == 3 and fields[2] == "kB":
                    sizes[fields[0]] = int(fields[1]) * 1024
    except OSError:
        return 0, 0
    return sizes.get("Pss:", 0), sizes.get("Rss:", 0)


def allowed_cpus(path: str = "/proc/self/status") -> str:
    """The CPUs that this process may use, as the kernel lists them: ``0-3,8``; ``-`` where the system does not tell.

    Args:
        path: the kernel's account; a line such as ``Cpus_allowed_list: 0-3``.
    """
    try:
        with open(path, encoding="utf-8", errors="replace") as account:
            found = [line.split()[1] for line in account if line.startswith("Cpus_allowed_list:")]
    except OSError:
        return "-"
    return found[0] if found else "-"
