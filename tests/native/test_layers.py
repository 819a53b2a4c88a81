"""The layout of the core: layers that include no header of a higher layer, and the only one that knows MPI."""

import re
from pathlib import Path

from polympi.native import build

LAYERS = ("base", "memory", "codec", "transport", "transfer", "collectives", "reductions", "python")  # lowest first
WITHOUT_MPI = ("base", "memory", "codec")
# They hold the turn in MPI for several calls, by statements between these; all others use IN_TURN.
ONE_TURN = {
    *("incoming.c", "unclaimed_messages.c", "ended.c", "rounds.c", "large_reduction.c", "ending.c"),
    "strided_datatype.c",
}
INCLUDE = re.compile(r'^#include ["<]([\w/.]+)[">]', re.MULTILINE)


def _sources() -> list[Path]:
    return [
        file
        for file in sorted(build.SOURCES.rglob("*.[ch]"))
        # Neither a library of its own, which includes nothing of the core, nor what third-party extensions include.
        if file.parent not in {build.SOURCES / build.SERIAL_MPI, build.SOURCES / "include"}
    ]


def _layer(file: Path) -> str:
    return file.relative_to(build.SOURCES).parts[0]


def _included(file: Path) -> list[str]:
    return INCLUDE.findall(file.read_text())


def test_every_source_is_in_a_layer() -> None:
    assert {_layer(file) for file in _sources()} == set(LAYERS)


def test_no_layer_includes_a_header_of_a_higher_one() -> None:
    upward = [
        f"{file.relative_to(build.SOURCES)} includes {included}"
        for file in _sources()
        for included in _included(file)
        if (build.SOURCES / included).is_file()
        and LAYERS.index(included.partition("/")[0]) > LAYERS.index(_layer(file))
    ]
    assert upward == []


def test_headers_of_the_core_are_named_with_their_layer() -> None:
    ours = {file.name for file in _sources() if file.suffix == ".h"}
    assert [
        (file.name, name) for file in _sources() for name in INCLUDE.findall(file.read_text()) if name in ours
    ] == []


def test_one_header_alone_brings_in_mpi() -> None:
    assert [file.name for file in _sources() if "mpi.h" in _included(file)] == ["transport.h"]


def test_messages_are_sent_and_received_through_one_seam() -> None:
    direct = re.compile(r"\bMPI_(?:Isend|Issend|Irecv|Test|Testall|Iprobe|Cancel|Request_free)\(")
    assert {file.name for file in _sources() if direct.search(file.read_text())} == {"calls.h", "calls.c"}


def test_turns_in_mpi_are_taken_by_the_seam() -> None:
    taking = {file.name for file in _sources() if "enter_mpi(" in file.read_text()}
    assert taking - {"transport.h", "calls.h"} == ONE_TURN


def test_lower_layers_call_nothing_of_mpi() -> None:
    called = {
        (file.name, name)
        for file in _sources()
        if _layer(file) in WITHOUT_MPI
        for name in re.findall(r"\bP?MPI_\w+\(", file.read_text())
    }
    assert called == set()


def test_the_wire_alone_knows_how_its_heads_lie_in_memory() -> None:
    layout = re.compile(r"\b(?:sizeof|offsetof)\((?:struct )?(?:array_head|announcement)\b")
    assert {file.stem for file in _sources() if layout.search(file.read_text())} == {"wire"}
