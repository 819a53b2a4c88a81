import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from polympi.lab.bindings.packages import installed_packages
from polympi.lab.stacks.stack import Stack


def install(folder: Path, name: str, version: str) -> None:
    package = folder / f"{name}-{version}.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the stack finds packages, too."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def test_the_interpreter_is_asked_once_until_a_package_comes_or_goes(
    mpich: Stack, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(place, "Such_A.Package", "1.5")
    packages = installed_packages(mpich)
    assert packages["such-a-package"] == "1.5"
    assert {"numpy", "mpi4py"} <= set(packages)
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("asked again"))
        assert installed_packages(mpich) == packages
    install(place, "another", "2")
    assert installed_packages(mpich) == {**packages, "another": "2"}
    shutil.rmtree(place / "another-2.dist-info")
    assert installed_packages(mpich) == packages


def test_what_is_imported_counts(mpich: Stack, place: Path) -> None:
    install(place, "numpy", "999")  # comes before the stack's own
    assert installed_packages(mpich)["numpy"] == "999"


def test_a_broken_package_hides_no_others(mpich: Stack, place: Path) -> None:
    (place / "broken-1.dist-info").mkdir()
    install(place, "whole", "3")
    assert installed_packages(mpich)["whole"] == "3"


@pytest.mark.parametrize("interpreter", ["/nowhere/python", "/bin/false"])
def test_an_interpreter_that_does_not_run_has_no_packages(mpich: Stack, interpreter: str) -> None:
    assert installed_packages(msgspec.structs.replace(mpich, python=interpreter)) == {}
