"""The two circles of the tests: together they are all, and no test is in both.

``make test`` runs the first: each test that is there for both MPI libraries runs on one of them, no program in a third
language is built, and what takes long (the mark ``slow``) is left out. ``make test-rest`` runs the second, the rest of
these. What tells nothing of the libraries (the mark ``one_library``) runs on one of them alone.
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
    """Leave out what is not in the circle that the command line names, and of some tests one of the two libraries."""
    wanted = config.getoption("--circle")
    asked = [item for item in items if wanted in (None, circle(item)) and not _is_for_one_other(item)]
    if others := set(items) - set(asked):
        items[:] = asked
        config.hook.pytest_deselected(items=list(others))


def circle(item: pytest.Item) -> str:
    """The circle of a test.

    Which of the two libraries a test meets first is as good as random, but always the same. Tests of one binding
    meet the same one: they look at the same launch.
    """
    given = _parameters(item)
    if item.get_closest_marker("third_language") or item.get_closest_marker("slow"):
        return SECOND
    if given.get("stack") not in STACKS:
        return FIRST
    if given.get("name") in THIRD:
        return SECOND
    return FIRST if one_library(_key(item)) == given["stack"] else SECOND


def _parameters(item: pytest.Item) -> dict[str, object]:
    return dict(item.callspec.params) if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}


def _key(item: pytest.Item) -> str:
    """What decides which library comes first: a binding, a class of tests, or a test, whatever its parameters."""
    tests = item.cls.__name__ if isinstance(item, pytest.Function) and item.cls else item.location[2].partition("[")[0]
    return str(_parameters(item).get("name") or tests)


def _is_for_one_other(item: pytest.Item) -> bool:
    """Whether a test tells nothing of the libraries, and meets another one than its own here."""
    stack = _parameters(item).get("stack")
    return bool(stack in STACKS and item.get_closest_marker("one_library") and stack != one_library(_key(item)))


def one_library(key: str) -> str:
    """Of the two libraries the one that a test or a binding of this name meets first, or alone."""
    return STACKS[crc32(key.encode()) % 2]
