"""The programs in C++: their command line, and where the vectors lie that they send."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from polympi.lab.bindings.build import build, why_not_ready
from polympi.lab.bindings.manifest import load_bindings, shipped_folder
from polympi.lab.stacks.command import mpiexec_command
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.system

TIMEOUT_S = 300

PLACES = """
#include "placed.hpp"
#include <cstdio>

/* Writes what is true of vectors of this many doubles, made of what lies at a slot. */
static void tell(std::size_t count) {
    alignas(4096) static double slot[1024];
    for (std::size_t i = 0; i < count; i++)
        slot[i] = static_cast<double>(i);
    bench::Vector sent = bench::vector_at(slot, count);
    const bench::Vector copied = sent, kept = sent, sum = bench::Sum()(sent, sent);
    const bool at_slot = sent.data() == slot;
    const bool others_on_heap = copied.data() != slot && sum.data() != slot;
    bench::Vector assigned;
    assigned = sent;
    const bool assigned_on_heap = assigned.data() != slot;
    const bench::Vector moved = std::move(sent);
    const bool moved_along = moved == kept && (moved.data() == slot) == at_slot;
    bool added = sum.size() == count;
    for (std::size_t i = 0; i < sum.size(); i++)
        added = added && sum[i] == 2.0 * static_cast<double>(i);
    std::printf("%d %d %d %d %d\\n", at_slot, others_on_heap, assigned_on_heap, moved_along, added);
}

int main() {
    tell(511);
    tell(512);
    tell(1024);
}
"""


@pytest.mark.parametrize("words", [[], ["predefined"], ["predefined", "--name"], ["unheard-of"]])
def test_a_wrong_command_line_exits_with_3(mpich: Stack, words: list[str]) -> None:
    binding = load_bindings()["cxx"]
    if missing := why_not_ready(binding, mpich):
        pytest.skip(missing)
    program = [str(build(binding, mpich) / "bench"), *(["plan", "samples"] if words != ["predefined"] else []), *words]
    command = mpiexec_command(mpich, 2, program, processors=2)
    ended = subprocess.run(
        command, env=mpich.variables(), capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert ended.returncode == 3
    assert [line for line in ended.stderr.splitlines() if "predefined|derived" in line] == [
        "Usage: bench PLAN SAMPLES predefined|derived [--name NAME]."
    ]


def test_only_vectors_that_are_sent_and_fill_a_page_lie_in_the_memory_of_the_harness(tmp_path: Path) -> None:
    """511 doubles do not fill a page, 512 do."""
    source, program = tmp_path / "places.cpp", tmp_path / "places"
    source.write_text(PLACES)
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined"]
    folder = shipped_folder() / "cxx"
    subprocess.run(["g++", *flags, f"-I{folder}", str(source), "-o", str(program)], check=True, timeout=TIMEOUT_S)
    said = subprocess.run([str(program)], capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout
    assert said.splitlines() == ["0 1 1 1 1", "1 1 1 1 1", "1 1 1 1 1"]
