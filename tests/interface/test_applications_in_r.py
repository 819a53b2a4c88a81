"""The applications in R alone, on Open MPI, whose library Rmpi finds."""

import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from compiled_applications import FOLDER, ApplicationsOnAStack, Built, launched

from polympi.lab.bindings.build import why_not_ready
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.stacks.stack import Stack

BINDING = load_bindings()["r"]
FIND = "import sys; from build_r import *; print(':'.join(folders_to_search(Path(sys.argv[1]), sys.argv[2])))"
# On rank 1 R does not take more memory for vectors than this.
SMALL_RANK = 'test "$OMPI_COMM_WORLD_RANK" = 1 && export R_MAX_VSIZE=100M; exec "$@"'


class TestR(ApplicationsOnAStack):
    pytestmark: ClassVar = [pytest.mark.parametrize("stack", ["openmpi"], indirect=True)]
    compiler = "Rscript"
    wave = (14, (1, 2, 4))

    @staticmethod
    def compile(name: str, stack: Stack, program: Path) -> None:
        """A script that starts the program."""
        if missing := why_not_ready(BINDING, stack):
            pytest.skip(missing)
        libraries = program.with_suffix(".libraries")
        libraries.mkdir()
        find = [sys.executable, "-c", FIND, str(libraries), stack.mpicc]
        found = subprocess.run(find, cwd=BINDING.folder, check=True, capture_output=True, text=True).stdout.strip()
        search = f"R_LD_LIBRARY_PATH={libraries}:{found} " if found else ""
        program.write_text(f'#!/bin/sh\n{search}exec Rscript {FOLDER / "r" / name}_main.R "$@"\n')
        program.chmod(0o755)

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            ("wave --mesh 1000000", "The mesh is too large: "),
            ("wave --mesh 260 --steps 1", "A rank has no memory for its part of the mesh."),
            ("inner_product --length 20000000", "A rank has no memory for its part of the vectors."),
        ],
    )
    def test_what_does_not_fit_on_one_rank_is_one_sentence_of_all(
        self, built: Built, stack: Stack, tmp_path: Path, words: str, sentence: str
    ) -> None:
        name, *arguments = words.split()
        said = launched(["sh", "-c", SMALL_RANK, "sh", built(name, stack), *arguments], 2, stack, tmp_path)
        assert said.code == 2, said.text
        assert said.text.count(sentence) == 1, said.text
        assert "Error" not in said.text
