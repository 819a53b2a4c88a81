"""Calls and variables of the core, by the symbols of its objects: no layer calls a higher one; all state is listed."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from test_layers import LAYERS

from polympi.native import build

UNDEFINED = frozenset("Uuw")  # letters of nm for symbols that another object defines
# Tables that Python or a parser of arguments reads, which are filled once.
TABLES = {
    *("PyTypeObject", "PyMethodDef", "PyMemberDef", "PyGetSetDef", "PyBufferProcs", "PySequenceMethods"),
    *("PyModuleDef", "PyModuleDef_Slot", "PyStructSequence_Field", "PyStructSequence_Desc", "PyDataMem_Handler"),
    *("PyAsyncMethods", "Signature", "Takeover"),
}
WRITABLE = re.compile(r"\.(?:data|bss)(?!\.rel\.ro)")  # sections
# Strings, the table of NumPy, and tables that macros declare.
CONSTANTS = re.compile(r"name_of_text|keywords|polympi_array_api|\w+_signature|several_")
DOCUMENT = Path(__file__).parents[2] / "docs" / "core.md"
ROW = re.compile(r"^\| `([\w/.]+)` \| ((?:`\w+`(?:, )?)+) \|", re.MULTILINE)


def _compiled(source: Path, folder: Path) -> Path:
    target = folder / ("-".join(source.relative_to(build.SOURCES).parts) + ".o")
    # Unoptimised, since inlined calls leave no symbol; against the stand-in for MPI, which every machine has.
    options = [f"-I{build.SOURCES / build.SERIAL_MPI}", *build._options(sanitize=False, werror=False), "-O0", "-w"]
    subprocess.run([build._c_compiler(), *options, "-DCORE_NAME=core", "-c", source, "-o", target], check=True)
    return target


def _nm(target: Path, *options: str) -> list[str]:
    return subprocess.run(["nm", *options, target], capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    """The object of each source."""
    folder, sources = tmp_path_factory.mktemp("objects"), build.core_sources()
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(sources, pool.map(lambda source: _compiled(source, folder), sources), strict=True))


def _symbols(target: Path) -> tuple[set[str], set[str]]:
    """Which global symbols a source defines, and which it needs."""
    found = [line.split()[:2] for line in _nm(target, "--extern-only", "--format=posix")]
    needed = {name for name, letter in found if letter in UNDEFINED}
    return {name for name, _ in found} - needed, needed


def test_no_layer_calls_a_higher_one(objects: dict[Path, Path]) -> None:
    symbols = {source: _symbols(target) for source, target in objects.items()}
    layer = {source: LAYERS.index(source.relative_to(build.SOURCES).parts[0]) for source in symbols}
    owner = {name: source for source, (defined, _) in symbols.items() for name in defined}
    calls = [(source, owner[name], name) for source, (_, needed) in symbols.items() for name in needed if name in owner]
    assert len(calls) > 1000  # else the objects were not read
    assert [
        f"{source.relative_to(build.SOURCES)} calls {name} of {target.relative_to(build.SOURCES)}"
        for source, target, name in calls
        if layer[target] > layer[source]
    ] == []


def _variables(target: Path) -> set[str]:
    """What a source keeps from call to call: what lies in memory that can be written."""
    rows = [[cell.strip() for cell in line.split("|")] for line in _nm(target, "--format=sysv") if line.count("|") == 6]
    kept = {row[0].partition(".")[0] for row in rows if row[3] == "OBJECT" and WRITABLE.match(row[6])}
    return {name for name in kept if not CONSTANTS.match(name)}


def _is_table(source: Path, name: str) -> bool:
    declared = re.search(rf"^\s*(?:static )?(?:struct )?(\w+) {name}\b", source.read_text(), re.MULTILINE)
    return declared is not None and declared[1] in TABLES


def test_each_variable_is_listed_with_its_lock(objects: dict[Path, Path]) -> None:
    listed = {file: set(re.findall(r"`(\w+)`", names)) for file, names in ROW.findall(DOCUMENT.read_text())}
    kept = {
        (str(source.relative_to(build.SOURCES)), name)
        for source, target in objects.items()
        for name in _variables(target)
        if not _is_table(source, name)
    }
    assert len(kept) > 50  # else the objects were not read
    assert sorted(item for item in kept if item[1] not in listed.get(item[0], ())) == []
    assert [
        (file, name)
        for file, names in listed.items()
        for name in sorted(names)
        if not re.search(rf"\b{name}\b", (build.SOURCES / file).read_text())
    ] == []
