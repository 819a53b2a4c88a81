import subprocess
from pathlib import Path

import msgspec
import pytest

from polympi.lab.bindings import build as build_module
from polympi.lab.bindings import core as core_module
from polympi.lab.bindings import harness as harness_module
from polympi.lab.bindings import sources as sources_module
from polympi.lab.bindings.build import build, missing_requirements, output_folder, program_command, why_not_ready
from polympi.lab.bindings.compiling import run_build
from polympi.lab.bindings.core import core_folder
from polympi.lab.bindings.harness import STATIC, build_harness, start_library
from polympi.lab.bindings.manifest import Binding, load_bindings
from polympi.lab.errors import BuildError, UsageError
from polympi.lab.stacks.stack import Stack

MANIFEST = """
name = "y"
language = "C"
summary = "for this test"
stacks = ["mpich"]
[needs]
help = "install it"
[build]
sources = ["*.c"]
command = ["{mpicc}", "{folder}/y.c", "-o", "{output}/y"]
[[bindings]]
name = "y"
summary = "for this test"
run = ["{output}/y"]
covers = ["*/*/*"]
"""


@pytest.fixture
def binding(tmp_path: Path) -> Binding:
    folder = tmp_path / "y"
    folder.mkdir()
    (folder / "manifest.toml").write_text(MANIFEST)
    (folder / "y.c").write_text("#include <mpi.h>\nint main(void) { return MPI_SUCCESS; }\n")
    return load_bindings([tmp_path])["y"]


def test_a_build_is_kept_until_a_source_changes(binding: Binding, mpich: Stack) -> None:
    first = build(binding, mpich)
    assert (first / "y").exists()
    assert build(binding, mpich) == first
    (binding.folder / "y.c").write_text("#include <mpi.h>\nint main(void) { return MPI_SUCCESS + 1; }\n")
    assert build(binding, mpich) != first


