"""What is in the sdist and in the wheels that are built from it, with empty files instead of compiled ones."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.requirements import Requirement

REPOSITORY = Path(__file__).parents[2]
CORE = "core_mpich.cpython-313-aarch64-linux-gnu.so"
PREBUILT = "aarch64-mpich/c/bench"


def build(target: str, source: Path, into: Path, variables: Mapping[str, str]) -> Path:
    """The only file that hatchling puts there."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    subprocess.run(command, cwd=source, env=dict(variables), check=True, capture_output=True)
    (made,) = into.iterdir()
    return made


class Wheel:
    """The files of a wheel, and its metadata."""

    def __init__(self, path: Path) -> None:
        self.tag = path.stem.split("-", 2)[2]
        with zipfile.ZipFile(path) as archive:
            named = archive.namelist()
            self.files = {name for name in named if ".dist-info/" not in name}
            (metadata,) = (name for name in named if name.endswith("/METADATA"))
            (entry_points,) = ([name for name in named if name.endswith("/entry_points.txt")] or [metadata])[:1]
            self.metadata: Message = Parser().parsestr(archive.read(metadata).decode())
            self.entry_points = archive.read(entry_points).decode()

    def requirements(self, extra: str = "") -> set[str]:
        """What it requires with an extra, beyond what it requires anyway."""
        all_of_them = [Requirement(text) for text in self.metadata.get_all("Requires-Dist", [])]
        if not extra:
            return {str(one) for one in all_of_them if "extra" not in str(one.marker)}
        return {f"{one.name}{one.specifier}" for one in all_of_them if f'extra == "{extra}"' in str(one.marker)}


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Wheel]:
    """Those of the interface and of the laboratory, from the sdist, and of both, from the checkout."""
    folder = tmp_path_factory.mktemp("distributions")
    core, program = folder / "cores" / CORE, folder / "prebuilt" / PREBUILT
    for compiled in (core, program):
        compiled.parent.mkdir(parents=True)
        compiled.touch()
    variables = {"PATH": "/usr/bin:/bin", "POLYMPI_WHEEL_CORES": str(core.parent)}
    sdist = build("sdist", REPOSITORY, folder / "sdist", variables)
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)
    source = folder / sdist.name.removesuffix(".tar.gz")
    tagged = {**variables, "POLYMPI_WHEEL_TAG": "cp313-cp313-linux_aarch64"}
    lab = {
        **variables,
        "POLYMPI_WHEEL_TAG": "py3-none-linux_aarch64",
        "POLYMPI_WHEEL_PREBUILT": str(folder / "prebuilt"),
    }
    return {
        "interface": Wheel(build("wheel", source, folder / "interface", tagged)),
        "laboratory": Wheel(build("wheel", source / "packaging" / "lab", folder / "laboratory", lab)),
        "checkout": Wheel(build("wheel", REPOSITORY, folder / "checkout", tagged)),
    }


def test_the_interface_has_its_core_and_nothing_of_the_laboratory(wheels: dict[str, Wheel]) -> None:
    interface = wheels["interface"]
    assert interface.tag == "cp313-cp313-linux_aarch64"
    assert {f"polympi/native/{CORE}", "polympi/native/build.py", "polympi/py.typed"} <= interface.files
    assert not [name for name in interface.files if name.startswith("polympi/lab")]
    assert interface.requirements() == set()
    assert "polympi = polympi.__main__:main" in interface.entry_points


def test_the_laboratory_has_its_programs_and_the_prebuilt_ones(wheels: dict[str, Wheel]) -> None:
    laboratory = wheels["laboratory"]
    assert laboratory.tag == "py3-none-linux_aarch64"
    parts = ("__init__.py", "catalogue.toml", "bindings/programs/c/manifest.toml", "bindings/applications/wave.py")
    assert {f"polympi/lab/{part}" for part in (*parts, f"prebuilt/{PREBUILT}")} <= laboratory.files
    assert not [name for name in laboratory.files if not name.startswith("polympi/lab/") or "__pycache__" in name]


def test_both_together_are_what_a_checkout_installs(wheels: dict[str, Wheel]) -> None:
    interface, laboratory, checkout = (wheels[name].files for name in ("interface", "laboratory", "checkout"))
    assert not interface & laboratory
    only_released = {f"polympi/lab/prebuilt/{PREBUILT}", "polympi/lab/LICENSE"}
    built_there = {"polympi/lab/bindings/applications/rust/Cargo.lock"}  # maybe, by another test
    assert interface | laboratory == checkout - built_there | only_released


def test_the_laboratory_is_of_the_same_version_and_needs_what_a_checkout_does(wheels: dict[str, Wheel]) -> None:
    version = wheels["interface"].metadata["Version"]
    assert wheels["laboratory"].metadata["Version"] == version
    assert wheels["interface"].requirements("lab") == {f"polympi-lab=={version}"}
    needed = wheels["laboratory"].requirements() | wheels["laboratory"].requirements("images")
    assert f"polympi=={version}" in needed
    assert {Requirement(text).name for text in needed} - {"polympi"} == {
        Requirement(text).name for text in wheels["checkout"].requirements("lab")
    }
