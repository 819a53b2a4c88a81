"""For pytest: ``@pytest.mark.polympi(ranks=4)`` runs a test's body on ranks of MPI, which stay for other tests.

pytest imports this module in every project, so it imports nothing else until a test has the mark. PYTEST_DONT_REWRITE
"""

from __future__ import annotations

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


MARK = "polympi(ranks=2, timeout=60): run the body of the test on this many ranks of MPI, for at most this many seconds"
JOBS: pytest.StashKey[Any] = pytest.StashKey()


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line("markers", MARK)


@pytest.fixture(scope="session")
def polympi_env() -> Mapping[str, str]:
    """Environment variables of the ranks; a project or a test module may override it."""
    return {}


def pytest_itemcollected(item: pytest.Item) -> None:
    """Let a marked test have the variables of its ranks."""
    if isinstance(item, pytest.Function) and item.get_closest_marker("polympi"):
        names = item.fixturenames  # one list for all tests of a function
        names += ["polympi_env"] if "polympi_env" not in names else []


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test on ranks."""
    mark = pyfuncitem.get_closest_marker("polympi")
    if mark is None:
        return None
    from polympi.launching.marked_tests import Jobs

    jobs = pyfuncitem.config.stash.setdefault(JOBS, Jobs())
    jobs.run(pyfuncitem, *mark.args, **mark.kwargs)
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    """End the ranks."""
    if jobs := session.config.stash.get(JOBS, None):
        jobs.close()
