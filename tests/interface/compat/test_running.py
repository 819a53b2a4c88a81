"""`python -m polympi --as pypar script.py` and `--check`: scripts run as Python runs them, and learn what differs."""

import json
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import pytest

from polympi.compat import aliases, check, command, missing, python2
from polympi.compat.choice import choose
from polympi.compat.facades import FACADES, Facade
from polympi.compat.script import ScriptError, read
from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.any_library


def written(folder: Path, text: str) -> str:
    """The path of a script with this text."""
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text))
    return str(path)


# ---- on ranks ----


def test_a_script_runs_as_python_runs_it(run_as, stack: Stack, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("VALUE = 7\n")
    script = written(
        tmp_path,
        """
        import os, pickle, sys
        import pypar, beside
        import polympi.compat.pypar

        class Thing:  # found in __main__ when it is unpickled
            pass

        assert pypar is polympi.compat.pypar is sys.modules["pypar"]
        assert __name__ == "__main__" and __file__ == sys.argv[0]
        assert sys.path[0] == os.path.dirname(os.path.realpath(__file__)) and beside.VALUE == 7
        pypar.send(Thing(), pypar.size() - 1 - pypar.rank())
        got = pypar.receive(pypar.any_source)
        assert type(got) is Thing and type(pickle.loads(pickle.dumps(got))) is Thing
        if pypar.rank() == 0:
            print(sys.argv[1:])
        """,
    )
    given = ["--check", "-x", "--as", "other", "--", "a b"]
    ended = run_as(["--as=pypar", script, *given], 2, stack)
    assert ended.succeeded().splitlines()[1:] == [str(given)]
    assert ended.stderr == ""


SHOWN = """
import json, os, sys, pypar
first = sys.path[0]
os.chdir("/")
if pypar.rank() == 0:
    names = ("__name__", "__file__", "__package__", "__doc__", "__cached__")
    seen = {name: globals().get(name, "not there") for name in names}
    seen |= {"argv": sys.argv, "path": first, "spec": __spec__ and __spec__.name, "loader": type(__loader__).__name__}
    seen["code"] = (lambda: 0).__code__.co_filename
    seen["readable"] = "__file__" in globals() and os.path.exists(__file__)
    print(json.dumps(seen))
pypar.barrier()
"""


@pytest.mark.parametrize("form", ["script", "module", "package", "code"])
def test_a_program_finds_itself_as_with_python(run, mpich: Stack, tmp_path: Path, form: str) -> None:
    """It sees what it sees with Python itself, where another module `pypar` is installed."""
    package, old = tmp_path / "tools", tmp_path / "old"
    package.mkdir()
    old.mkdir()
    (old / "pypar.py").write_text("def rank(): return 0\ndef barrier(): pass\n")
    (tmp_path / "script.py").write_text(SHOWN)
    for name, text in (("__init__", ""), ("part", "VALUE = 1\n"), ("__main__", SHOWN), ("inner", SHOWN)):
        imported = "from . import part\nfrom .part import VALUE\n" if text is SHOWN else ""
        (package / f"{name}.py").write_text(imported + text)
    chosen = {
        "script": ["script.py"],
        "module": ["-m", "tools.inner"],
        "package": ["-m", "tools"],
        "code": ["-c", SHOWN],
    }[form]
    start = f"""
import os, subprocess, sys
os.chdir({str(tmp_path)!r})
python = [sys.executable, *sys.argv[1:]]
sys.exit(subprocess.run(python, stdin=subprocess.DEVNULL).returncode)
"""
    given = [*chosen, "-m", "-c", "--as", "a b"]
    there = run(start, None, mpich, arguments=given, env={"PYTHONPATH": str(old)}).succeeded()
    here = run(start, None, mpich, arguments=["-m", "polympi", "--as", "pypar", *given]).succeeded()
    seen = json.loads(here.splitlines()[-1])  # after the line of Pypar
    assert seen == json.loads(there)
    assert seen["readable"] is (form != "code")


def test_a_module_runs_on_all_ranks(run_as, openmpi: Stack) -> None:
    ended = run_as(["--as", "mpi4py", "-m", "mpi4py.bench", "helloworld"], 2, openmpi)
    assert ended.succeeded().count("Hello, World! I am process") == 2
    ended = run_as(["--as", "mpi4py", "-c", "from mpi4py import MPI; print(MPI.COMM_WORLD.allreduce(1))"], 2, openmpi)
    assert ended.succeeded().split() == ["2", "2"]


def test_auto_says_what_it_has_chosen_once(run_as, mpich: Stack, tmp_path: Path) -> None:
    script = written(tmp_path, "import pypar\npypar.barrier()\n")
    ended = run_as(["--as", "auto", script], 2, mpich)
    assert ended.succeeded()
    assert ended.stderr == f"polympi: {script} runs as one for pypar (Pypar 2.1.4): it imports pypar\n"


# ---- without MPI: nothing is run, or the command is wrong ----


PYTHON_2 = "script.py is a script of Python 2: "
MODULES = "imports none of the modules that polympi stands in for: "


@pytest.mark.parametrize(
    ("arguments", "text", "said"),
    [
        (["--as", "pypar", "-m", "no_such_module"], None, "there is no module no_such_module, or it is a package"),
        (["--as", "pypar", "-m", "none.inner"], None, "there is no module none.inner: No module named 'none'."),
        (["--as", "pypar", "-m", "json.decoder.x"], None, "there is no module json.decoder.x: "),
        (["--as", "pypar", "-m", "xml"], None, "there is no module xml, or it is a package without __main__."),
        (["--as", "pypar", "-m", "sys"], None, "the module sys has no source: it cannot be run."),
        (["--as", "pypar", "-c", "def f(:"], None, "-c isn't a Python script: line 1: "),
        (["--as", "nosuch"], "import pypar", "there is no facade nosuch, but "),
        (["--as", "auto"], "import os", f"script.py {MODULES}"),
        (["--as", "pypar"], "print 'a'", f"{PYTHON_2}line 1 has a print statement. 2to3 -w -n "),
        (["--check"], "if 1:\n        a = 1\n\tb = 2", f"{PYTHON_2}line 3 mixes tabs and spaces"),
        (["--as", "pypar"], "def f(:", "script.py isn't a Python script: line 1: "),
        (["--as", "pypar"], "a = '\0'", "script.py isn't a Python script: "),
        (["--as", "pypar"], "# coding: klingon", "script.py cannot be read: unknown encoding"),
        (["--as", "pypar", "none/script.py"], None, "script.py cannot be read: No such file or directory."),
    ],
)
def test_what_cannot_be_run_is_reported_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], text: str | None, said: str
) -> None:
    program = [] if text is None else [written(tmp_path, text)]
    assert command.main([*arguments, *program]) == 2
    reported = capsys.readouterr()
    assert reported.out == ""
    assert reported.err.startswith("python -m polympi: ")
    assert said in reported.err
    assert reported.err.count("\n") == 1
    assert reported.err.endswith(".\n")


