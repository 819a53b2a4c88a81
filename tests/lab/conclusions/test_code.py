import pytest
from built import built_analysis

from polympi.lab.conclusions.code import code
from polympi.lab.records import CodeLines


def lines(hello, timed=100, combinations=10):
    return CodeLines(hello=hello, timed=timed, combinations=combinations)


def counted(**of):
    languages = {"c": "C", "c-spin": "C", "mpi4py": "Python", "go": "Go", "polympi": "Python"}
    return code(built_analysis(bindings=tuple(of), languages=languages, lines=of).run)


def test_c_is_first_then_bindings_by_language_without_the_arms_of_c():
    arms = {"c": lines(11), "c-again": lines(11), "c-spin": lines(11), "mpi4py": lines(3), "go": lines(16)}
    found = counted(**arms, polympi=lines(2))
    assert [(one.language, one.binding) for one in found.programs] == [
        ("C", "c"),
        ("Python", "mpi4py"),
        ("Python", "polympi"),
        ("Go", "go"),
    ]
    assert found.programs[1].lines == lines(3)


@pytest.mark.parametrize(
    ("of", "answer"),
    [
        (
            {"c": lines(11), "polympi": lines(2), "go": lines(16)},
            "The shortest hello has 2 lines: polympi; C takes 11.",
        ),
        ({"c": lines(11), "polympi": lines(3), "mpi4py": lines(3)}, "3 lines: polympi and mpi4py; C takes 11."),
        ({"c": lines(11), "go": lines(16)}, "The shortest hello has 11 lines: C."),
        ({"mpi4py": lines(3), "go": lines(16)}, "The shortest hello has 3 lines: mpi4py."),
        ({"c": lines(11), "go": lines(0)}, "The shortest hello has 11 lines: C."),
        ({"c": lines(0), "go": lines(0)}, ""),
    ],
)
def test_the_sentence_names_all_that_are_shortest(of, answer):
    found = counted(**of).answer
    assert found.endswith(answer)
    assert bool(found) == bool(answer)


def test_runs_that_counted_nothing_to_compare_say_nothing():
    assert counted() is None
    assert counted(c=lines(11), **{"c-spin": lines(11)}) is None
