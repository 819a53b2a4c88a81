"""Other tools' results as rows of our tables: OSU Micro-Benchmarks, OMB-Py, Intel MPI Benchmarks, NetPIPE."""

from dataclasses import replace
from pathlib import Path

import polars as pl

from polympi.lab.errors import UsageError
from polympi.lab.importers import imb, netpipe, osu
from polympi.lab.importers.keep import Added, append_rows, kept_rows
from polympi.lab.importers.lines import numbered_lines, read_captured, unfinished_line
from polympi.lab.importers.netpipe import NetPipeOptions, parse_netpipe_options
from polympi.lab.importers.rows import IMPORTED_SCHEMA, Imported

__all__ = ["IMPORTED_SCHEMA", "Added", "Imported", "append_rows", "import_file", "kept_rows", "parse_netpipe_options"]

_READERS = {
    osu.OMB_PY: (osu.is_omb_py, osu.read_omb_py),
    osu.OSU: (osu.is_osu, osu.read_osu),
    imb.TOOL: (imb.recognises, imb.read_imb),
}


def import_file(path: Path, netpipe_options: NetPipeOptions | None = None) -> Imported:
    """Read a file with the output of one or several benchmark programs; what it says shows which tools they are."""
    captured = read_captured(path)
    text = captured.text
    if parts := _parts(text):
        imported = _join([_READERS[tool][1](part, path.name) for tool, part in parts.items()])
    elif netpipe.version_of(text):
        imported = netpipe.read_netpipe(text, path.name, netpipe_options)
    else:
        raise _unknown(path, text)
    return replace(imported, rows=imported.rows.with_columns(content=pl.lit(captured.content)))


def _unknown(path: Path, text: str) -> UsageError:
    if netpipe.is_terminal_output(text):
        return UsageError(
            f"'{path}' is what NetPIPE prints while it runs: give the data file it writes "
            "(np.out, or the name after -o)."
        )
    return UsageError(
        f"'{path}' is not an output that polympi can import: give what OSU Micro-Benchmarks, OMB-Py or "
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
    end = "" if unfinished_line(text) else "\n"
    return {
        tool: "\n".join(line if (o or first) == tool else "" for o, (_, line) in zip(owners, lines, strict=True)) + end
        for tool in tools
    }


def _join(parts: list[Imported]) -> Imported:
    rows = pl.concat([p.rows for p in parts])
    return Imported(
        rows,
        notes=[n for p in parts for n in p.notes],
        tool=", ".join(p.tool for p in parts),
        left_out=frozenset().union(*(p.left_out for p in parts)),
    )