def test_only_the_first_rank_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMI_RANK", "1")
    assert command.main(["--as", "pypar", str(tmp_path / "none.py")]) == 2
    assert capsys.readouterr() == ("", "")


def test_the_command_line_is_that_of_a_script_or_of_the_laboratory() -> None:
    assert command.wanted(["--as", "pypar", "x.py"])
    assert command.wanted(["--as=pypar", "x.py"])
    assert command.wanted(["--check", "x.py"])
    assert not command.wanted(["run", "--check"])
    assert not command.wanted([])
    with pytest.raises(SystemExit) as ended:
        command.main(["--as", "pypar"])
    assert ended.value.code == 2


def test_check_lists_what_a_script_uses_and_what_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(
        tmp_path,
        """
        import cPickle
        import pypar
        from pypar import size as count, MAXLOC

        for i in xrange(count()):
            pypar.barrier()
        pypar.abort(); pypar.barrier(); pypar.invented()
        {}.has_key(1)
        """,
    )
    assert command.main(["--check", script]) == 0
    lines = capsys.readouterr().out.splitlines()
    differences = FACADES["pypar"].differences()
    mended = python2.advice(script, "xrange")
    assert lines[0] == f"{script} is written for Pypar 2.1.4: --as pypar"
    assert f"  abort (line 8): {differences['abort']}" in lines
    assert not any(name in line for line in lines for name in ("  barrier", "  size"))
    assert "  All other names that it uses are as before." in lines
    assert f"  MAXLOC (line 4): is not there. {differences['MAXLOC']}" in lines
    assert "  invented (line 8): is not there." in lines
    assert f"  line 6: the name xrange is of Python 2. {mended}." in lines
    assert sum("of Python 2" in line for line in lines) == 3
    assert len(lines) == 8


def test_check_lists_what_no_fixer_mends(tmp_path: Path) -> None:
    text = """
    import string, pypar
    from string import atoi, ascii_letters
    import numpy
    half = pypar.size() / 2
    last = max(half, 3) - 1
    part, mean, fine = len('a') / 2, half / 2.0, pypar.size() // 2
    for i in range(1, last):
        string.join(['a'], string.letters[atoi('1') / 3])
    for i in range(int(half / 4)): pass
    a = numpy.zeros((4, pypar.size() / 2)).reshape(2, part)
    a[:half, fine:] = mean
    half /= 2
    b = [0] * (pypar.size() / 4)
    string.digits.split(str(mean / 7), ascii_letters)
    """
    script = read(written(tmp_path, text))
    reported = [f"line {idiom.line}: {idiom.what}: {idiom.remedy}" for idiom in check.idioms(script)]
    assert [line for line in reported if "division" not in line] == [
        "line 3: string.atoi: write int(text)",
        "line 9: string.atoi: write int(text)",
        "line 9: string.join: write separator.join(words)",
        "line 9: string.letters: write string.ascii_letters",
    ]
    assert {line.partition(": write")[0] for line in reported if "division" in line} == {
        "line 5: the division that reaches a range in line 8",
        "line 5: the division that reaches a slice in line 12",
        "line 7: the division that reaches a shape in line 11",
        "line 9: the division that reaches an index",
        "line 11: the division that reaches a shape",
        "line 13: the division that reaches a range in line 8",
        "line 13: the division that reaches a slice in line 12",
        "line 14: the division that reaches a length",
    }
    line = "  line 14: the division that reaches a length is of Python 2. No fixer of 2to3 mends it: "
    assert line + "write //, which rounds as before." in check.report(script, FACADES["pypar"])
    modern = read(written(tmp_path, "from __future__ import division\nfor i in range(4 / 2): pass\n"))
    assert check.idioms(modern) == []


