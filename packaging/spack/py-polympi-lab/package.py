"""Spack's recipe of polympi's laboratory, which is in the folder packaging/lab of the same sdist."""

from spack.package import *


class PyPolympiLab(PythonPackage):
    """What every MPI binding costs over raw C MPI, measured side by side."""

    pypi = "polympi/polympi-0.2.0.tar.gz"
    license("BSD-3-Clause")

    build_directory = "packaging/lab"

    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")  # of the released sdist

    depends_on("py-hatchling@1.25:", type="build")
    with default_args(type=("build", "run")):
        depends_on("py-polympi@0.2.0", when="@0.2.0")
        depends_on("py-altair@6:")
        depends_on("py-coloraide@4:")
        depends_on("py-jinja2@3.1:")
        depends_on("py-msgspec@0.20:")
        depends_on("py-numpy@2:")
        depends_on("py-packaging@24:")
        depends_on("py-platformdirs@4:")
        depends_on("py-polars@1.30:")
        depends_on("py-psutil@6:")
        depends_on("py-pygments@2.18:")
        depends_on("py-rich@13.9:")
        depends_on("py-typer@0.16:")
        depends_on("py-vl-convert-python@1.8:")
        depends_on("py-tomli@2:", when="^python@:3.10")
