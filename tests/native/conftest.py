"""The codec of the core, compiled as a separate module: objects go through it without any MPI library."""

import importlib
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from cores import COVERAGE, SANITIZE, DoesNotCompileError, compiled

from polympi.native import build

LAYERS = ("codec", "memory")  # errors are the module's own


@pytest.fixture(scope="session")
def codec_file() -> Path:
    """The compiled module of codec_module.c."""
    name = f"codec{sysconfig.get_config_var('EXT_SUFFIX')}"
    options = [*build.COMPILE, *build.STRICT, *(build.COVERAGE if COVERAGE else [])]
    options += build.SANITIZED if SANITIZE else ["-O1"]
    options += [f"-isystem{folder}" for folder in (np.get_include(), sysconfig.get_path("include"))]
    module = Path(__file__).with_name("codec_module.c")
    sources = [module, *(source for room in LAYERS for source in sorted((build.SOURCES / room).glob("*.c")))]

    def compile_into(folder: Path) -> None:
        command = ["gcc", *options, f"-I{build.SOURCES}", "-shared", *map(str, sources), "-pthread"]
        done = subprocess.run([*command, "-o", str(folder / name)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise DoesNotCompileError(done.stderr)

    if COVERAGE:  # the counts go where it was compiled
        folder = Path(COVERAGE)
        folder.mkdir(parents=True, exist_ok=True)
        compile_into(folder)
    else:
        folder = compiled("codec", options, compile_into, module)
    return folder / name


@pytest.fixture(scope="session")
def codec(codec_file: Path) -> ModuleType:
    """The module of codec_module.c: its functions, and ``roundtrip``, which encodes, copies and decodes a value."""
    if SANITIZE:
        os.environ["POLYMPI_POOL_BYTES"] = "0"  # all memory from malloc, whose bounds are watched
    sys.path.insert(0, str(codec_file.parent))
    module = importlib.import_module("codec")
    vars(module)["roundtrip"] = lambda value: module.decode(*module.encode(value))
    return module