def test_check_lists_all_that_python_3_does_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(
        tmp_path,
        """
        '''print 'a docstring'
        print "of `several` lines"
        '''
        import pypar
        # print 'a comment'
        print "rank", pypar.rank(), "<>", 10L
        print >>log, 'it\\'s', 0777
        try:
            raise KeyError, "a"  # print 1
        except KeyError, error:
            print
        if pypar.rank() <> 0: exec "a = 1"
        print ("new")
        """,
    )
    assert command.main(["--check", script]) == 2
    reported = capsys.readouterr()
    assert reported.err.startswith(
        f"python -m polympi: {script} is a script of Python 2: line 7 has a print statement."
    )
    assert reported.out.splitlines() == [
        f"{script} has the following. After that is fixed, --check reports which calls it uses:",
        "  a print statement (lines 7, 8, 12): 2to3 -f print",
        "  a long number with an L (line 7): 2to3 -f numliterals",
        "  an octal number with a leading 0 (line 8): 2to3 -f numliterals",
        "  raise with a comma (line 10): 2to3 -f raise",
        "  except with a comma (line 11): 2to3 -f except",
        "  the operator <> (line 13): 2to3 -f ne",
    ]


def test_names_after_a_star_are_those_of_the_module(tmp_path: Path) -> None:
    script = read(written(tmp_path, "from pypar import *\nx = rank() + len('a')\n"))
    assert check.report(script, FACADES["pypar"])[1:] == ["  All names that it uses are as before."]
    unused = read(written(tmp_path, "import pypar\n"))
    assert check.report(unused, FACADES["pypar"])[1:] == ["  It uses no name of the module."]


def test_of_modules_with_one_name_the_one_is_chosen_whose_names_are_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "lone.py").write_text("send = one = None\nDIFFERENCES = {}\n")
    (tmp_path / "lane.py").write_text("send = other = None\nDIFFERENCES = {}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        "polympi.compat.choice.FACADES",
        {name: Facade(name, f"{name} 1", {"mpi": name}) for name in ("lone", "lane")},
    )
    facade, why = choose("auto", read(written(tmp_path, "import mpi\nmpi.send(mpi.other)\n")))
    assert (facade.name, why) == ("lane", "it imports mpi and uses more names of it than of lone")
    with pytest.raises(ScriptError, match=r"script\.py may be written for lone and lane: say which with --as\."):
        choose("auto", read(written(tmp_path, "from mpi import send\n")))


def test_an_alias_is_the_module_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "target"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text("import target\nVALUE = [1]\n")
    (tmp_path / "old.py").write_text("raise AssertionError('an installed module of the name is not what is meant')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setitem(sys.modules, "old", ModuleType("old"))
    aliases.install({"old.part": "target.inner", "old": "target"})
    namespace: dict[str, object] = {}
    exec("import old.part, target.inner\nfrom old import part\nfrom old.part import VALUE", namespace)
    assert namespace["old"] is sys.modules["target"]
    assert namespace["part"] is sys.modules["target.inner"]
    assert namespace["VALUE"] is sys.modules["old.part"].VALUE


@pytest.mark.parametrize("facade", FACADES.values(), ids=lambda facade: facade.name)
def test_each_facade_tells_its_names_without_being_imported(facade: Facade) -> None:
    before = set(sys.modules)
    assert facade.names()
    assert facade.differences()
    assert facade.module not in set(sys.modules) - before


def test_a_name_that_the_original_had_says_what_to_do_instead() -> None:
    lacking = missing.refusing("polympi.compat.mympi", "MYMPI", FACADES["mympi"].differences())
    with pytest.raises(
        AttributeError, match=r"^par_slu of MYMPI is not in polympi\.compat\.mympi\. .*scipy"
    ) as reported:
        lacking("par_slu")
    assert reported.value.name == "par_slu"
    with pytest.raises(AttributeError, match=r"^module 'polympi\.compat\.mympi' has no attribute 'invented'$"):
        lacking("invented")


@pytest.mark.parametrize("name", ["pypar", "mympi", "scientific"])
def test_all_names_that_a_facade_lacks_do(run_in_job, mpich: Stack, name: str) -> None:
    run_in_job(
        f"""
from importlib import import_module
from polympi.compat.facades import FACADES
facade = FACADES[{name!r}]
module = import_module(facade.module)
gone = set(facade.differences()) - facade.names()
assert gone
for name in gone:
    try:
        getattr(module, name)
    except AttributeError as error:
        assert str(error).endswith(facade.differences()[name]), error
    else:
        raise AssertionError(name)
""",
        2,
        mpich,
    )
