"""What tests of programs in C share: plans, launches, a strict reader of samples, compiling parts of the reference."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from polympi.lab.bindings.build import build, program_command
from polympi.lab.bindings.harness import STATIC, build_harness
from polympi.lab.bindings.manifest import applications_folder, load_bindings, shipped_folder
from polympi.lab.catalogue import BENCHMARKS, FIXED_SIZES, face_bytes, halo_bytes, problem_bytes
from polympi.lab.process import Ended, run_tree
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

HERE = Path(__file__).parent
SOURCES = shipped_folder() / "c"
HARNESS = shipped_folder() / "harness" / "c"
APPLICATIONS = applications_folder() / "c"
WINDOW = 3
COUNTS = "2 2 3 4"  # warm-up, batches, iterations, events
BATCHES, EVENTS = 2, 4
TIMEOUT_S = 300.0
OWN_SIZES = {
    "faces": [face_bytes(edge) for edge in (2, 7, 130)],
    "halo": [halo_bytes(edge) for edge in (2, 7, 128)],
    **{b.name: [problem_bytes(edge, b.dimensions) for edge in (12, 21)] for b in BENCHMARKS.values() if b.application},
}
HEADER = (
    r"polympi-samples 2",
    r"binding (?P<binding>\S+)",
    r"mpi (?P<library>\S+( \S+)*)",
    r"ranks (?P<ranks>\d+)",
    r"threads (?P<threads>single|funneled|serialized|multiple)",
    r"clock (?P<resolution>\d+) (?P<cost>\d+\.\d+)",
    r"host \S+",
    r"startup (?P<ready>\d+) (?P<load>\d+) (?P<init>\d+)",
    r"memory (?P<pss>\d+) (?P<rss>\d+) (?P<mean_pss>\d+)",
    r"start (?P<start>\d+) (?P<clock_error>\d+)",
    r"pages (?P<huge>\d+) (?P<buffers>\d+)",
)


@dataclass
class Samples:
    """A samples file, read as strictly as the protocol can be."""

    header: dict[str, str] = field(default_factory=dict)
    cases: list[int] = field(default_factory=list)
    valid: dict[int, str] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)
    repeated: dict[int, int] = field(default_factory=dict)
    batches: dict[int, list[int]] = field(default_factory=dict)
    events: dict[int, list[int]] = field(default_factory=dict)
    communication: dict[int, list[int]] = field(default_factory=dict)
    ended: bool = False


def read_strictly(text: str) -> Samples:
    """Read a samples file; every record must be known, complete and in its place."""
    samples = Samples()
    lines = text.split("\n")
    assert lines.pop() == "", "the last line has no newline"
    before = len(HEADER) - 1  # the record of the pages, which comes after the places
    places = [line for line in lines[before:] if line.startswith("place ")]
    for rank, line in enumerate(places):
        assert re.fullmatch(rf"place {rank} (-|[\d,-]+) \S+", line, re.ASCII), f"'{line}' is no place of rank {rank}"
    if len(lines) > before:
        assert lines[before : before + len(places)] == places, "the places are not where they belong"
        assert len(places) == int(lines[3].removeprefix("ranks ")), "there is not a place for each rank"
        del lines[before : before + len(places)]
    for pattern, line in zip(HEADER, lines, strict=False):
        match = re.fullmatch(pattern, line, re.ASCII)
        assert match, f"'{line}' is not '{pattern}'"
        samples.header.update(match.groupdict())
    for line in lines[len(HEADER) :]:
        assert not samples.ended, f"'{line}' comes after the end"
        _read_record(samples, line)
    return samples


def _read_record(samples: Samples, line: str) -> None:
    if line == "end":
        samples.ended = True
        return
    match = re.fullmatch(r"(case|valid|skip|repeated|batch|event|communication) (\d+)( \S+( \S+)*)?", line, re.ASCII)
    assert match, f"'{line}' is no record"
    kind, number, rest = match[1], int(match[2]), (match[3] or "").strip()
    if kind == "case":
        assert not rest
        assert number not in samples.cases
        samples.cases.append(number)
        return
    assert number == samples.cases[-1], f"'{line}' is in another case"
    if kind in ("valid", "skip"):
        words = samples.valid if kind == "valid" else samples.skipped
        assert rest
        assert number not in {*samples.valid, *samples.skipped}, f"'{line}' comes twice"
        words[number] = rest
    elif kind == "repeated":
        assert int(rest) > 0
        samples.repeated[number] = int(rest)
    else:
        times = {"batch": samples.batches, "event": samples.events, "communication": samples.communication}[kind]
        assert samples.valid[number] == "ok"
        assert number not in times, f"'{line}' comes twice"
        times[number] = [int(n) for n in rest.split(" ")]


def plan_of(cases: list[str], window: int = WINDOW, pages: str = "huge") -> str:
    """A plan of cases written as ``benchmark mode payload bytes`` with or without the counts."""
    lines = [f"case {i} {c if c.count(' ') > 3 else f'{c} {COUNTS}'}" for i, c in enumerate(cases)]
    facts = [f"window {window}", f"pages {pages}", "start /not/needed.so"]
    return "\n".join(["polympi-plan 2", *facts, *lines, "end", ""])


def catalogue_cases(sizes: list[int]) -> list[str]:
    """Every benchmark in every mode with every payload it has, at those of the sizes the payload can have."""
    return [
        f"{b.name} {mode} {payload} {size}"
        for b in BENCHMARKS.values()
        if not b.launch_figure
        for mode in b.modes
        for payload in b.payloads
        for size in ([FIXED_SIZES[payload]] if payload in FIXED_SIZES else OWN_SIZES.get(b.name, sizes))
        if b.allows(payload, size)
    ]


@dataclass
class Run:
    """One launch and what it left."""

    ended: Ended
    text: str | None  # of the samples; None if there is no such file

    @property
    def samples(self) -> Samples:
        """What it measured."""
        assert self.text is not None
        return read_strictly(self.text)


def run(
    stack: Stack, folder: Path, plan: str, binding: str = "c", *, ranks: int = 2, timeout_s: float = TIMEOUT_S
) -> Run:
    """Build a binding of the shipped or the test folder and launch it on a plan."""
    found = load_bindings([HERE])[binding]
    built = build(found, stack)
    path, written = folder / "plan", folder / "samples"
    path.write_text(plan)
    return launch(
        stack, folder, program_command(found, stack, built, path, written), written, ranks=ranks, timeout_s=timeout_s
    )


def launch(
    stack: Stack, folder: Path, program: list[str], written: Path, *, ranks: int = 2, timeout_s: float = TIMEOUT_S
) -> Run:
    """Launch a command of one rank."""
    command = mpiexec_command(stack, ranks, program, processors=len(os.sched_getaffinity(0)))
    ended = run_tree(command, environment=stack.variables(), timeout_s=timeout_s, output=folder / "output")
    return Run(ended, written.read_text(errors="replace") if written.is_file() else None)


def compile_with_harness(stack: Stack, folder: Path, source: Path, *parts: str, options: tuple[str, ...] = ()) -> Path:
    """Compile a small program around the harness and some of the reference's own files."""
    files = [*(str(SOURCES / part) for part in parts), str(build_harness(stack) / STATIC)]
    return _compile(stack, [*options, str(source), *files, "-o", str(folder / source.stem)], folder / source.stem)


