"""Which bindings are tested on which stacks and machines."""

from __future__ import annotations

import pytest
from selection import parameters

from polympi.lab.bindings.manifest import load_bindings

SHIPPED = load_bindings()
COMPILES = "numba-mpi"  # in each launch, for ten seconds


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out pairs of a binding and a stack that its manifest excludes, and mark what needs other compilers."""
    for item in items[:]:
        given = parameters(item)
        binding, stack = SHIPPED.get(str(given.get("name"))), given.get("stack")
        if binding and isinstance(stack, str):
            if not binding.runs_on(stack, stack):
                items.remove(item)
            elif binding.language not in ("C", "Python"):
                item.add_marker("system")
            elif binding.name == COMPILES:
                item.add_marker("slow")
