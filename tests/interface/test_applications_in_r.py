"""The applications in R alone, with Open MPI, whose library Rmpi finds."""

import subprocess
import sys
from pathlib import Path
from typing import ClassVar

import pytest
from application_programs import launched
from compiled_applications import FOLDER, ApplicationsOnAStack, Built

from polympi.lab.bindings.build import why_not_ready
from polympi.lab.bindings.manifest import load_bindings

BINDING = load_bindings()["r"]
FIND = "import sys; from build_r import *; print(':'.join(folders_to_search(Path(sys.argv[1]), sys.argv[2])))"
# On rank 1 R does not take more memory for vectors than this.
SMALL_RANK = 'test "$OMPI_COMM_WORLD_RANK" = 1 && export R_MAX_VSIZE=100M; exec "$@"'


class TestR(ApplicationsOnAStack):
    pytestmark: ClassVar = [pytest.mark.parametrize("stack", ["openmpi"], indirect=True)]
    mesh = 14
    ranks = (1, 2, 4)
    mistakes: ClassVar = ApplicationsOnAStack.mistakes | {
        "wave --mesh 1000000": "The mesh is too large: ",
        "inner_product --length 1000000000000000": "A rank has more elements of a vector than BLAS counts.",
    }

    @pytest.fixture
    @classmethod
    def built(cls, tmp_path: Path) -> Built:
        """Gives the command of a program."""

        libraries: list[str] = []  # of the MPI, found once

        def make(name: str, stack) -> list[str]:
            if missing := why_not_ready(BINDING, stack):
                pytest.skip(missing)
            if not libraries:
                find = [sys.executable, "-c", FIND, str(tmp_path), stack.mpicc]
                libraries.append(subprocess.check_output(find, cwd=BINDING.folder, text=True).strip())
            search = ["env", f"R_LD_LIBRARY_PATH={tmp_path}:{libraries[0]}"] if libraries[0] else []
            return [*search, "Rscript", str(FOLDER / "r" / f"{name}_main.R")]

        return make

    @pytest.mark.parametrize(
        ("words", "part"), [("wave --mesh 260 --steps 1", "mesh"), ("inner_product --length 20000000", "vectors")]
    )
    def test_a_lack_of_memory_on_one_rank_is_one_sentence_of_all(
        self, built: Built, stack, tmp_path: Path, words: str, part: str
    ) -> None:
        name, *arguments = words.split()
        command = ["sh", "-c", SMALL_RANK, "sh", *built(name, stack), *arguments]
        said = launched(command, 2, stack, tmp_path)
        assert said.code == 2, said.text
        assert said.text.count(f"A rank has no memory for its part of the {part}.") == 1, said.text
        assert "Error" not in said.text