def compile_with_reference(stack: Stack, folder: Path, source: Path, *options: str) -> Path:
    """Compile the reference with one more file, for which the options are; the linker may put parts of it in place."""
    if stack.name not in _objects:
        made = Path(tempfile.mkdtemp(prefix="polympi-reference-"))
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        applications = [path for path in APPLICATIONS.glob("*.c") if not path.stem.endswith("_main")]
        _compile(stack, ["-c", *map(str, sorted([*SOURCES.glob("*.c"), *applications]))], made)
        _objects[stack.name] = made
    files = [*map(str, sorted(_objects[stack.name].glob("*.o"))), str(build_harness(stack) / STATIC), "-lm"]
    return _compile(stack, [*options, str(source), *files, "-o", str(folder / source.stem)], folder / source.stem)


_objects: dict[str, Path] = {}  # the reference, compiled for each stack


def _compile(stack: Stack, words: list[str], made: Path) -> Path:
    warnings = ["-Wall", "-Wextra", "-Werror", "-Wpedantic"]
    command = [stack.mpicc, "-O2", "-std=c11", *warnings, f"-I{SOURCES}", f"-I{HARNESS}", f"-I{APPLICATIONS}", *words]
    subprocess.run(command, env=stack.variables(), check=True, cwd=made if made.is_dir() else made.parent)
    return made
