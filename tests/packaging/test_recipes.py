"""Recipes of other package managers require what pyproject.toml does."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
NEEDED = [Requirement(text) for text in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["extras"]["lab"]]


RENDERED = {"mpi": ["mpich", "openmpi"], "c_compiler": ["gcc"], "c_stdlib": ["sysroot"]}  # as conda-forge has them
VERSIONS = {
    "conda/recipe.yaml": r"version: \"([\d.]+)\"",
    "debian/changelog": r"polympi \(([\d.]+)-\d+\)",
    "spack/spack_repo/polympi/packages/py_polympi/package.py": r"version\(\"([\d.]+)\"",
}


@pytest.fixture(scope="module")
def conda() -> dict[str, list[dict[str, Any]]]:
    """What conda-forge would build, by the name of the package, as rattler-build reads it: one for each MPI."""
    rattler = pytest.importorskip("rattler_build", reason="pip install py-rattler-build, which reads the recipe")
    recipe = rattler.Stage0Recipe.from_file(str(REPOSITORY / "packaging" / "conda" / "recipe.yaml"))
    found: dict[str, list[dict[str, Any]]] = {}
    for variant in recipe.render(rattler.VariantConfig(RENDERED), rattler.RenderConfig()):
        one = variant.recipe.to_dict()
        found.setdefault(one["package"]["name"], []).append(one)
    return found


def test_conda_s_interface_is_built_with_each_mpi_and_depends_on_it(conda: dict[str, list[dict[str, Any]]]) -> None:
    for part in ("host", "run"):
        assert [one["requirements"][part][-1] for one in conda["polympi"]] == ["mpich", "openmpi"]


def test_conda_s_laboratory_requires_the_same_packages(conda: dict[str, list[dict[str, Any]]]) -> None:
    required = {one.name: one.specifier for one in map(Requirement, conda["polympi-lab"][0]["requirements"]["run"])}
    assert required.pop("polympi") == SpecifierSet(f"=={PROJECT['project']['version']}")
    assert required.pop("python") == SpecifierSet(PROJECT["project"]["requires-python"])
    assert required == {one.name: one.specifier for one in NEEDED}


@pytest.mark.parametrize("recipe", VERSIONS)
def test_they_are_of_this_version(recipe: str) -> None:
    text = (REPOSITORY / "packaging" / recipe).read_text()
    assert set(re.findall(VERSIONS[recipe], text)) == {PROJECT["project"]["version"]}
