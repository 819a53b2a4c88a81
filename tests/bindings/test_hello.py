"""The smallest program of every binding: it is built as its manifest says, and every rank says which it is."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from test_conformance import patient

from polympi.lab.arms import AGAIN
from polympi.lab.bindings.build import build, why_not_ready
from polympi.lab.bindings.given import missing_sources, sources_of
from polympi.lab.bindings.harness import build_harness, harness_folder
from polympi.lab.bindings.manifest import Binding, load_bindings, shipped_folder
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

SHIPPED = {name: binding for name, binding in load_bindings().items() if not missing_sources(binding)}
SECONDS = 120
SAYS_MORE = {"pypar": "Pypar (version "}  # how the line begins that a module prints at its start
RANKS = 3


def one_of_each() -> list[str]:
    """Of the bindings that share a ``hello``, the first."""
    return list({(b.folder, str(b.hello)): name for name, b in reversed(SHIPPED.items()) if name != AGAIN}.values())


def made(binding: Binding, stack: Stack, scratch: Path) -> list[str]:
    """The command of one rank, once the program is built."""
    hello = binding.hello
    assert hello is not None
    places = {
        "folder": str(binding.folder),
        "bindings": str(shipped_folder()),
        "harness": str(harness_folder(stack)),
        "output": str(scratch if hello.build else build(binding, stack)),
        "mpicc": stack.mpicc,
        "python": stack.python,
        "sources": {source.name: str(source.folder) for source in sources_of(binding)},
    }
    build_harness(stack)
    if hello.build:
        command = [part.format_map(places) for part in hello.build]
        done = subprocess.run(
            command,
            cwd=binding.folder,
            env=stack.variables(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    return [part.format_map(places) for part in hello.run]


@pytest.mark.parametrize("name", one_of_each())
def test_every_rank_says_which_it_is(stack: Stack, name: str, tmp_path: Path) -> None:
    binding = SHIPPED[name]
    if missing := why_not_ready(binding, stack):
        pytest.skip(missing)
    processors = len(os.sched_getaffinity(0))
    command = mpiexec_command(stack, RANKS, made(binding, stack, tmp_path), processors=processors)
    environment = patient(stack).variables()
    environment.pop("PYTHONUNBUFFERED", None)  # with it a line and its end are written apart, and lines mix
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line for line in done.stdout.splitlines() if not line.startswith(SAYS_MORE.get(name, "\n"))]
    assert sorted(said) == [f"Hello from rank {rank} of {RANKS}" for rank in range(RANKS)]
