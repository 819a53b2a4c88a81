"""Which tests run: those of one MPI library (``--stack``), or those with a mark (``-m``)."""

from __future__ import annotations

import pytest

STACKS = ("mpich", "openmpi")  # of the fixture `stack`


def add_option(parser: pytest.Parser) -> None:
    """Let the command line name one MPI library; without it, tests run on both."""
    parser.addoption("--stack", choices=STACKS, help="leave out the tests that run on the other MPI library")


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that need an MPI library, and leave out those of another one than the command line names."""
    wanted = config.getoption("--stack")
    kept, others = [], []
    for item in items:
        stack = _stack(item)
        if stack:
            item.add_marker("mpi")
        (others if wanted and stack not in (None, wanted) else kept).append(item)
    if others:
        items[:] = kept
        config.hook.pytest_deselected(items=others)


def parameters(item: pytest.Item) -> dict[str, object]:
    """What a test is parametrized with."""
    return item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}


def _stack(item: pytest.Item) -> str | None:
    """The MPI library that a test runs on, the first of several; None if it needs none."""
    named = [parameters(item).get("stack"), *getattr(item, "fixturenames", ())]
    return next((stack for stack in STACKS if stack in named), None)
