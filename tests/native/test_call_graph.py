"""Calls within the core, by the symbols of its objects: no layer calls a higher one."""

from __future__ import annotations

import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from test_layers import LAYERS

from polympi.native import build

UNDEFINED = frozenset("Uuw")  # letters of nm for symbols that another object defines


def _symbols(source: Path, folder: Path) -> tuple[set[str], set[str]]:
    """Which global symbols a source defines, and which it needs."""
    target = folder / ("-".join(source.relative_to(build.SOURCES).parts) + ".o")
    # Unoptimised, since inlined calls leave no symbol; against the stand-in for MPI, which every machine has.
    options = [f"-I{build.SOURCES / build.SERIAL_MPI}", *build._options(sanitize=False, werror=False), "-O0", "-w"]
    subprocess.run([build._c_compiler(), *options, "-DCORE_NAME=core", "-c", source, "-o", target], check=True)
    command = ["nm", "--extern-only", "--format=posix", target]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    found = [line.split()[:2] for line in listed.stdout.splitlines()]
    needed = {name for name, letter in found if letter in UNDEFINED}
    return {name for name, _ in found} - needed, needed


@pytest.fixture(scope="module")
def symbols(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, tuple[set[str], set[str]]]:
    folder, sources = tmp_path_factory.mktemp("objects"), build.core_sources()
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(sources, pool.map(lambda source: _symbols(source, folder), sources), strict=True))


def test_no_layer_calls_a_higher_one(symbols: dict[Path, tuple[set[str], set[str]]]) -> None:
    layer = {source: LAYERS.index(source.relative_to(build.SOURCES).parts[0]) for source in symbols}
    owner = {name: source for source, (defined, _) in symbols.items() for name in defined}
    calls = [(source, owner[name], name) for source, (_, needed) in symbols.items() for name in needed if name in owner]
    assert len(calls) > 1000  # else the objects were not read
    assert [
        f"{source.relative_to(build.SOURCES)} calls {name} of {target.relative_to(build.SOURCES)}"
        for source, target, name in calls
        if layer[target] > layer[source]
    ] == []
