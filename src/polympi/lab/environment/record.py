"""The record of the machine that is kept with a result (``environment.json``)."""

import os
import socket
import sys
from collections.abc import Sequence
from datetime import datetime, timezone

from polympi.lab.environment.competition import busy_facts
from polympi.lab.environment.limits import limit_facts
from polympi.lab.environment.memory import memory_facts, shared_memory_facts
from polympi.lab.environment.processor import affinity_facts, numa_facts, processor_facts
from polympi.lab.environment.single_copy import single_copy_facts
from polympi.lab.environment.software import (
    package_versions,
    python_facts,
    slurm_facts,
    source_facts,
    system_facts,
)
from polympi.lab.records import Facts


def record_environment(*, command: Sequence[str] | None = None) -> Facts:
    """Everything about this machine that a reader of figures may ask for, ready to be written as JSON.

    Call it before anything of the run has started: what uses the processors then are others. Facts that the system
    does not tell are None, never guessed; keys in ``_bytes`` and ``_mhz`` carry their unit.
    """
    load, busy = _load_average(), busy_facts()
    return {
        "date": datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "command": list(sys.argv if command is None else command),
        "cpu": processor_facts(),
        "affinity": affinity_facts(),
        "numa": numa_facts(),
        "memory": memory_facts(),
        "shm": shared_memory_facts(),
        "limits": limit_facts(),
        "load_average": load,
        "busy": busy,
        "single_copy": single_copy_facts(),
        **system_facts(),
        "slurm": slurm_facts(),
        "python": python_facts(),
        "packages": package_versions(),
        "source": source_facts(),
    }


def processor_limits() -> Facts:
    """The part of the record with the number of processors that ranks may use."""
    return {"affinity": affinity_facts(), "limits": limit_facts()}


def _load_average() -> dict[str, float | None]:
    """Processes that ran or waited for a CPU, averaged by the kernel over the last minutes."""
    names = ("one_minute", "five_minutes", "fifteen_minutes")
    try:
        return dict(zip(names, os.getloadavg(), strict=True))
    except OSError:
        return dict.fromkeys(names)
