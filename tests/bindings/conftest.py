"""Which bindings are tested on which stacks."""

from __future__ import annotations

import pytest

from polympi.lab.bindings.manifest import load_bindings

SHIPPED = load_bindings()


def _belongs(item: pytest.Item) -> bool:
    """Whether the manifest of the binding that a test is about names the stack that it runs on."""
    parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    name, stack = parameters.get("name"), parameters.get("stack")
    return not (name in SHIPPED and stack) or SHIPPED[name].runs_on(stack, stack)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the pairs of a binding and a stack that a manifest leaves out: there is nothing to test."""
    items[:] = [item for item in items if _belongs(item)]
