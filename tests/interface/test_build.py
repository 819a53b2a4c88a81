import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from polympi.native import build

# An extension module that reads past its memory when it is imported.
OVERRUN = """
#include <Python.h>
#include <mpi.h>
#include <stdlib.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "core", .m_size = -1};
#define JOIN_OF(a, b) a##b
#define JOIN(a, b) JOIN_OF(a, b)
PyMODINIT_FUNC JOIN(PyInit_, CORE_NAME)(void) {
    volatile char *memory = malloc(8);
    volatile int behind = 8;
    char found = memory[behind];
    free((void *)memory);
    (void)found;
    return PyModule_Create(&module);
}
"""


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is compiled instead of the core's sources."""
    folder = tmp_path / "native"
    shutil.copytree(build.SOURCES / build.SERIAL_MPI, folder / build.SERIAL_MPI)
    monkeypatch.setattr(build, "SOURCES", folder)
    (folder / "core.c").write_text(OVERRUN)
    return folder


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_each_wrapper_says_its_abi(mpich, openmpi) -> None:
    standard = Path(mpich.mpicc).with_name("mpicc_abi")
    assert [build.abi_of(wrapper) for wrapper in (mpich.mpicc, openmpi.mpicc, standard)] == ["mpich", "openmpi", "abi"]


def test_a_core_is_named_after_its_abi_and_needs_no_particular_library(mpich, sources: Path, tmp_path: Path) -> None:
    core = build.compile_core(mpich.mpicc, tmp_path / "into")
    assert core == tmp_path / "into" / f"core_mpich{sysconfig.get_config_var('EXT_SUFFIX')}"
    assert b"libmpi.so" not in core.read_bytes()
    assert [file.name for file in core.parent.iterdir()] == [core.name]


