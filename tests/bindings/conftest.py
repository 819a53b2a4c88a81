"""Which bindings are tested on which stacks and machines, and how ranks of two tests share the machine."""

from __future__ import annotations

import pytest
from selection import parameters
from sharing import let_ranks_yield_beside_others

from polympi.lab.bindings.manifest import load_bindings

SHIPPED = load_bindings()

let_ranks_yield_beside_others()


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
