"""Compile polympi's core into the wheel, once for the ABI of each MPI there is, and choose what is installed with it.

A checkout installs the interface and the laboratory at once. From an sdist the wheel has the interface alone, and its
extra ``lab`` requires the distribution polympi-lab of the same version.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

VARIABLE = "POLYMPI_MPICC"  # compiler wrappers that count more than those on PATH, separated as PATH is
# A folder of cores that are compiled already, maybe for another Python or processor, and the tag of a wheel for those.
CORES_VARIABLE, TAG_VARIABLE = "POLYMPI_WHEEL_CORES", "POLYMPI_WHEEL_TAG"


def is_sdist(root: str) -> bool:
    """Whether a folder is an unpacked sdist, and no checkout."""
    return Path(root, "PKG-INFO").is_file()


class ExtrasHook(MetadataHookInterface):
    """Gives the extras of a checkout; those of an sdist are in its PKG-INFO."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them; called by hatchling when it reads pyproject.toml."""
        metadata["optional-dependencies"] = self.config["extras"]


class CoreBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds an extension module for each ABI; without Python's headers or a compiler, the wheel has none.

    The laboratory works without the core, so what is missing on a machine must not keep it from being installed; the
    interface says at its first use what to do. A core that does not compile is an error all the same.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; called by hatchling before it collects files."""
        if self.target_name == "sdist":
            self.metadata.core.optional_dependencies["lab"] = [f"polympi-lab=={self.metadata.version}"]
            return
        if version != "editable" and not is_sdist(self.root):
            build_data["force_include"].update(self.config["laboratory"])
        self.scratch = Path(tempfile.mkdtemp(prefix="polympi-wheel-"))
        into = Path(self.root, "src", "polympi", "native") if version == "editable" else self.scratch
        try:
            compiled = os.environ.get(CORES_VARIABLE)
            cores = sorted(Path(compiled).glob("core_*.so")) if compiled else self._compile(into)
        except BaseException:
            shutil.rmtree(self.scratch)
            raise
        if cores and version != "editable":
            build_data["pure_python"] = False
            if tag := os.environ.get(TAG_VARIABLE):
                build_data["tag"] = tag
            else:
                build_data["infer_tag"] = True
            build_data["force_include"].update({str(core): f"polympi/native/{core.name}" for core in cores})

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Clean up; called by hatchling when the wheel is written."""
        if self.target_name == "wheel":
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _compile(self, into: Path) -> list[Path]:
        build = _module(Path(self.root, "src", "polympi", "native", "build.py"))
        explicit = [name for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name]
        made, problems = build.compile_all(into)
        cores = {*made, *(build.compile_core(wrapper, into) for wrapper in explicit)}
        for problem in problems:
            if not any(map(build.is_for_mpi, cores)) and not isinstance(problem, build.PrerequisiteError):
                raise problem
            self.app.display_warning(str(problem))
        if not any(map(build.is_for_mpi, cores)):
            rest = "its laboratory and its serial backend" if cores else "its laboratory"
            self.app.display_warning(f"polympi gets no core for an MPI, so that only {rest} will work.")
        return sorted(cores)


def _module(path: Path) -> ModuleType:
    """A module by its file: polympi itself cannot be imported while it is being built."""
    spec = importlib.util.spec_from_file_location("polympi_native_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
