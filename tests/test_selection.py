"""Which tests run, and which are tried again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from selection import STACKS

REPOSITORY = Path(__file__).parents[1]
OF_THE_INTERFACE = "tests/interface/test_names.py"
OF_THE_LABORATORY = "tests/lab/audit/test_watcher.py"
OF_ANY_LIBRARY = "tests/interface/compat/test_pool_users.py"
OF_BOTH_LIBRARIES = "tests/lab/tools/test_find.py"


def second_try(path: str) -> int:
    """The exit code of the second try of a file's tests, all of which pass."""
    command = [sys.executable, "-m", "pytest", "-q", "--second-try", "-p", "no:cacheprovider", "-m", "not mpi", path]
    return subprocess.run(command, cwd=REPOSITORY, capture_output=True, timeout=120, check=False).returncode


def test_those_of_the_interface_are_not() -> None:
    assert second_try(OF_THE_LABORATORY) == 0
    assert second_try(OF_THE_INTERFACE) == 1


def names(path: str, mark: str, *options: str) -> set[str]:
    """The tests of a file that have a mark, with their parameters."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-m", mark, *options, path]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=120, check=False)
    return {line.partition("::")[2] for line in done.stdout.splitlines() if "::" in line}


@pytest.mark.parametrize("stack", STACKS)
def test_those_of_both_libraries_are_of_the_system_and_run_with_either(stack: str) -> None:
    both = {"test_the_program_of_the_stack_is_found_among_others", "test_another_program_is_refused_in_a_clause"}
    assert names(OF_BOTH_LIBRARIES, "mpi and system", "--stack", stack) == both
    assert names(OF_BOTH_LIBRARIES, "mpi and not system", "--stack", stack).isdisjoint(both)


def test_those_of_any_library_run_on_both_only_if_each_is_named() -> None:
    program = "test_a_package_runs_on_the_workers[{}-dask]"  # it takes the fixture of the other library, too
    assert program.format("openmpi") in names(OF_ANY_LIBRARY, "slow", "--stack", "openmpi")
    unnamed = names(OF_ANY_LIBRARY, "slow")
    assert program.format("mpich") in unnamed
    assert not [one for one in unnamed if "openmpi" in one]
