"""Which family of MPI a launcher or a compiler wrapper belongs to."""

import re
import subprocess

from polympi.lab.errors import StackError, system_reason

_PREPROCESS_S = 60.0
# What the headers of each family define, of which the first counts: Intel's MPI is made of MPICH.
_PROBE = """\
#include <mpi.h>
#if defined(OMPI_MAJOR_VERSION)
polympi_family openmpi
#elif defined(I_MPI_VERSION)
polympi_family impi
#elif defined(MPICH_VERSION) || defined(MPICH_NUMVERSION)
polympi_family mpich
#endif
"""


def family_of_launcher(mpiexec: str) -> str:
    """``mpich``, ``openmpi`` or ``impi``, by what the launcher says of itself."""
    said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False)
    text = said.stdout + said.stderr
    if re.search(r"Open ?MPI|OpenRTE|PRRTE", text):
        return "openmpi"
    if "Intel" in text:
        return "impi"
    if "HYDRA" in text:
        return "mpich"
    raise StackError(f"{mpiexec} is neither MPICH's, Open MPI's nor Intel's launcher: '{last_line(text)}'.")


def family_of_headers(mpicc: str) -> str:
    """``mpich``, ``openmpi`` or ``impi``, by the ``mpi.h`` that a compiler wrapper finds."""
    command = [mpicc, "-E", "-P", "-x", "c", "-"]
    try:
        done = subprocess.run(command, input=_PROBE, capture_output=True, text=True, check=False, timeout=_PREPROCESS_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StackError(f"{mpicc} cannot be asked whose MPI it compiles for: {system_reason(error)}.") from error
    if found := re.search(r"^polympi_family (\w+)", done.stdout, re.MULTILINE):
        return found[1]
    if done.returncode:
        raise StackError(f"{mpicc} cannot read mpi.h; is it an MPI's compiler? It said: {last_line(done.stderr)}")
    raise StackError(f"The mpi.h of {mpicc} is neither MPICH's (or a relative's), Open MPI's nor Intel's.")


def last_line(text: str) -> str:
    """The last line that says anything; the frames that some launchers draw do not."""
    lines = [line.strip() for line in text.splitlines() if line.strip(" \t-=*")]
    return lines[-1] if lines else "(nothing)"
