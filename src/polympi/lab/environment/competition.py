"""What else uses the processors: now, and while a launch ran."""

import os
import time
from collections.abc import Iterator, Sequence
from typing import Any

import psutil

_SAMPLE_S = 0.5
_LISTED = 3  # programs
_LEAST_CPUS = 0.05  # of a program that is listed


def busy_metadata(seconds: float = _SAMPLE_S) -> dict[str, Any]:
    """How many of the CPUs that we may use are in use at this moment, not in a past average, and by which programs."""
    allowed = sorted(os.sched_getaffinity(0))
    before, programs = _used_seconds(allowed), dict(_programs())
    began = time.monotonic()
    time.sleep(seconds)
    lasted = time.monotonic() - began
    used = (_used_seconds(allowed) - before) / lasted
    names = {key: name for key, (name, _) in programs.items()}
    cpus = {key: (spent - programs[key][1]) / lasted for key, (_, spent) in _programs() if key in programs}
    most = sorted(cpus, key=lambda key: -cpus[key])[:_LISTED]
    return {
        "cpus": round(used, 2),
        "of": len(allowed),
        "programs": {names[key]: round(cpus[key], 2) for key in most if cpus[key] >= _LEAST_CPUS},
    }


def busy_words(ranks: int) -> str | None:
    """How busy other processes keep this machine, as ``load 10 on 2 CPUs``; None if none competes with the ranks."""
    cpus, load = len(os.sched_getaffinity(0)), os.getloadavg()[0]
    return f"load {load:.0f} on {cpus} CPU{'s' * (cpus != 1)}" if load > max(cpus, ranks) + 0.5 else None


def _used_seconds(allowed: Sequence[int]) -> float:
    """Seconds that these CPUs have worked since the start of the machine."""
    every = psutil.cpu_times(percpu=True)
    ours = [every[cpu] for cpu in allowed if cpu < len(every)] or every
    return sum(sum(getattr(cpu, name, 0.0) for name in ("user", "nice", "system", "irq", "softirq")) for cpu in ours)


def _programs() -> Iterator[tuple[tuple[int, float], tuple[str, float]]]:
    """Of every other process a key, its name and the seconds that it has used."""
    for process in psutil.process_iter(["pid", "create_time", "name", "cpu_times"]):
        of_process = process.info
        if of_process["pid"] != os.getpid() and of_process["cpu_times"] is not None:
            used = of_process["cpu_times"].user + of_process["cpu_times"].system
            yield (of_process["pid"], of_process["create_time"]), (of_process["name"] or "", used)
