"""The C header and NumPy's types say the same about a file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from polympi.lab.audit import layout, recorder

STRUCTURES = {
    "table": layout.TABLE,
    "moment": layout.MOMENT,
    "header": layout.HEADER,
    "site": layout.SITE,
    "communicator": layout.COMMUNICATOR,
    "current": layout.CURRENT,
    "entry": layout.ENTRY,
    "peer": layout.PEER,
    "pending": layout.PENDING,
    "event": layout.EVENT,
    "segment": layout.SEGMENT,
}
CONSTANTS = {
    "LAYOUT_VERSION": layout.VERSION,
    "MAX_THREADS": layout.MAX_THREADS,
    "MAX_SITES": layout.MAX_SITES,
    "MAX_COMMUNICATORS": layout.MAX_COMMUNICATORS,
    "STRING_BYTES": layout.STRING_BYTES,
    "MAX_ENTRIES": layout.MAX_ENTRIES,
    "MAX_PENDING": layout.MAX_PENDING,
    "SIZE_CLASSES": layout.SIZE_CLASSES,
    "NO_PEER": layout.NO_PEER,
    "ANY_SOURCE": layout.ANY_SOURCE,
    "NOBODY": layout.NOBODY,
    "NO_TAG": layout.NO_TAG,
    "ANY_TAG": layout.ANY_TAG,
    "NO_COMMUNICATOR": layout.NO_COMMUNICATOR,
    **{state.name: state.value for state in layout.State},
    **{f"ROLE_{role.name}": role.value for role in layout.Role},
}


def program() -> str:
    """C that prints the sizes of all structures, and the places and sizes of their fields."""
    lines = [f'printf("{name} %d\\n", (int){name});' for name in CONSTANTS]
    for name, kind in STRUCTURES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for field in kind.names or ():
            place = f"offsetof(struct {name}, {field}), sizeof(((struct {name} *)0)->{field})"
            lines.append(f'printf("{name}.{field} %zu %zu\\n", {place});')
    body = "\n".join(lines)
    return f'#include <stddef.h>\n#include <stdio.h>\n#include "layout.h"\nint main(void) {{\n{body}\nreturn 0; }}\n'


def expected() -> dict[str, tuple[int, ...]]:
    said: dict[str, tuple[int, ...]] = {name: (value,) for name, value in CONSTANTS.items()}
    for name, kind in STRUCTURES.items():
        said[name] = (kind.itemsize,)
        for field, (part, place, *_) in (kind.fields or {}).items():
            said[f"{name}.{field}"] = (place, np.dtype(part).itemsize)
    return said


def test_numpy_reads_what_c_writes(tmp_path: Path) -> None:
    source, built = tmp_path / "layout.c", tmp_path / "layout"
    source.write_text(program())
    folder = Path(recorder.__file__).parent
    subprocess.run(["cc", "-I", str(folder), str(source), "-o", str(built)], check=True)
    said = subprocess.run([str(built)], capture_output=True, text=True, check=True).stdout
    seen = {name: tuple(map(int, values)) for name, *values in map(str.split, said.splitlines())}
    assert seen == expected()
