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

from polympi.lab.stacks.stack import Stack
from polympi.native import build

SOURCES = (
    *("codec_encode", "codec_decode", "codec_pickle", "stream", "array", "dtypes", "buffers", "foreign", "target"),
    *("pool", "pool_owners", "strided_copy"),
)


@pytest.fixture(scope="session")
def codec_file(mpich: Stack, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled module of codec_module.c; of the stack it only takes mpi.h."""
    made = tmp_path_factory.mktemp("codec") / f"codec{sysconfig.get_config_var('EXT_SUFFIX')}"
    options = [*build.COMPILE, *build.STRICT]
    options += build.SANITIZED if os.environ.get("POLYMPI_TEST_SANITIZE") else ["-O1"]
    headers = [sysconfig.get_path("include"), np.get_include(), str(Path(mpich.mpicc).parents[1] / "include")]
    sources = [Path(__file__).with_name("codec_module.c"), *(build.SOURCES / f"{name}.c" for name in SOURCES)]
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
    """The module of codec_module.c: roundtrip, encode, decode, fill."""
    spec = importlib.util.spec_from_file_location("codec", codec_file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
