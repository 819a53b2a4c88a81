"""Build Polympi.Net, its library in C, and the benchmark and ``Hello`` (or other programs) for Mono or for CoreCLR.

Usage: build_csharp.py mono|coreclr --mpicc MPICC --into FOLDER [--harness FOLDER] [--applications FOLDER]
           [--program NAME SOURCE...]...

The compiler is Mono's for both. CoreCLR is that of the package dotnetcore2 from PyPI, in the environment of the Python
that runs this; what is built has a folder `dotnet` that leads to it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
VERSION = "3.1.23"  # of the package as of the runtime in it
FRAMEWORK = f"shared/Microsoft.NETCore.App/{VERSION}"
# 1573: mcs does not know that <inheritdoc> describes parameters. 1702: assemblies of CoreCLR name each other's builds.
COMPILE = ["mcs", "-unsafe", "-optimize+", "-nowarn:1573,1702", "-langversion:7.2"]
STRICT = "-warnaserror"  # for our own sources
SOLVERS = ["Application", "Box", "Faces", "InnerProduct", "Mesh", "Numbers", "Wave"]  # which the benchmark calls
# What mcs may refer to: it does not follow the assemblies that others forward their types to.
ASSEMBLIES = {
    "mono": ["System.Core", "System.Numerics"],
    "coreclr": [
        "System.Private.CoreLib", "System.Private.Uri", "System.Collections", "System.Collections.Concurrent",
        "System.Collections.NonGeneric", "System.Console", "System.Linq", "System.Linq.Expressions", "System.Memory",
        "System.Runtime", "System.Runtime.Extensions", "System.Runtime.InteropServices", "System.Runtime.Numerics",
        "System.Runtime.Serialization.Formatters", "System.Text.Encoding.Extensions", "System.Threading",
        "System.Threading.Tasks", "netstandard",
    ],
}  # fmt: skip
# All methods are compiled by the optimising compiler at once, and no thread of the runtime works alongside the ranks.
PROPERTIES = {
    "System.GC.Concurrent": False,
    "System.Globalization.Invariant": True,
    "System.Runtime.TieredCompilation": False,
}


def main() -> int:
    """Build; the exit code is 0, or that of what failed."""
    parser = argparse.ArgumentParser(description="Build a C# program with Polympi.Net.")
    parser.add_argument("runtime", choices=sorted(ASSEMBLIES))
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--harness", type=Path)
    parser.add_argument("--applications", type=Path, default=FOLDER.parents[1] / "examples" / "applications")
    parser.add_argument("--program", nargs="+", action="append", metavar=("NAME", "SOURCE"))
    given = parser.parse_args()
    usual = [[name, *sorted(map(str, FOLDER.glob(f"{name}/*.cs")))] for name in ("Benchmark", "Hello")]
    usual[0] += [str(given.applications / "csharp" / f"{name}.cs") for name in SOLVERS]
    given.into.mkdir(parents=True, exist_ok=True)
    try:
        build_library(given.runtime, given.mpicc, given.into)
        for name, *sources in given.program or usual:
            build_program(given.runtime, given.into, name, sources, [] if given.program else [STRICT])
    except subprocess.CalledProcessError as failed:
        return failed.returncode
    if given.harness:
        shutil.copy(given.harness / "libpolympi_harness.so", given.into)
    return 0


def build_library(runtime: str, mpicc: str, into: Path) -> None:
    """Build Polympi.Net and its library in C."""
    if runtime == "coreclr":
        lend_runtime(into)
    flags = ["-O2", "-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    native = sorted(str(path) for path in FOLDER.glob("Polympi.Net/native/*.c"))
    run(mpicc, *flags, *native, "-o", str(into / "libpolympi_net.so"))
    csharp = sorted(str(path) for path in FOLDER.glob("Polympi.Net/**/*.cs"))
    targets = ["-target:library", f"-doc:{into / 'Polympi.Net.xml'}", f"-out:{into / 'Polympi.Net.dll'}"]
    run(*COMPILE, STRICT, *references(runtime, into), *targets, *csharp)


def build_program(runtime: str, into: Path, name: str, sources: list[str], options: list[str]) -> None:
    """Build a program next to the library."""
    suffix = "exe" if runtime == "mono" else "dll"
    targets = [f"-r:{into / 'Polympi.Net.dll'}", f"-out:{into / name}.{suffix}"]
    run(*COMPILE, *options, *references(runtime, into), *targets, *sources)
    if runtime == "coreclr":
        settings = {"framework": {"name": "Microsoft.NETCore.App", "version": VERSION}, "configProperties": PROPERTIES}
        (into / f"{name}.runtimeconfig.json").write_text(json.dumps({"runtimeOptions": settings}, indent=2))


def lend_runtime(into: Path) -> None:
    """A folder `dotnet` with links to CoreCLR and a copy of its starter, which the wheel does not make executable."""
    package = importlib.util.find_spec("dotnetcore2")
    if package is None or package.origin is None:
        sys.exit(f"CoreCLR is missing: pip install dotnetcore2=={VERSION}, into the environment of {sys.executable}.")
    installed, folder = Path(package.origin).parent / "bin", into / "dotnet"
    folder.mkdir(exist_ok=True)
    shutil.copy(installed / "dotnet", folder)
    os.chmod(folder / "dotnet", 0o755)
    for part in ("host", "shared"):
        if not (folder / part).exists():
            (folder / part).symlink_to(installed / part)


def references(runtime: str, into: Path) -> list[str]:
    """The compiler's options for the assemblies of a runtime."""
    if runtime == "mono":
        return [f"-r:{name}.dll" for name in ASSEMBLIES[runtime]]
    folder = into / "dotnet" / FRAMEWORK
    defined = ["-nostdlib", "-noconfig", "-d:NETCOREAPP3_0_OR_GREATER"]
    return defined + [f"-r:{folder / name}.dll" for name in ASSEMBLIES[runtime]]


def run(*command: str) -> None:
    """Run a command that has to succeed."""
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
