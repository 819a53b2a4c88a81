"""The metadata of a stack that is kept with its results."""

import platform
import subprocess
from collections.abc import Iterable

from polympi.lab.records import Finding, StackMetadata
from polympi.lab.stacks.prebuilt import HARNESS, compiler_text, lacks_compiler, prebuilt
from polympi.lab.stacks.stack import Stack


def describe(stack: Stack) -> StackMetadata:
    """Library, launcher, compiler wrapper with its flags, packages of the Python environment."""
    return StackMetadata(
        family=stack.family,
        origin=stack.origin,
        library=stack.library,
        libmpi=stack.libmpi,
        mpiexec=stack.mpiexec,
        launcher=[*stack.launcher, *stack.launcher_arguments],
        mpicc=stack.mpicc,
        compiles_as=_output([stack.mpicc, "-show"], stack),
        compiler=compiler_text(stack)
        if lacks_compiler(stack)
        else _first_line(_output([stack.mpicc, "--version"], stack)),
        python=_output([stack.python, "--version"], stack),
        packages=_output([stack.python, "-m", "pip", "freeze", "--disable-pip-version-check"], stack).splitlines(),
        variables={
            name: value
            for name, value in sorted(stack.variables().items())
            if name in stack.environment
            or name.startswith(("OMPI_", "MPICH_", "MPIR_", "I_MPI_", "UCX_", "FI_", "PMIX_"))
        },
    )


def prebuilt_used(stacks: Iterable[Stack]) -> list[Finding]:
    """A note that C was not compiled on this machine, for the stacks of a run."""
    names = [stack.name for stack in stacks if prebuilt(stack, HARNESS)]
    if not names:
        return []
    text = f"No C compiler is here, so C on {', '.join(names)} is a prebuilt program for any {platform.machine()}."
    return [Finding("note", "Prebuilt C", text, "Install a C compiler, and C is compiled for this processor.")]


def _output(command: list[str], stack: Stack) -> str:
    done = subprocess.run(command, env=stack.variables(), capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip()


def _first_line(text: str) -> str:
    return text.splitlines()[0] if text else ""
