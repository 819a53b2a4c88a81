"""Which bindings are tested on which stacks, and how ranks of two tests share the machine."""

from __future__ import annotations

import pytest
from sharing import let_ranks_yield_beside_others

from polympi.lab.bindings.manifest import load_bindings

SHIPPED = load_bindings()

let_ranks_yield_beside_others()


def _parameters(item: pytest.Item) -> dict[str, str]:
    return item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}


def _belongs(item: pytest.Item) -> bool:
    """Whether the manifest of the binding that a test is about names the stack that it runs on."""
    name, stack = _parameters(item).get("name"), _parameters(item).get("stack")
    return not (name in SHIPPED and stack) or SHIPPED[name].runs_on(stack, stack)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the pairs of a binding and a stack that a manifest leaves out: there is nothing to test."""
    items[:] = [item for item in items if _belongs(item)]
