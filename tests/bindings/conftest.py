"""Which bindings are tested on which stacks, and how two tests share the machine."""

from __future__ import annotations

import os
import re

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from polympi.lab.bindings.manifest import load_bindings

SHIPPED = load_bindings()

if "PYTEST_XDIST_WORKER" in os.environ:  # ranks of another test run beside those of this one
    os.environ |= {
        "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
        "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "10",
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }


def _parameters(item: pytest.Item) -> dict[str, str]:
    return item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}


def _belongs(item: pytest.Item) -> bool:
    """Whether the manifest of the binding that a test is about names the stack that it runs on."""
    name, stack = _parameters(item).get("name"), _parameters(item).get("stack")
    return not (name in SHIPPED and stack) or SHIPPED[name].runs_on(stack, stack)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the pairs of a binding and a stack that a manifest leaves out: there is nothing to test."""
    items[:] = [item for item in items if _belongs(item)]


class _ByBinding(LoadScopeScheduling):
    """Tests of one file and one binding run in one process: they look at the same launches.

    pytest-xdist's own groups, marks of tests, change nothing with pytest 9.2, which keeps the names of tests elsewhere.
    """

    _names = re.compile("|".join(rf"\b{name}\b" for name in sorted(SHIPPED, key=len, reverse=True)))

    def _split_scope(self, nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        named = self._names.search(test.partition("[")[2])
        return f"{file}-{named[0] if named else ''}"


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """What ``--dist loadgroup`` means here."""
    return _ByBinding(config, log) if config.getoption("dist") == "loadgroup" else None
