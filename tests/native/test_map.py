"""The map of the core in docs/core.md: each file that it names is there, and each file is on it, in its layer."""

import re
from pathlib import Path

from polympi.native import build

MAP = Path(__file__).parents[2] / "docs" / "core.md"
ROW = re.compile(r"^\| ((?:`\w+`)?[^|`]*)\| ((?:`[^`]+`(?:, )?)+) \|", re.MULTILINE)
OUTSIDE = "outside the layers"


def _named() -> list[str]:
    """What the map names, as paths below the core with `*` in them."""
    names, folder = [], ""
    table = MAP.read_text().split("| layer of `src/polympi/native` | file |")[1].split("\n\n")[0]
    for layer, files in ROW.findall(table):
        if layer.strip():
            folder = "" if layer.strip() == OUTSIDE else layer.split("`")[1] + "/"
        names += [folder + name for name in re.findall(r"`([^`]+)`", files)]
    return names


def _files(name: str) -> set[str]:
    """The files that a name of the map stands for."""
    found = build.SOURCES.glob(name + "*" if name.endswith("/") else name)
    return {str(file.relative_to(build.SOURCES)) for file in found if file.suffix != ".so"}


def test_each_file_that_the_map_names_is_there() -> None:
    assert len(_named()) > 100
    assert [name for name in _named() if not _files(name)] == []


def test_each_file_of_the_core_is_on_the_map_once() -> None:
    ours = {
        str(file.relative_to(build.SOURCES))
        for file in build.SOURCES.rglob("*")
        if file.suffix in {".c", ".h", ".py", ".pyi"} and file.name != "__init__.py"
    }
    on_map = [file for name in _named() for file in _files(name)]
    assert sorted(ours - set(on_map)) == []
    assert sorted(file for file in set(on_map) if on_map.count(file) > 1) == []
