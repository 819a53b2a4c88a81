"""Thread levels, waiting and long tails."""

from built import built_analysis, launch, summary_row

from polympi.lab.conclusions import answers
from polympi.lab.conclusions.caveats import thread_levels, threads_sentence
from polympi.lab.conclusions.rows import rows_of
from polympi.lab.report.cells import cell


def levels_of(**levels):
    launches = [launch(number, binding=name, threads=level) for number, (name, level) in enumerate(levels.items())]
    return built_analysis([summary_row()], launches=launches)


def test_bindings_at_the_level_of_c_need_no_word():
    assert threads_sentence(levels_of(c="single", mpi4py="single"), "mpich") == ""


def test_another_level_is_said():
    analysis = levels_of(c="single", mpi4py="multiple")
    assert threads_sentence(analysis, "mpich") == (
        "On mpich, mpi4py ran at THREAD_MULTIPLE and C at THREAD_SINGLE, so that its figures contain the cost of the "
        "level."
    )
    assert [a.stack for a in answers(analysis) if a.topic == "threads"] == ["mpich"]


def test_an_arm_of_c_at_that_level_is_named():
    analysis = levels_of(c="single", mpi4py="multiple", **{"c-multiple": "multiple", "c-spin": "multiple"})
    text = threads_sentence(analysis, "mpich")
    assert text.startswith("On mpich, mpi4py and c-spin ran at THREAD_MULTIPLE and C at THREAD_SINGLE")
    assert text.endswith("the cost of the level: c-multiple shows what the level alone costs.")


def test_each_level_is_said_apart():
    analysis = levels_of(c="single", mpi4py="multiple", polympi="serialized", **{"c-multiple": "multiple"})
    text = threads_sentence(analysis, "mpich")
    assert "mpi4py ran at THREAD_MULTIPLE" in text
    assert "polympi ran at THREAD_SERIALIZED" in text
    assert text.count("c-multiple") == 1


def test_the_level_of_every_arm_is_known():
    analysis = levels_of(c="single", mpi4py="multiple", polympi="serialized")
    assert thread_levels(analysis, "mpich") == {"c": "single", "mpi4py": "multiple", "polympi": "serialized"}
    assert thread_levels(analysis, "openmpi") == {}


def waiting(*rows):
    return [a.text for a in answers(built_analysis(rows)) if a.topic == "waiting"]


def small(binding, delta, verdict, **other):
    return summary_row(8, c_ns=800.0, delta=delta, binding=binding, verdict=verdict, **other)


def test_a_library_that_waits_slowly_is_named_with_the_bindings_that_gain_by_it():
    rows = [
        small("c-spin", -320, "faster"),
        small("polympi", -270, "faster"),
        small("mpi4py", 500, "slower"),
        small("c-again", -10, "faster"),
        small("polympi-object", -100, "faster", payload="int"),
    ]
    (text,) = waiting(*rows)
    assert text == (
        "On mpich, C is faster when it waits in its own loop than in its blocking calls: for a message of 8 B c-spin "
        "takes 0.60 × C. Of the bindings that are faster than C there, polympi takes 1.10 × c-spin."
    )


def test_where_nothing_is_gained_nothing_is_said():
    assert waiting(small("c-spin", 10, "not separated"), small("polympi", -50, "faster")) == []
    assert waiting(small("polympi", -50, "faster")) == []
    (alone,) = waiting(small("c-spin", -320, "faster"))
    assert alone.endswith("takes 0.60 × C.")


def array(binding, delta, p50_ns):
    return summary_row(65536, c_ns=3000.0, delta=delta, binding=binding, payload="array") | {"p50_ns": p50_ns}


def test_a_row_whose_typical_operation_takes_far_less_says_so():
    analysis = built_analysis([array("java", 97_000, 17_900.0), array("mpi4py", 2_000, 4_000.0)])
    (text,) = [one.text for one in answers(analysis) if one.topic == "tails"]
    assert text == (
        "On mpich a few long operations make up much of the time in 1 of 2 rows: java takes 100 µs on average and "
        "17.9 µs typically (p50; latency, array at 64 KiB). What that row says of C is not what a typical operation "
        "costs."
    )
    typical = {row.binding: cell(row).typical for row in rows_of(analysis)}
    assert typical == {"java": "p50 17.9 µs", "mpi4py": ""}


def test_a_median_below_that_of_single_operations_is_no_tail():
    analysis = built_analysis([array("mpi4py", 2_000, 40_000.0), array("java", 2_000, None)])
    assert not [one for one in answers(analysis) if one.topic == "tails"]
