"""The codec of the core, compiled as a module of its own: objects go through it without any MPI library."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sysconfig
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from polympi.native import build

LAYERS = ("codec", "memory")  # errors are the module's own


@pytest.fixture(scope="session")
def codec_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled module of codec_module.c."""
    coverage = os.environ.get("POLYMPI_TEST_COVERAGE")
    folder = Path(coverage) if coverage else tmp_path_factory.mktemp("codec")
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f"codec{sysconfig.get_config_var('EXT_SUFFIX')}"
    options = [*build.COMPILE, *build.STRICT, *(build.COVERAGE if coverage else [])]
    options += build.SANITIZED if os.environ.get("POLYMPI_TEST_SANITIZE") else ["-O1"]
    headers = [sysconfig.get_path("include"), np.get_include()]
    sources = [Path(__file__).with_name("codec_module.c")]
    sources += [source for room in LAYERS for source in sorted((build.SOURCES / room).glob("*.c"))]
    subprocess.run(
        [
            *("gcc", *options, *(f"-isystem{folder}" for folder in headers), f"-I{build.SOURCES}", "-shared"),
            *(*sources, "-pthread", "-o", made),
        ],
        check=True,
    )
    return made


@pytest.fixture(scope="session")
def codec(codec_file: Path) -> ModuleType:
    """The module of codec_module.c: roundtrip, encode, decode, fill, receive, announced, announce, plain_array,
    overlaps.
    """
    if os.environ.get("POLYMPI_TEST_SANITIZE"):
        os.environ["POLYMPI_POOL_BYTES"] = "0"  # all memory from malloc, whose bounds are watched
    spec = importlib.util.spec_from_file_location("codec", codec_file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