def test_what_is_compiled_for_the_processor_is_kept_for_its_kind(
    binding: Binding, mpich: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    anywhere = output_folder(binding, mpich)
    monkeypatch.setattr("polympi.lab.bindings.build.instruction_sets", lambda: "avx512f")
    assert output_folder(binding, mpich) == anywhere
    binding.manifest.build.command.append("-march=native")
    here = output_folder(binding, mpich)
    monkeypatch.setattr("polympi.lab.bindings.build.instruction_sets", lambda: "avx2")
    assert output_folder(binding, mpich) not in (here, anywhere)


@pytest.mark.parametrize("pattern", ["", "a**", "/etc/passwd", "{bindings}/", "*.misspelt", "."])
def test_sources_that_are_no_files_are_reported(binding: Binding, mpich: Stack, pattern: str) -> None:
    binding.manifest.build.sources = ["*.c", pattern]
    with pytest.raises(UsageError, match=r"y/manifest.toml' cannot be used: in the field 'build.sources', no file"):
        output_folder(binding, mpich)


def test_a_build_of_the_interface_is_kept_until_that_changes(
    binding: Binding, mpich: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (build_module, sources_module):
        monkeypatch.setattr(module, "INTERFACE", tmp_path / "interface")
    (tmp_path / "interface" / "native").mkdir(parents=True)
    core = tmp_path / "interface" / "native" / "core.c"
    core.write_text("first")
    binding.manifest.build.sources = ["{polympi}/native/*.c"]
    binding.manifest.build.command = ["cp", "-r", "{polympi}", "{output}"]
    first = build(binding, mpich)
    assert (first / "interface" / "native" / "core.c").read_text() == "first"
    assert build(binding, mpich) == first
    core.write_text("second")
    assert build(binding, mpich) != first


def test_what_the_interface_is_compiled_with_is_missing_in_one_sentence(mpich: Stack) -> None:
    broken = msgspec.structs.replace(mpich, mpicc="/nowhere/mpicc")
    with pytest.raises(BuildError) as caught:
        build(load_bindings()["polympi"], broken)
    assert str(caught.value).startswith(
        "The core of polympi cannot be built for stack 'mpich': There is no compiler wrapper"
    )
    assert "\n" not in str(caught.value)


def test_a_failed_build_says_what_the_compiler_said_and_leaves_nothing(binding: Binding, mpich: Stack) -> None:
    (binding.folder / "y.c").write_text("int main(void) { return nonsense; }\n")
    before = set((Path(mpich.folder).parents[1] / "builds" / "mpich").glob("y-*"))
    with pytest.raises(BuildError, match=r"(?s)Binding 'y' cannot be built for stack 'mpich':.*nonsense"):
        build(binding, mpich)
    assert set((Path(mpich.folder).parents[1] / "builds" / "mpich").glob("y-*")) == before


def test_a_failed_build_names_the_packages_that_may_be_missing(binding: Binding, mpich: Stack) -> None:
    (binding.folder / "y.c").write_text("#include <a library nobody has>\n")
    binding.manifest.needs.debian = ["liba-dev"]
    with pytest.raises(BuildError, match=r"missing: install it. On Debian: apt-get install liba-dev.$"):
        build(binding, mpich)


@pytest.mark.parametrize("field", ["build.command", "run"])
def test_a_placeholder_that_nobody_knows_is_reported_with_its_field(
    binding: Binding, mpich: Stack, tmp_path: Path, field: str
) -> None:
    if field == "run":
        binding.entry.run = ["{output}/y", "{plans}"]
    else:
        binding.manifest.build.command = ["{cc}"]
    with pytest.raises(BuildError, match=rf"y/manifest.toml' cannot be used: the field '{field}'.*placeholders are"):
        program_command(binding, mpich, build(binding, mpich), tmp_path, tmp_path)


def test_what_is_missing_is_said_with_the_remedy(binding: Binding, mpich: Stack) -> None:
    binding.manifest.needs.commands = ["a-compiler-nobody-has"]
    assert why_not_ready(binding, mpich) == "it needs a-compiler-nobody-has: install it"
    binding.manifest.needs.debian = ["compiler", "its-library"]
    why = "it needs a-compiler-nobody-has: install it. On Debian: apt-get install compiler its-library"
    assert why_not_ready(binding, mpich) == why
    binding.manifest.needs.help = ""
    assert why_not_ready(binding, mpich) == why.replace("install it. ", "")
    binding.manifest.needs.commands = []
    binding.manifest.needs.python = ["numpy>=1", "numpy>=999", "no-such-package>=1"]
    assert missing_requirements(binding, mpich) == ["numpy>=999", "no-such-package>=1"]
    assert str(why_not_ready(binding, mpich)).endswith("in the stack: polympi stack add mpich")
    further = msgspec.structs.replace(binding, entry=msgspec.structs.replace(binding.entry, default=False))
    assert str(why_not_ready(further, mpich)).endswith("in the stack: polympi stack add mpich --binding y")
    other = msgspec.structs.replace(mpich, name="elsewhere", family="openmpi")
    assert why_not_ready(binding, other) == "it runs on mpich only"
    with pytest.raises(BuildError, match="cannot be built"):
        build(binding, mpich)


def test_the_shared_harness_offers_its_interface_and_nothing_else(mpich: Stack) -> None:
    reported = subprocess.run(
        ["nm", "-D", "--defined-only", str(start_library(mpich))], capture_output=True, text=True, check=True
    ).stdout
    names = {line.split()[-1] for line in reported.splitlines()}
    assert {"polympi_run", "polympi_plan_read", "polympi_clock", "common_start_agree"} <= names
    assert all(name.startswith(("polympi_", "common_start_")) for name in names)


def test_a_program_is_built_anew_with_another_harness(
    binding: Binding, mpich: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binding.manifest.build.command = ["cp", "-r", "{harness}", "{output}"]
    first = build(binding, mpich)
    assert (first / build_harness(mpich).name / STATIC).is_file()
    monkeypatch.setattr(harness_module, "_FLAGS", (*harness_module._FLAGS, "-g"))
    assert build(binding, mpich) != first


@pytest.fixture
def compilations(mpich: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A core of one small file, whose compiler notes each time that it is called."""
    monkeypatch.setenv("POLYMPI_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(core_module, "_NATIVE", tmp_path / "native")
    (tmp_path / "native" / "base").mkdir(parents=True)
    (tmp_path / "native" / "base" / "core.h").write_text("first")
    (tmp_path / "native" / "build.py").write_text(
        "import pathlib, sys\n"
        "base, into = pathlib.Path(__file__).parent / 'base' / 'core.h', pathlib.Path(sys.argv[-1])\n"
        "(into / 'core.so').write_text(base.read_text())\n"
        f"open({str(tmp_path / 'compilations')!r}, 'a').write(sys.argv[2] + '\\n')\n"
        "sys.exit('It is broken.' if base.read_text() == 'broken' else 0)\n"
    )
    return tmp_path


def test_bindings_share_a_core_until_it_changes(binding: Binding, mpich: Stack, compilations: Path) -> None:
    binding.manifest.build.command = ["cp", "-r", "{core}", "{output}/first"]
    first = build(binding, mpich)
    binding.manifest.build.command = ["cp", "-r", "{core}", "{output}/second"]
    second = build(binding, mpich)
    assert (first / "first" / "core.so").read_text() == (second / "second" / "core.so").read_text() == "first"
    assert (compilations / "compilations").read_text() == f"{mpich.mpicc}\n"
    (compilations / "native" / "base" / "core.h").write_text("second")
    anew = build(binding, mpich)
    assert (anew / "second" / "core.so").read_text() == "second"
    assert (second / "second" / "core.so").read_text() == "first"
    assert core_folder(msgspec.structs.replace(mpich, library="another")) != core_folder(mpich)


def test_of_a_core_that_does_not_compile_nothing_is_left(binding: Binding, mpich: Stack, compilations: Path) -> None:
    (compilations / "native" / "base" / "core.h").write_text("broken")
    binding.manifest.build.command = ["cp", "-r", "{core}", "{output}"]
    sentence = r"^The core of polympi cannot be built for stack 'mpich': It is broken\.$"
    for _ in range(2):
        with pytest.raises(BuildError, match=sentence):
            build(binding, mpich)
    assert [*(compilations / "home" / "builds" / "mpich").iterdir()] == []
    assert (compilations / "compilations").read_text() == f"{mpich.mpicc}\n" * 2


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["/nowhere/cc"], "'/nowhere/cc': there is no such file or directory."),
        (["sleep", "60"], "'sleep': it did not end within 0 s."),
        (["sh", "-c", "echo no header >&2; exit 1"], "no header Install it."),
    ],
)
def test_a_build_that_fails_says_what_and_why(mpich: Stack, command: list[str], words: str) -> None:
    with pytest.raises(BuildError) as caught:
        run_build(mpich, command, "It", timeout_s=0.5, hint=" Install it.")
    assert str(caught.value) == f"It cannot be built for stack 'mpich': {words}"
