from built import built_analysis, launch, summary_row

from polympi.lab.conclusions import answers
from polympi.lab.conclusions.threads import thread_levels, threads_sentence


def _analysis(**levels):
    launches = [launch(number, binding=name, threads=level) for number, (name, level) in enumerate(levels.items())]
    return built_analysis([summary_row()], launches=launches)


def test_bindings_at_the_level_of_c_need_no_word():
    assert threads_sentence(_analysis(c="single", mpi4py="single"), "mpich") == ""


def test_another_level_is_said():
    analysis = _analysis(c="single", mpi4py="multiple")
    assert threads_sentence(analysis, "mpich") == (
        "On mpich, mpi4py ran at THREAD_MULTIPLE and C at THREAD_SINGLE, so that its figures contain the cost of the "
        "level."
    )
    assert [a.stack for a in answers(analysis) if a.topic == "threads"] == ["mpich"]


def test_an_arm_of_c_at_that_level_is_named():
    analysis = _analysis(c="single", mpi4py="multiple", **{"c-multiple": "multiple", "c-spin": "multiple"})
    text = threads_sentence(analysis, "mpich")
    assert text.startswith("On mpich, mpi4py and c-spin ran at THREAD_MULTIPLE and C at THREAD_SINGLE")
    assert text.endswith("the cost of the level: c-multiple shows what the level alone costs.")


def test_each_level_is_said_apart():
    analysis = _analysis(c="single", mpi4py="multiple", polympi="serialized", **{"c-multiple": "multiple"})
    text = threads_sentence(analysis, "mpich")
    assert "mpi4py ran at THREAD_MULTIPLE" in text
    assert "polympi ran at THREAD_SERIALIZED" in text
    assert text.count("c-multiple") == 1


def test_the_level_of_every_arm_is_known():
    analysis = _analysis(c="single", mpi4py="multiple", polympi="serialized")
    assert thread_levels(analysis, "mpich") == {"c": "single", "mpi4py": "multiple", "polympi": "serialized"}
    assert thread_levels(analysis, "openmpi") == {}