def test_all_wrappers_on_path_are_compiled_for_once_each(
    mpich, openmpi, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    script(broken / "mpicc", "echo no such compiler >&2; exit 1")
    folders = [str(broken), *(str(Path(stack.mpicc).parent) for stack in (mpich, openmpi, mpich)), "/usr/bin", "/bin"]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    cores, problems = build.compile_all(tmp_path / "into")
    serial = cores.pop()
    assert serial.name.startswith("core_serial.")
    assert not build.is_for_mpi(serial)
    assert all(map(build.is_for_mpi, cores))
    assert sorted(core.name.split(".")[0] for core in cores) == ["core_abi", "core_mpich", "core_openmpi"]
    assert [type(problem) for problem in problems] == [build.PrerequisiteError]
    assert str(problems[0]).endswith("It said: no such compiler")


def test_a_source_that_does_not_compile_is_reported_with_the_compilers_words(
    mpich, sources: Path, tmp_path: Path
) -> None:
    (sources / "wrong.c").write_text("int f(void) { return undeclared(); }")
    with pytest.raises(build.BuildError, match=r"^wrong\.c did not compile with .*mpicc: (.|\n)*undeclared") as error:
        build.compile_core(mpich.mpicc, tmp_path / "into")
    assert not isinstance(error.value, build.PrerequisiteError)
    assert list((tmp_path / "into").iterdir()) == []


def test_a_warning_is_an_error_where_that_is_asked_for(mpich, sources: Path, tmp_path: Path) -> None:
    (sources / "sloppy.c").write_text("int f(void) { int unused; return 1; }")
    build.compile_core(mpich.mpicc, tmp_path / "into")
    with pytest.raises(build.BuildError, match="unused"):
        build.compile_core(mpich.mpicc, tmp_path / "into", werror=True)


def test_a_source_that_includes_too_little_is_an_error_where_that_is_asked_for(
    mpich, sources: Path, tmp_path: Path
) -> None:
    """Elsewhere the headers that are parsed once for all sources would hide it."""
    (sources / "short.c").write_text("MPI_Comm f(void) { return MPI_COMM_WORLD; }")
    with pytest.raises(build.BuildError, match=r"^short\.c did not compile with .*mpicc: (.|\n)*MPI_Comm"):
        build.compile_core(mpich.mpicc, tmp_path / "into", werror=True)


@pytest.mark.parametrize("says", [True, False])
def test_a_wrapper_is_asked_once_what_it_calls_and_does_it_all_where_it_does_not_say(
    mpich, sources: Path, tmp_path: Path, says: bool
) -> None:
    calls = tmp_path / "calls"
    refusal = "" if says else 'case "$*" in *-show*) exit 1;; esac\n'
    wrapper = script(tmp_path / "mpicc", f'echo "$@" >>{calls}\n{refusal}exec {mpich.mpicc} "$@"')
    assert build.compile_core(wrapper, tmp_path / "into").name.startswith("core_mpich.")
    assert (f"-c {sources / 'core.c'}" in calls.read_text()) == (not says)


def test_a_compiler_that_cannot_parse_headers_beforehand_compiles_all_the_same(
    mpich, sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = script(tmp_path / "cc", 'case "$*" in *c-header*) exit 1;; esac\nexec gcc "$@"')
    monkeypatch.setenv("MPICH_CC", compiler)
    assert build.compile_core(mpich.mpicc, tmp_path / "into").is_file()


@pytest.mark.parametrize("sanitize", [False, True])
def test_the_sanitizer_finds_an_overrun(
    mpich, sources: Path, tmp_path: Path, sanitizers: dict[str, str], sanitize: bool
) -> None:
    build.compile_core(mpich.mpicc, tmp_path, sanitize=sanitize)
    done = subprocess.run(
        [sys.executable, "-c", "import core_mpich"],
        env={**os.environ, **sanitizers, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode != 0) == sanitize, done.stderr
    assert ("core.c:11" in done.stderr) == sanitize


def test_a_core_that_counts_lines_says_which_ran(mpich, sources: Path, tmp_path: Path) -> None:
    build.compile_core(mpich.mpicc, tmp_path, coverage=True)
    assert [file.name for file in tmp_path.glob("*.gcno")] == ["0-core.gcno"]
    counted = {"GCOV_PREFIX": str(tmp_path), "GCOV_PREFIX_STRIP": "99"}
    environment = {**os.environ, **counted, "PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", "import core_mpich"], env=environment, check=False, timeout=60)
    said = subprocess.run(["gcov", "--stdout", "0-core.gcda"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "PyInit" in said.stdout


def test_a_wrapper_without_a_compiler_is_one_sentence(tmp_path: Path) -> None:
    wrapper = script(tmp_path / "mpicc", "echo cc: command not found >&2; exit 127")
    with pytest.raises(build.PrerequisiteError, match=r"apt install gcc libc6-dev\)\? It said: cc: command not found$"):
        build.abi_of(wrapper)


def test_an_mpi_of_an_unknown_abi_is_one_sentence(tmp_path: Path) -> None:
    wrapper = script(tmp_path / "mpicc", f'exec cc -I{tmp_path} "$@"')
    (tmp_path / "mpi.h").write_text("#define MPI_VERSION 3\n")
    with pytest.raises(build.PrerequisiteError, match="neither MPICH's, Open MPI's nor the standard's ABI"):
        build.abi_of(wrapper)


def test_missing_headers_are_one_sentence_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrapper = script(tmp_path / "mpicc", "exit 0")
    with monkeypatch.context() as without_numpy:
        without_numpy.setattr(build.importlib.util, "find_spec", lambda name: None)
        with pytest.raises(build.PrerequisiteError, match=r"^NumPy's C headers are missing: pip install 'numpy>=2'"):
            build.compile_core(wrapper, tmp_path)
    monkeypatch.setattr(build.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(build.PrerequisiteError, match=r"^Python's C headers are missing .*apt install python3-dev"):
        build.compile_core(wrapper, tmp_path)


def test_headers_of_another_numpy_among_those_of_python_are_not_taken(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's python3-numpy puts its own there."""
    (sources / "core.c").write_text(
        OVERRUN.replace("#include <mpi.h>", "#include <mpi.h>\n#include <numpy/npy_common.h>")
    )
    mixed = tmp_path / "include"
    mixed.mkdir()
    for header in Path(sysconfig.get_path("include")).iterdir():
        if header.name != "numpy":
            (mixed / header.name).symlink_to(header)
    (mixed / "numpy").mkdir()
    (mixed / "numpy" / "npy_common.h").write_text("#error another NumPy\n")
    monkeypatch.setattr(build.sysconfig, "get_path", lambda name: str(mixed))
    assert build.compile_serial(tmp_path / "into").is_file()


def test_the_command_fails_with_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "polympi.native.build", "--mpicc", "no-mpicc", "--into", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("There is no compiler wrapper 'no-mpicc': give the path of an")
    assert len(done.stderr.splitlines()) == 1
