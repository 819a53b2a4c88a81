"""How many instructions a binding executes outside MPI for a message, which doesn't depend on how busy the machine is.

Rank 0 runs under callgrind, and the other one as always: it has replied before rank 0, which is some fifty times as
slow, looks for the reply. What still differs from window to window is waiting in a loop of the binding's own, so the
fewest count. Start-up, warm-up and marks drop out of the difference between windows of two lengths.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from polympi.lab.bindings.build import NATIVE, build
from polympi.lab.bindings.manifest import Binding
from polympi.lab.catalogue import Case
from polympi.lab.demand.callgrind import outside_mpi
from polympi.lab.demand.rank_0 import on_rank_0
from polympi.lab.demand.split import one_by_one
from polympi.lab.demand.windows import MARK
from polympi.lab.demands import Instructions
from polympi.lab.errors import BuildError
from polympi.lab.launch.launcher import Arm, Place, Setting, launch
from polympi.lab.records import PlannedCase
from polympi.lab.stacks.stack import Stack

WINDOWS = (10, 40) * 5  # iterations
_WARMUP = 20  # Python specialises a function within its first calls
_TIMEOUT_S = 600.0
_RANKS = 2


@dataclass(frozen=True)
class Counted:
    """What a launch has shown."""

    counts: list[Instructions]
    problem: str = ""  # why nothing was counted: the end of a sentence


def countable(cases: Iterable[Case]) -> list[Case]:
    """The cases in which an iteration of rank 0 is a send and a receive, one after the other."""
    return [case for case in cases if one_by_one(case)]


def why_not_counted() -> str:
    """Why this machine can't count; empty if it can."""
    return "" if shutil.which("valgrind") else "valgrind is not installed"


def count_instructions(binding: Binding, stack: Stack, cases: Sequence[Case]) -> Counted:
    """Launch a binding once with rank 0 under callgrind."""
    plan = {
        number: PlannedCase(
            benchmark=case.benchmark,
            mode=case.mode,
            payload=case.payload,
            size_bytes=case.size_bytes,
            warmup=_WARMUP,
            batches=1,
            iterations=iterations,
            events=0,
        )
        for number, (case, iterations) in enumerate((case, many) for case in cases for many in WINDOWS)
    }
    try:
        portable = _for_any_processor(binding)
        arm = Arm(portable, build(portable, stack))
    except BuildError as error:
        return Counted([], str(error))
    with tempfile.TemporaryDirectory(prefix="polympi-instructions-") as scratch:
        folder = Path(scratch)
        setting = Setting(_RANKS, None, _RANKS, folder, before=_callgrind(folder))
        launched = launch(Place(0), arm, stack, plan, setting, timeout_s=_TIMEOUT_S)
        if launched.record.outcome != "ok":
            return Counted([], f"under valgrind {launched.record.detail}")
        numbers = [number for number in plan if number in launched.samples.valid]
        windows = _windows(folder)
    if len(windows) != len(numbers):
        return Counted([], "its program doesn't mark its cases, as common_start_mark does")
    return Counted(_counts(stack, binding, cases, dict(zip(numbers, windows, strict=True))))


def _for_any_processor(binding: Binding) -> Binding:
    """The binding, compiled without the instructions of this processor alone, some of which valgrind doesn't know."""
    made = binding.manifest.build
    command = [word for word in made.command if word not in NATIVE]
    portable = msgspec.structs.replace(binding.manifest, build=msgspec.structs.replace(made, command=command))
    return msgspec.structs.replace(binding, manifest=portable)


def _callgrind(folder: Path) -> list[str]:
    """Words before a rank's command that run rank 0 under callgrind, and write a profile at each mark."""
    words = [
        "valgrind",
        "--tool=callgrind",
        "--trace-children=yes",  # a program may start through a script
        f"--dump-before=*{MARK}",
        "--compress-strings=no",
        "--compress-pos=no",
        f"--callgrind-out-file={folder / 'profile.%p'}",
    ]
    return on_rank_0(words)


def _windows(folder: Path) -> list[int]:
    """The instructions outside MPI between the marks of each case: every other profile, beginning with the second."""
    profiles: dict[str, list[Path]] = {}
    for path in folder.glob("profile.*.*"):
        profiles.setdefault(path.stem, []).append(path)
    ours = max(profiles.values(), key=len, default=[])
    found = []
    for path in sorted(ours, key=lambda one: int(one.suffix[1:]))[1::2]:
        with path.open(errors="replace") as profile:
            found.append(outside_mpi(profile))
    return found


def _counts(stack: Stack, binding: Binding, cases: Sequence[Case], windows: dict[int, int]) -> list[Instructions]:
    short, long = WINDOWS[:2]
    found = []
    for place, case in enumerate(cases):
        first = place * len(WINDOWS)
        own = {n: windows[first + n] for n in range(len(WINDOWS)) if first + n in windows}
        if len(own) < len(WINDOWS):
            continue
        fewest = [min(own[n] for n in own if WINDOWS[n] == many) for many in (short, long)]
        found.append(
            Instructions(
                stack=stack.name,
                binding=binding.name,
                benchmark=case.benchmark,
                mode=case.mode,
                payload=case.payload,
                size_bytes=case.size_bytes,
                own=(fewest[1] - fewest[0]) / (long - short),
            )
        )
    return found
