"""Lines of code: what counts as one in each language, and which files a manifest means."""

import msgspec
import pytest
from pygments.lexers import get_lexer_for_filename

from polympi.lab.arms import AGAIN
from polympi.lab.bindings.lines import code_lines, functions, lines_of_code, solver
from polympi.lab.bindings.manifest import Hello, load_bindings
from polympi.lab.catalogue import MEASURED
from polympi.lab.errors import UsageError

SHIPPED = {name: binding for name, binding in load_bindings().items() if name != AGAIN}

# A source with its number of lines of code; all others are blank, comments, or what documents.
SOURCES = [
    ("a.c", '#include <mpi.h>\n\n/* one\n   two */\nint f(void) {\n    return 1; // why\n}\n', 4),
    ("a.c", 'const char *text = "/* no comment */";\n', 1),
    ("a.h", "#pragma once\n// nothing\n", 1),
    ("a.cpp", "// nothing\nauto text = R\"(one\n\ntwo)\";\n", 2),
    ("a.hpp", "/** what it is */\nstruct A {};\n", 1),
    ("a.py", '"""What it\nis."""\n\n\ndef f():\n    """What it does."""\n    # why\n    return """one\ntwo"""\n', 3),
    ("a.cs", "/// <summary>what it is</summary>\nclass A\n{\n}\n", 3),
    ("a.f90", "! what it is\nprogram a\n    integer :: i ! why\nend program a\n", 3),
    ("a.F90", "#include <x.inc>\n! what it is\nend\n", 2),
    ("a.go", "// Package a is.\npackage a\n\n/*\nboth\n*/\n", 1),
    ("A.java", "/** What\n * it is. */\nclass A {}\n", 1),
    ("a.R", "# what it is\nf <- function(x) {\n  x # why\n}\n", 3),
    ("a.rs", "//! What it is.\n/// what it does\nfn f() {}\n", 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "lines"), SOURCES)
def test_comments_and_blank_lines_do_not_count(name: str, text: str, lines: int) -> None:
    lexer = get_lexer_for_filename(name, stripnl=False)
    assert lines_of_code(text, lexer) == lines
    assert lines_of_code("\n\n" + text + "\n", lexer) == lines  # wherever it begins


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_binding_names_what_is_counted(name: str) -> None:
    lines = code_lines(SHIPPED[name])
    assert lines is not None
    assert 2 <= lines.hello < 20
    assert lines.timed > 50 or lines.applications
    assert lines.combinations <= sum(len(b.combinations) for b in MEASURED if not b.application)
    assert (lines.timed > 0) == (lines.combinations > 0)


@pytest.mark.parametrize("name", SHIPPED)
def test_each_application_that_is_covered_is_counted(name: str) -> None:
    lines, binding = code_lines(SHIPPED[name]), SHIPPED[name]
    assert lines is not None
    covered = {b.name for b in MEASURED if b.application and binding.covered(b)}
    assert set(lines.applications) == (set() if name == "c-multiple" else covered)  # which is C, run in another way
    assert all(20 < number < 500 for number in lines.applications.values())


def test_what_communicates_is_found_by_its_name() -> None:
    python = """class A:
    def one(self):
        return 1

    def two(self):
        return 2

def three():
    pass
"""
    assert (
        functions(python, ["two", "three"], ".py") == "def three():\n    pass\n    def two(self):\n        return 2\n"
    )
    used = "int used(int a) {\n    if (a) {\n    }\n    return a;\n}\n"
    c = f"int used(int a);\n\nstatic int one(int a) {{\n    return used(a);\n}}\n\n{used}"
    assert functions(c, ["used"], ".c") == used


@pytest.mark.parametrize("name", [name for name, binding in SHIPPED.items() if binding.entry.communication])
def test_what_communicates_is_a_part_of_the_solver(name: str) -> None:
    lines = code_lines(SHIPPED[name])
    assert lines is not None
    assert set(lines.communication) == {"wave", "poisson-cg"}
    for application, number in lines.communication.items():
        assert 1 < number < min(lines.applications[application], 60)


def test_what_an_application_takes_to_run_alone_does_not_count() -> None:
    text = """import sys


class Wave:
    def advance(self):
        pass


class NumbaKernel:
    pass


@decorated
def main():
    return 0


if __name__ == "__main__":
    sys.exit(main())
"""
    lexer = get_lexer_for_filename("wave.py", stripnl=False)
    assert lines_of_code(text, lexer) == 11
    assert lines_of_code(solver(text), lexer) == 6
    assert lines_of_code(solver(text, ["NumbaKernel"]), lexer) == 4


@pytest.mark.parametrize("name", SHIPPED)
def test_the_timed_part_is_built_into_the_program(name: str) -> None:
    binding = SHIPPED[name]
    if binding.manifest.build.command and binding.language in ("C", "C++"):
        built = " ".join(binding.manifest.build.command)
        units = {path for pattern in binding.timed for path in binding.folder.glob(pattern) if path.suffix != ".h"}
        assert all(path.name in built for path in units if path.suffix in (".c", ".cpp"))


def test_a_binding_that_names_nothing_is_not_counted() -> None:
    binding = SHIPPED["c-pack"]
    bare = msgspec.structs.replace(binding.manifest, hello=None, build=msgspec.structs.replace(binding.manifest.build))
    bare.build.timed = []
    assert code_lines(msgspec.structs.replace(binding, manifest=bare)) is None
    bare.build.timed = ["ring.c"]
    alone = code_lines(msgspec.structs.replace(binding, manifest=bare))
    assert alone is not None
    assert (alone.hello, alone.timed > 10) == (0, True)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("helo.c", r"in the field 'hello\.source', no file in '.*/c' is meant by 'helo\.c'"),
        ("manifest.tml", "no file in"),
        ("{bindings}/../LICENSE", "the lines of 'LICENSE' cannot be counted, since Pygments knows no language"),
    ],
)
def test_a_mistake_names_the_file_and_the_field(source: str, sentence: str) -> None:
    binding = SHIPPED["c"]
    wrong = msgspec.structs.replace(binding.manifest, hello=Hello(source=source, run=[]))
    with pytest.raises(UsageError, match=rf"c/manifest\.toml' cannot be used: .*{sentence}"):
        code_lines(msgspec.structs.replace(binding, manifest=wrong))
