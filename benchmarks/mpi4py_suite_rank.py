"""One rank of `mpi4py_suite.py`: runs test modules of other packages, and writes down what became of each test.

    mpi4py_suite_rank.py plain|accelerated OUTCOMES TESTS MODULE...

OUTCOMES is a folder, in which each rank writes a file with its number: one line per test as soon as it ends, of a word
and the name of the test. ``began`` without another word later means that the test has not ended. TESTS is the folder
with the modules.
"""

import importlib
import sys
import unittest
from pathlib import Path
from types import ModuleType
from typing import TextIO


class Recorder(unittest.TestResult):
    """Writes a line when a test begins and when it ends."""

    def __init__(self, sink: TextIO) -> None:
        super().__init__()
        self.sink = sink

    def write(self, outcome: str, test: unittest.TestCase) -> None:
        """Write a line at once: the next test may be the last that this rank runs."""
        print(outcome, test.id(), file=self.sink, flush=True)

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        """It begins."""
        super().startTest(test)
        self.write("began", test)

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        """It has passed."""
        self.write("passed", test)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        """It, or all of its class, does not run here."""
        super().addSkip(test, reason)
        self.write("skipped", test)

    def addExpectedFailure(self, test: unittest.TestCase, err: object) -> None:  # noqa: ARG002, N802
        """It is known to fail, and does."""
        self.write("passed", test)

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        """It is known to fail, and does not."""
        self.write("passed", test)

    def addFailure(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802
        """It has failed."""
        super().addFailure(test, err)  # type: ignore[arg-type]
        self._write_failure(test, self.failures)

    def addError(self, test: unittest.TestCase, err: object) -> None:  # noqa: N802
        """It has raised something else than an assertion."""
        super().addError(test, err)  # type: ignore[arg-type]
        self._write_failure(test, self.errors)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: object) -> None:  # noqa: N802
        """A part of it has ended."""
        super().addSubTest(test, subtest, err)  # type: ignore[arg-type]
        if err is not None:
            self._write_failure(test, self.failures or self.errors)

    def _write_failure(self, test: unittest.TestCase, traces: list[tuple[unittest.TestCase, str]]) -> None:
        self.write("failed", test)
        print(test.id(), traces[-1][1], sep="\n", file=sys.stderr, flush=True)


def tests_of(module: ModuleType) -> unittest.TestSuite:
    """Those of unittest, or functions named as pytest has it."""
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    if suite.countTestCases() == 0:
        functions = [value for name, value in vars(module).items() if name.startswith("test_")]
        suite.addTests(unittest.FunctionTestCase(function) for function in functions)
    return suite


def main() -> None:
    """Run them."""
    how, outcomes, tests, *names = sys.argv[1:]
    sys.argv[1:] = []  # modules look there for options
    sys.path.insert(0, tests)
    for name in ("cupy", "numba"):
        sys.modules[name] = None  # type: ignore[assignment]  # for the memory of GPUs, and slow to import
    if how == "accelerated":
        import polympi.mpi4py  # noqa: PLC0415

        polympi.mpi4py.install()
    from mpi4py import MPI  # noqa: PLC0415

    with Path(outcomes, str(MPI.COMM_WORLD.Get_rank())).open("a") as sink:
        for name in names:
            tests_of(importlib.import_module(name)).run(Recorder(sink))


if __name__ == "__main__":
    main()
