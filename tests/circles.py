"""The two circles of the tests: together they are all, and no test is in both.

``make test`` runs the first: each test that is there for both MPI libraries runs on one of them, no program in a third
language is built, and what takes long (the mark ``slow``) is left out. ``make test-rest`` runs the second, the rest of
these.
"""

from __future__ import annotations

from zlib import crc32

import pytest

from polympi.lab.bindings.manifest import load_bindings

FIRST, SECOND = "first", "second"
STACKS = ("mpich", "openmpi")  # of the fixture `stack`
THIRD = {name for name, binding in load_bindings().items() if binding.language not in ("C", "Python")}


def add_option(parser: pytest.Parser) -> None:
    """Let the command line name one circle; without it, both are run."""
    parser.addoption("--circle", choices=(FIRST, SECOND), help="run one of the two circles of tests, which make up all")


def deselect(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is not in the circle that the command line names."""
    if wanted := config.getoption("--circle"):
        others = [item for item in items if circle(item) != wanted]
        items[:] = [item for item in items if circle(item) == wanted]
        config.hook.pytest_deselected(items=others)


def circle(item: pytest.Item) -> str:
    """The circle of a test.

    Which of the two libraries a test meets first is as good as random, but always the same. Tests of one binding
    meet the same one: they look at the same launch.
    """
    given = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    if item.get_closest_marker("third_language") or item.get_closest_marker("slow"):
        return SECOND
    if given.get("stack") not in STACKS:
        return FIRST
    if given.get("name") in THIRD:
        return SECOND
    key = str(given.get("name") or item.location[2].partition("[")[0])
    return FIRST if one_library(key) == given["stack"] else SECOND


def one_library(key: str) -> str:
    """Of the two libraries the one that a test or a binding of this name meets first, or alone."""
    return STACKS[crc32(key.encode()) % 2]
