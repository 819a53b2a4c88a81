"""The example that is a notebook, run by Jupyter's own kernel."""

import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

pytestmark = [pytest.mark.one_host, pytest.mark.any_library]

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebook.ipynb"


def test_the_notebook_runs_and_shows_what_ranks_do(polympi_env, tmp_path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env={**os.environ, **polympi_env})
    outputs = [cell.get("outputs", []) for cell in notebook.cells]
    said = ["".join(output["text"] for output in of if output.get("name") == "stdout") for of in outputs]
    values = [output["data"]["text/plain"] for of in outputs for output in of if "data" in output]
    assert sorted(said[5].splitlines()) == [f"[rank {rank}] hello from {rank}" for rank in range(4)]
    assert said[7].startswith("no such mesh \n[rank 2] Traceback (most recent call last):\n")
    assert '[rank 2]     raise ValueError("no such mesh")\n' in said[7]  # a line of the cell, which the rank hasn't
    assert "[rank 0] was interrupted in fails at " in said[7]
    assert said[9].startswith("waits: ranks 1, 2 and 3 of 4 did not return within 2 s")
    assert "rank 1 has waited" in said[9]
    assert "in recv(source=0" in said[9]
    assert values == ["<4 ranks, running>", "<4 ranks, closed>"]
