"""The record of the machine that is kept with a result (``environment.json``)."""

import os
import socket
import sys
from collections.abc import Sequence
from datetime import datetime, timezone

from polympi.lab.environment.competition import busy_metadata
from polympi.lab.environment.limits import limit_metadata
from polympi.lab.environment.memory import memory_metadata, shared_memory_metadata
from polympi.lab.environment.processor import affinity_metadata, numa_metadata, processor_metadata
from polympi.lab.environment.single_copy import single_copy_metadata
from polympi.lab.environment.software import (
    package_versions,
    python_metadata,
    slurm_metadata,
    source_metadata,
    system_metadata,
)
from polympi.lab.records import Metadata


def record_environment(*, command: Sequence[str] | None = None) -> Metadata:
    """Everything about this machine that a reader of figures may ask for, ready to be written as JSON.

    Call it before anything of the run has started: what uses the processors then are others. What the system
    does not tell is None, never guessed; keys in ``_bytes`` and ``_mhz`` carry their unit.
    """
    load, busy = _load_average(), busy_metadata()
    return {
        "date": datetime.now(timezone.utc).astimezone().isoformat(timespec="seconds"),
        "host": socket.gethostname(),
        "command": list(sys.argv if command is None else command),
        "cpu": processor_metadata(),
        "affinity": affinity_metadata(),
        "numa": numa_metadata(),
        "memory": memory_metadata(),
        "shm": shared_memory_metadata(),
        "limits": limit_metadata(),
        "load_average": load,
        "busy": busy,
        "single_copy": single_copy_metadata(),
        **system_metadata(),
        "slurm": slurm_metadata(),
        "python": python_metadata(),
        "packages": package_versions(),
        "source": source_metadata(),
    }


def processor_limits() -> Metadata:
    """The part of the record with the number of processors that ranks may use."""
    return {"affinity": affinity_metadata(), "limits": limit_metadata()}


def _load_average() -> dict[str, float | None]:
    names = ("one_minute", "five_minutes", "fifteen_minutes")
    try:
        return dict(zip(names, os.getloadavg(), strict=True))
    except OSError:
        return dict.fromkeys(names)
