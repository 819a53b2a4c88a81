from built import built_analysis, launch, summary_row

from polympi.lab.findings import answers
from polympi.lab.findings.threads import threads_sentence


def _analysis(**levels):
    launches = [launch(number, binding=name, threads=level) for number, (name, level) in enumerate(levels.items())]
    return built_analysis([summary_row()], launches=launches)


def test_bindings_at_the_level_of_c_need_no_word():
    assert threads_sentence(_analysis(c="single", mpi4py="single"), "mpich") == ""


def test_another_level_is_said():
    analysis = _analysis(c="single", mpi4py="multiple")
    assert threads_sentence(analysis, "mpich") == (
        "On mpich, mpi4py ran at THREAD_MULTIPLE and C at THREAD_SINGLE, so that its figures contain the price of the "
        "level."
    )
    assert [a.stack for a in answers(analysis) if a.topic == "threads"] == ["mpich"]


def test_an_arm_of_c_at_that_level_is_named():
    analysis = _analysis(c="single", mpi4py="multiple", **{"c-multiple": "multiple"})
    analysis.run.stacks[0].languages |= {"c": "C", "c-again": "C", "c-multiple": "C", "mpi4py": "Python"}
    text = threads_sentence(analysis, "mpich")
    assert text.endswith("the price of the level: c-multiple shows what the level alone costs.")
    assert "c-multiple ran" not in text
