"""A flame graph of a Python binding: in which functions, also native ones, rank 0 is while it sends and receives."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from polympi.lab.bindings.build import build
from polympi.lab.bindings.manifest import Binding
from polympi.lab.catalogue import Case
from polympi.lab.demand.rank_0 import on_rank_0
from polympi.lab.launch.launcher import Arm, Place, Setting, launch
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.stack import Stack

_SECONDS = 5.0  # of messages; the start is short compared with that
_RATE = 250  # samples per second
_TIMEOUT_S = 120.0
_RANKS = 2


def why_not_drawn(binding: Binding) -> str:
    """Why the flame graph of a binding cannot be drawn; empty if it can."""
    if binding.language != "Python":
        return f"py-spy samples Python, and {binding.name} is in {binding.language}"
    return "" if _py_spy() else "py-spy is not installed: 'pip install py-spy'"


def _py_spy() -> str | None:
    """The program, also in a virtual environment that isn't activated."""
    return shutil.which("py-spy") or shutil.which("py-spy", path=str(Path(sys.executable).parent))


def draw_flames(binding: Binding, stack: Stack, case: Case, iteration_ns: float, into: Path) -> str:
    """Write the flame graph of a case; why there is none, or nothing."""
    words = [_py_spy() or "py-spy", "record", "--native", "--format", "flamegraph", "--rate", str(_RATE)]
    words += ["--output", str(into.absolute()), "--"]
    planned = PlannedCase(
        benchmark=case.benchmark,
        mode=case.mode,
        payload=case.payload,
        size_bytes=case.size_bytes,
        warmup=1,
        batches=1,
        iterations=max(1, round(_SECONDS * 1e9 / iteration_ns)),
        events=0,
    )
    with tempfile.TemporaryDirectory(prefix="polympi-flames-") as scratch:
        setting = Setting(_RANKS, None, _RANKS, Path(scratch), before=on_rank_0(words))
        arm = Arm(binding, build(binding, stack))
        record = launch(Place(0), arm, stack, {0: planned}, setting, timeout_s=_TIMEOUT_S).record
    if record.outcome != "ok":
        return f"under py-spy {record.detail}"
    return "" if into.is_file() else "py-spy wrote nothing"
