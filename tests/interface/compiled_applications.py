"""What must hold of the applications alone in any language: exact, and one sentence about bad options.

Each language has a class of tests, which names its compiler.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from application_programs import FOLDER, launched

from polympi.lab.stacks.stack import Stack

__all__ = ["BINDINGS", "FOLDER", "WARNINGS", "Applications", "ApplicationsOnAStack"]

BINDINGS = FOLDER.parents[1] / "bindings"
WARNINGS = ["-O2", "-Wall", "-Wextra", "-Werror"]

Built = Callable[[str, Stack], list[str]]


class ApplicationsOnAStack:
    """The tests of one language, on the stack of its mark.

    Attributes:
        compiler: the command without which its programs cannot be compiled.
        mesh: points of the waves along an axis.
        ranks: how many the waves run on; of eight, each has neighbours along all axes.
        mistakes: what cannot be, and a part of what is said of it.
    """

    pytestmark: ClassVar = [pytest.mark.system]
    compiler: ClassVar[str]
    mesh: ClassVar[int] = 24
    ranks: ClassVar[tuple[int, ...]] = (1, 2, 4, 8)
    mistakes: ClassVar[dict[str, str]] = {
        "wave --mesh 3": "too small",
        "wave --mesh 12x": "usage: wave",
        "wave --mesh": "usage: wave",
        "wave --steps -1": "usage: wave",
        "wave --speed 1": "usage: wave",
        "inner_product --length 0": "usage: inner_product",
        "inner_product --length 1000000000000000": "no memory",
        "inner_product fast": "usage: inner_product",
    }

    @staticmethod
    def compile(name: str, stack: Stack, program: Path) -> None:
        """Make a program; a compilation that makes all of them finds that it is there the next time."""
        raise NotImplementedError

    @pytest.fixture(scope="class")
    @classmethod
    def built(cls, tmp_path_factory: pytest.TempPathFactory) -> Built:
        """Gives a program for a stack, which is compiled when it is first asked for."""
        folder = tmp_path_factory.mktemp("programs")
        programs: dict[tuple[str, str], str] = {}

        def make(name: str, stack: Stack) -> list[str]:
            if shutil.which(cls.compiler) is None:
                pytest.skip(f"there is no {cls.compiler}")
            if (name, stack.name) not in programs:
                program = folder / stack.name / name
                program.parent.mkdir(exist_ok=True)
                cls.compile(name, stack, program)
                programs[name, stack.name] = str(program)
            return [programs[name, stack.name]]

        return make

    @pytest.mark.parametrize("mode", [[], ["--overlapped"]], ids=["blocking", "overlapped"])
    def test_waves_follow_the_scheme_on_any_number_of_ranks(
        self, built: Built, stack: Stack, tmp_path: Path, mode: list[str]
    ) -> None:
        program = built("wave", stack)
        away = set()
        for ranks in self.ranks:
            said = launched([*program, "--mesh", str(self.mesh), "--steps", "60", *mode], ranks, stack, tmp_path)
            assert said.code == 0, said.text
            how = f"{ranks} rank{'s' * (ranks > 1)}, {'overlapped' if mode else 'blocking'}\n"
            assert f"{self.mesh}^3 points, 60 steps, {how}" in said.text
            assert said.number(r"largest error: (\S+) against the closed form") < 1e-12
            away.add(said.number(r"scheme, (\S+) "))
        assert len(away) == 1  # from the wave itself, as much on any number of ranks

    def test_waves_converge_as_dx_squared(self, built: Built, stack: Stack, tmp_path: Path) -> None:
        program = built("wave", stack)
        errors = []
        for edge, steps in ((17, 40), (33, 80)):
            said = launched([*program, "--mesh", str(edge), "--steps", str(steps)], 2, stack, tmp_path)
            errors.append(said.number(r"scheme, (\S+) "))
        assert 3.5 < errors[0] / errors[1] < 4.5

    @pytest.mark.parametrize("length", [1, 3, 100001])
    def test_inner_products_are_exact(self, built: Built, stack: Stack, tmp_path: Path, length: int) -> None:
        program = built("inner_product", stack)
        exact = sum(1 + i % 3 for i in range(length))
        for ranks in (1, 2, 4):
            said = launched([*program, "--length", str(length), "--iterations", "3"], ranks, stack, tmp_path)
            assert said.code == 0, said.text
            assert said.number(r"inner product: (\S+),") == pytest.approx(exact, rel=1e-12)

    def test_bad_options_are_one_sentence(self, built: Built, stack: Stack, tmp_path: Path) -> None:
        for words, sentence in self.mistakes.items():
            name, *arguments = words.split()
            said = launched([*built(name, stack), *arguments], 2, stack, tmp_path)
            lines = [line for line in said.text.splitlines() if sentence in line]
            assert (said.code, len(lines)) == (2, 1), f"{words}: {said.text}"


class Applications(ApplicationsOnAStack):
    """The same on MPICH: as benchmarks the same sources run on both libraries."""

    pytestmark: ClassVar = [pytest.mark.parametrize("stack", ["mpich"], indirect=True)]
