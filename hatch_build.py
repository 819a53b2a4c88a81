"""Compile polympi's core into the wheel, once for the ABI of each MPI there is."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "POLYMPI_MPICC"  # compiler wrappers that count more than those on PATH, separated as PATH is


class CoreBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds an extension module for each ABI; without Python's headers or a compiler, the wheel has none.

    The laboratory works without the core, so what is missing on a machine must not keep it from being installed; the
    interface says at its first use what to do. A core that does not compile is an error all the same.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile; called by hatchling before it collects files."""
        if self.target_name != "wheel":
            return
        build = _module(Path(self.root, "src", "polympi", "native", "build.py"))
        self.scratch = Path(tempfile.mkdtemp(prefix="polympi-wheel-"))
        into = Path(self.root, "src", "polympi", "native") if version == "editable" else self.scratch
        try:
            cores = self._compile(build, into)
        except BaseException:
            shutil.rmtree(self.scratch)
            raise
        if cores and version != "editable":
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            build_data["force_include"].update({str(core): f"polympi/native/{core.name}" for core in cores})

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Clean up; called by hatchling when the wheel is written."""
        if self.target_name == "wheel":
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _compile(self, build: ModuleType, into: Path) -> list[Path]:
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
