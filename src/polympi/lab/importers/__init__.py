"""Other tools' results as rows of our tables: OSU Micro-Benchmarks, OMB-Py, Intel MPI Benchmarks, NetPIPE."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from polympi.lab.errors import UsageError
from polympi.lab.importers import imb, netpipe, omb_py, osu
from polympi.lab.importers.keep import append_rows, kept_rows
from polympi.lab.importers.lines import numbered_lines
from polympi.lab.importers.rows import IMPORTED_SCHEMA, Imported

__all__ = ["IMPORTED_SCHEMA", "Imported", "append_rows", "import_file", "kept_rows"]

_READERS = {
    omb_py.TOOL: (omb_py.recognises, omb_py.read_omb_py),
    osu.TOOL: (osu.recognises, osu.read_osu),
    imb.TOOL: (imb.recognises, imb.read_imb),
}


def import_file(path: Path) -> Imported:
    """Read a file with the output of one or several benchmark programs; the tools are recognised by what it says.

    Args:
        path: captured standard output of OSU, OMB-Py or IMB programs, or NetPIPE's data file.

    Returns:
        Rows, notes about what could not be read, and the tool (several, separated by commas, if the file has several).

    Raises:
        UsageError: the file cannot be read, or is of no tool we know.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise UsageError(f"Cannot read '{path}': {error.strerror}.") from error
    parts = _parts(text)
    if parts:
        return _join([_READERS[tool][1](part, path.name) for tool, part in parts.items()])
    if netpipe.version_of(text):
        return netpipe.read_netpipe(text, path.name)
    if netpipe.is_terminal_output(text):
        raise UsageError(
            f"'{path}' is what NetPIPE prints while it runs: give the data file it writes "
            "(np.out, or the name after -o)."
        )
    raise UsageError(
        f"'{path}' is no output that polympi can import: give what OSU Micro-Benchmarks, OMB-Py or "
        "Intel MPI Benchmarks print, or NetPIPE's np.out."
    )


def _parts(text: str) -> dict[str, str]:
    """The lines of each tool in the file, at their own line numbers (the others' lines are blank)."""
    lines = list(numbered_lines(text))
    owners: list[str | None] = []
    owner: str | None = None
    for _, line in lines:
        owner = next((tool for tool, (recognises, _) in _READERS.items() if recognises(line)), owner)
        owners.append(owner)
    tools = list(dict.fromkeys(o for o in owners if o))
    first = tools[0] if tools else None
    return {
        tool: "\n".join(line if (o or first) == tool else "" for o, (_, line) in zip(owners, lines, strict=True))
        for tool in tools
    }


def _join(parts: list[Imported]) -> Imported:
    rows = pl.concat([p.rows for p in parts])
    return Imported(rows, [n for p in parts for n in p.notes], ", ".join(p.tool for p in parts))
