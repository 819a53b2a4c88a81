"""Flame graphs of Python bindings."""

from __future__ import annotations

from pathlib import Path

import pytest

from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.catalogue import Case
from polympi.lab.demand.flames import draw_flames, why_not_drawn
from polympi.lab.stacks.stack import Stack

SHIPPED = load_bindings()


def test_only_python_is_drawn_and_only_where_py_spy_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    assert why_not_drawn(SHIPPED["rust"]) == "py-spy samples Python, and rust is in Rust"
    assert why_not_drawn(SHIPPED["mpi4py"]) == "py-spy is not installed: 'pip install py-spy'"


@pytest.mark.system
def test_the_loop_of_a_binding_is_in_its_flame_graph(mpich: Stack, tmp_path: Path) -> None:
    if why := why_not_drawn(SHIPPED["mpi4py"]):
        pytest.skip(why)
    graph = tmp_path / "flames.svg"
    ping_pong = Case("latency", "standard", "bytes", 8)
    assert draw_flames(SHIPPED["mpi4py"], mpich, ping_pong, 20_000.0, graph) == ""
    assert "bench.py" in graph.read_text()
