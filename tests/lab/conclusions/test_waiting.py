from built import built_analysis, summary_row

from polympi.lab.conclusions import answers


def _said(*rows):
    return [a.text for a in answers(built_analysis(rows)) if a.topic == "waiting"]


def _row(binding, delta, verdict, **other):
    return summary_row(8, c_ns=800.0, delta=delta, binding=binding, verdict=verdict, **other)


def test_a_library_that_waits_slowly_is_named_with_the_bindings_that_gain_by_it():
    rows = [
        _row("c-spin", -320, "faster"),
        _row("polympi", -270, "faster"),
        _row("mpi4py", 500, "slower"),
        _row("c-again", -10, "faster"),
        _row("polympi-object", -100, "faster", payload="int"),
    ]
    (text,) = _said(*rows)
    assert text == (
        "On mpich, C is faster when it waits in its own loop than in its blocking calls: for a message of 8 B c-spin "
        "takes 0.60 × C. Of the bindings that are faster than C there, polympi takes 1.10 × c-spin."
    )


def test_where_nothing_is_gained_nothing_is_said():
    assert _said(_row("c-spin", 10, "not separated"), _row("polympi", -50, "faster")) == []
    assert _said(_row("polympi", -50, "faster")) == []
    (alone,) = _said(_row("c-spin", -320, "faster"))
    assert alone.endswith("takes 0.60 × C.")
