"""Which tests run, and which of them first.

``--stack`` names one MPI library, ``-m`` a mark; tests that passed elsewhere are left out with ``--passed``, if they
were noted there by ``--note-passed``. Without ``--stack`` tests run on both libraries, those marked ``any_library`` on
the first one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

STACKS = ("mpich", "openmpi")  # of the fixture `stack`
# Files whose tests take minutes, and wait: they begin first, so that no process is left with them alone.
LONG = ("tests/interface/compat/test_mpi4py_suite.py", "tests/lab/cluster/test_killed_jobs.py")


def add_options(parser: pytest.Parser) -> None:
    """Let the command line name one MPI library, without which tests run on both, and files of tests that passed."""
    parser.addoption("--stack", choices=STACKS, help="leave out the tests that run on the other MPI library")
    parser.addoption("--note-passed", metavar="FILE", help="add the names of the tests that pass to a file")
    parser.addoption("--second-try", action="store_true", help="fail the tests of the interface, which have one try")
    parser.addoption("--passed", metavar="FILE", help="leave out the tests that are named in a file, if it is there")


class Notes:
    """Notes the tests that pass."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Called for each part of a test, its set-up and its end as well."""
        if report.when == "call" and report.passed:
            with self._path.open("a", encoding="utf-8") as file:
                print(report.nodeid, file=file)


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests that need an MPI library, and leave out those that the command line doesn't ask for."""
    wanted = config.getoption("--stack")
    noted = Path(config.getoption("--passed") or "/dev/null")
    passed = set(noted.read_text(encoding="utf-8").splitlines()) if noted.exists() else set()
    kept, others = [], []
    for item in items:
        stacks = _stacks(item)
        if stacks:
            item.add_marker("mpi")
        if len(stacks) > 1:  # `make test` installs one
            item.add_marker("system")
        elsewhere = wanted not in stacks if wanted and stacks else not wanted and _is_repeated(item)
        unwanted = elsewhere or item.nodeid in passed
        (others if unwanted else kept).append(item)
    items[:] = sorted(kept, key=lambda item: _file(item.nodeid) not in LONG)
    if others:
        config.hook.pytest_deselected(items=others)


def parameters(item: pytest.Item) -> dict[str, object]:
    """What a test is parametrized with."""
    return item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}


def _file(nodeid: str) -> str:
    return nodeid.split("::", 1)[0]


def _is_repeated(item: pytest.Item) -> bool:
    """Whether a test runs on one library what any library shows, and on another one as well."""
    return item.get_closest_marker("any_library") is not None and parameters(item).get("stack", STACKS[0]) != STACKS[0]


def _stacks(item: pytest.Item) -> list[str]:
    """The MPI libraries that a test runs on; none if it needs none."""
    named = [parameters(item).get("stack"), *getattr(item, "fixturenames", ())]
    return [stack for stack in STACKS if stack in named]
