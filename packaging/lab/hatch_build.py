"""Collect the laboratory from polympi's own folder, two levels up, and the C that is compiled for it already."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.core import ProjectMetadata
from hatchling.metadata.plugin.interface import MetadataHookInterface
from hatchling.plugin.manager import PluginManager

# The folder that packaging/wheels.py compiles C programs into, and the tag of a wheel that has them.
PREBUILT_VARIABLE, TAG_VARIABLE = "POLYMPI_WHEEL_PREBUILT", "POLYMPI_WHEEL_TAG"


def polympi(root: str) -> tuple[Path, ProjectMetadata[Any], dict[str, Any]]:
    """The folder of polympi, its metadata, and the configuration of hatch there."""
    folder = Path(root).parents[1]
    metadata = ProjectMetadata[Any](str(folder), PluginManager())
    return folder, metadata, metadata.config["tool"]["hatch"]


class DependenciesHook(MetadataHookInterface):
    """Gives the version of polympi, and what its laboratory needs."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add them; called by hatchling when it reads pyproject.toml."""
        _, of_polympi, hatch = polympi(self.root)
        metadata["version"] = of_polympi.version
        of_images = metadata["optional-dependencies"]["images"]
        needed = [one for one in hatch["metadata"]["hooks"]["custom"]["extras"]["lab"] if one not in of_images]
        metadata["dependencies"] = [f"polympi=={of_polympi.version}", *needed]


class LaboratoryHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the laboratory, the programs of the bindings, and C that is compiled already."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Add them; called by hatchling before it collects files."""
        if self.target_name != "wheel":
            return
        folder, _, hatch = polympi(self.root)
        parts = hatch["build"]["targets"]["wheel"]["hooks"]["custom"]["laboratory"]
        build_data["force_include"].update({str(folder / part): place for part, place in parts.items()})
        build_data["force_include"][str(folder / "LICENSE")] = "polympi/lab/LICENSE"
        if prebuilt := os.environ.get(PREBUILT_VARIABLE):
            build_data["pure_python"] = False
            build_data["tag"] = os.environ[TAG_VARIABLE]
            build_data["force_include"][prebuilt] = "polympi/lab/prebuilt"
