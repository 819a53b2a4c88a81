"""Spack's recipe of polympi; the source is the sdist, since a checkout would install the laboratory, too."""

from spack.package import *
from spack_repo.builtin.build_systems.python import PythonPackage


class PyPolympi(PythonPackage):
    """One Pythonic MPI interface with a core in C."""

    pypi = "polympi/polympi-0.2.0.tar.gz"

    license("BSD-3-Clause")

    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")  # of the released sdist

    depends_on("c", type="build")
    depends_on("python@3.10:", type=("build", "run"))
    depends_on("py-hatchling@1.25:", type="build")
    depends_on("py-numpy@2:", type=("build", "run"))
    depends_on("mpi", type=("build", "link", "run"))

    def setup_build_environment(self, env: EnvironmentModifications) -> None:
        """Compile the core for this MPI, whatever is on PATH."""
        env.set("POLYMPI_MPICC", self.spec["mpi"].mpicc)

    def setup_run_environment(self, env: EnvironmentModifications) -> None:
        """Load this MPI, also where the program is started by a launcher of another folder."""
        env.set("POLYMPI_LIBMPI", find_libraries("libmpi", self.spec["mpi"].prefix, recursive=True)[0])
