"""Recipes of other package managers require what pyproject.toml does."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).parents[2]
RECIPES = {
    "conda/recipe.yaml": r"^ +- ([a-z][a-z0-9-]*) >=([\d.]+)$",
    "spack/py-polympi-lab/package.py": r'depends_on\("py-([a-z0-9-]+)@([\d.]+):"',
}
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
NEEDED = [Requirement(text) for text in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["custom"]["extras"]["lab"]]


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_laboratory_requires_the_same_packages(recipe: str) -> None:
    text = (REPOSITORY / "packaging" / recipe).read_text()
    required = dict(re.findall(RECIPES[recipe], text, re.MULTILINE))
    for one in NEEDED:
        (wanted,) = (specifier.version for specifier in one.specifier)
        assert required[one.name].removesuffix(".0") == wanted.removesuffix(".0")
    assert set(required) - {one.name for one in NEEDED} <= {"python", "hatchling"}


@pytest.mark.parametrize(
    "recipe", ["conda/recipe.yaml", "spack/py-polympi/package.py", "spack/py-polympi-lab/package.py"]
)
def test_they_are_of_this_version(recipe: str) -> None:
    text = (REPOSITORY / "packaging" / recipe).read_text()
    assert set(re.findall(r'version(?::|\() ?"([\d.]+)"', text)) == {PROJECT["project"]["version"]}
