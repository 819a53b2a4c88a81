import pytest
from built import built_analysis, summary_row

from polympi.lab.conclusions import answers, labels
from polympi.lab.conclusions.answers import startup_answer
from polympi.lab.conclusions.rows import rows_of

FULL = [0, 8, 64, 1024, 8192, 65536, 2**20, 2**22]


def say(rows, topic, binding="mpi4py", **options):
    found = [a.text for a in answers(built_analysis(rows, **options)) if a.topic == topic and a.binding == binding]
    return found[0] if found else ""


def test_small_messages_then_not_separated():
    rows = [summary_row(s) for s in FULL[:5]]
    rows += [summary_row(s, c_ns=10_000, delta=90, verdict="not separated") for s in FULL[5:]]
    assert say(rows, "latency") == (
        "On mpich, mpi4py adds 520 ns to a message of up to 1 KiB (median over 4 sizes; 1.65 × C at 8 B); "
        "from 64 KiB on it is not separated from C."
    )


def test_a_cost_that_never_ends_is_quoted_at_the_largest_size():
    rows = [summary_row(s) for s in FULL[:4]] + [summary_row(2**22, c_ns=350_000, delta=1_470_000)]
    assert "; at 4 MiB it takes 5.20 × C (+1.47 ms)." in say(rows, "latency")


def test_one_size_is_singular():
    assert say([summary_row(8)], "latency") == "On mpich, mpi4py adds 520 ns to a message of 8 B (1.65 × C at 8 B)."


def test_faster_than_c_is_said():
    rows = [summary_row(s, delta=-40, verdict="faster") for s in FULL[:4]]
    assert "mpi4py takes 40.0 ns off a message of up to 1 KiB" in say(rows, "latency")


def test_faster_at_a_middle_size_is_said():
    rows = [summary_row(s) for s in FULL[:4]]
    rows += [summary_row(8192, c_ns=2000, delta=-200, verdict="faster"), summary_row(65536, c_ns=9000)]
    assert "it is faster than C at 8 KiB (0.90 × C)" in say(rows, "latency")


def test_mixed_small_sizes_are_counted():
    verdicts = ["slower", "not separated", "slower", "faster"]
    deltas = [40, 3, 60, -30]
    rows = [summary_row(s, delta=d, verdict=v) for s, d, v in zip(FULL[:4], deltas, verdicts, strict=True)]
    said = say(rows, "latency")
    assert "is slower than C at 2 (by 50.0 ns) and faster at 1 (by 30.0 ns) of the 4 sizes from 0 B to 1 KiB" in said


def test_only_a_middle_size_is_separated():
    rows = [summary_row(s, delta=2, verdict="not separated") for s in FULL[:4]]
    rows += [summary_row(8192, c_ns=2000, delta=400)]
    rows += [summary_row(s, c_ns=9000, delta=5, verdict="not separated") for s in FULL[5:]]
    assert say(rows, "latency") == (
        "On mpich, mpi4py is not separated from C at any of the 4 sizes from 0 B to 1 KiB; "
        "it is slower than C at 8 KiB (1.20 × C); from 64 KiB on it is not separated from C."
    )


def test_payloads_that_cost_the_same_are_said_together():
    rows = [summary_row(s) for s in FULL[:4]]
    rows += [summary_row(s, verdict="not separated", payload=p) for s, p in ((8, "int"), (24, "dict"))]
    assert "For an integer object and a small dict it is not separated from C." in say(rows, "latency")


def test_nothing_separated():
    rows = [summary_row(s, delta=2, verdict="not separated") for s in FULL]
    assert say(rows, "latency") == ("On mpich, mpi4py is not separated from C at any of the 8 sizes from 0 B to 4 MiB.")


def test_ambiguous_rows_are_no_verdict():
    rows = [summary_row(s, delta=9, verdict="ambiguous" if s == 8 else "not separated") for s in FULL]
    assert "from 0 B to 4 MiB (1 of them ambiguous)" in say(rows, "latency")


def test_too_few_launches_give_no_claim():
    rows = [summary_row(s, verdict="too few launches", launches=3, ratio_low=None, ratio_high=None) for s in FULL]
    assert "cannot be judged: 3 launches where an interval needs six" in say(rows, "latency")


def test_objects_and_modes_follow_the_main_payload():
    rows = [summary_row(s) for s in FULL[:4]]
    rows += [summary_row(8, delta=1400, payload="int"), summary_row(24, delta=2000, payload="dict")]
    rows += [summary_row(8, delta=510, mode="synchronous"), summary_row(8, delta=530, mode="ready")]
    said = say(rows, "latency")
    assert "For an integer object it adds 1.40 µs and for a small dict it adds 2.00 µs." in said
    assert said.endswith("In the 2 other modes at 8 B the difference is +510 ns to +530 ns.")


def test_faces_are_told_by_how_they_lie():
    def face(mode, size=135200, **other):
        return summary_row(size, c_ns=100_000, benchmark="faces", payload="float64", mode=mode, **other)

    rows = [face("elements", delta=-40_000, verdict="faster"), face("rows", delta=20_000)]
    assert say([*rows, face("rows", 9248, delta=1)], "faces") == (
        "With mpi4py a face of 135200 B takes 1.20 × C in rows (+20.0 µs) and 0.60 × C as single elements (−40.0 µs)."
    )
    assert say([*rows, face("contiguous", delta=1, verdict="not separated")], "faces").endswith(
        "; it is not separated from C where it is contiguous."
    )
    assert say([summary_row(8)], "faces") == ""


def test_bandwidth_is_a_share_of_c():
    rows = [summary_row(s, c_ns=1000, delta=1000, benchmark="bandwidth") for s in (8, 1024)]
    rows += [summary_row(2**22, c_ns=350_000, delta=10, verdict="not separated", benchmark="bandwidth")]
    assert say(rows, "bandwidth") == (
        "In bandwidth mpi4py reaches 50 % at 8 B and 50 % at 1 KiB of C's bandwidth; "
        "at 4 MiB it is not separated from C (12.0 GB/s at 4 MiB)."
    )


def test_collectives_name_the_cheapest_and_the_dearest():
    rows = [summary_row(8, delta=500, benchmark="bcast"), summary_row(8, delta=900, benchmark="allreduce")]
    rows += [summary_row(0, delta=2, verdict="not separated", benchmark="barrier", payload="none")]
    said = say(rows, "collectives")
    assert said.startswith("mpi4py adds 500 ns (bcast) to 900 ns (allreduce) to a collective call on 2 ranks")
    assert "barrier is not separated from C there" in said


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ("S-S", "reaches 50 % at 8 B and 50 % at 1 KiB of C's bandwidth (2 of 3 sizes separated; 512 MB/s at 1 KiB)."),
        ("--S", "reaches 50 % at 1 KiB of C's bandwidth (1 of 3 sizes separated; 512 MB/s at 1 KiB)."),
        (
            "S-S-",
            "reaches 50 % at 8 B and 50 % at 1 KiB of C's bandwidth (2 of 3 sizes up to 1 KiB separated); "
            "at 8 KiB it is not separated from C (8.16 GB/s at 8 KiB).",
        ),
    ],
)
def test_bandwidth_says_how_many_sizes_are_separated(verdicts, expected):
    rows = [
        summary_row(s, c_ns=1000, delta=1000, benchmark="bandwidth")
        if v == "S"
        else summary_row(s, c_ns=1000, delta=4, verdict="not separated", benchmark="bandwidth")
        for s, v in zip(FULL[1:], verdicts, strict=False)
    ]
    assert say(rows, "bandwidth") == f"In bandwidth mpi4py {expected}"


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        (
            "SSSS--S",
            "(median over 4 sizes; 1.65 × C at 8 B); at 1 MiB it takes 1.65 × C (+520 ns; 5 of 7 sizes separated).",
        ),
        (
            "SSSS-S-",
            "(median over 4 sizes; 1.65 × C at 8 B; 5 of 6 sizes up to 64 KiB separated); "
            "at 1 MiB it is not separated from C.",
        ),
        ("SSS-SSS", "at 3 (by 520 ns) of the 4 sizes from 0 B to 1 KiB; at 1 MiB it takes 1.65 × C (+520 ns)."),
    ],
)
def test_latency_says_how_many_sizes_are_separated(verdicts, expected):
    rows = [
        summary_row(s, verdict="slower" if v == "S" else "not separated") for s, v in zip(FULL, verdicts, strict=False)
    ]
    assert say(rows, "latency").endswith(expected)


def test_collectives_name_an_unusual_payload():
    rows = [summary_row(8, delta=500, benchmark="reduce", payload="float64")]
    rows += [summary_row(8, delta=900, benchmark="allreduce", payload="array")]
    rows += [summary_row(8, delta=2, verdict="not separated", benchmark="bcast", payload="dict")]
    said = say(rows, "collectives")
    assert "500 ns (reduce) to 900 ns (allreduce of an array)" in said
    assert "bcast of a small dict is not separated from C there" in said


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ("SFS-", "from 64 KiB on 2 of 4 rows are slower and 1 faster than C."),
        ("--F-", "from 64 KiB on 1 of 4 rows is faster than C."),
        ("----", "from 64 KiB on none of 4 rows is separated from C."),
        ("F", "at 64 KiB it is faster than C."),
        ("-", "at 64 KiB it is not separated from C."),
    ],
)
def test_large_collectives_say_slower_and_faster(verdicts, expected):
    words = {"S": "slower", "F": "faster", "-": "not separated"}
    rows = [summary_row(8, benchmark="bcast")]
    for i, v in enumerate(verdicts):
        delta = -500 if v == "F" else 500
        rows.append(summary_row(65536 << i, c_ns=9000, delta=delta, verdict=words[v], benchmark="bcast"))
    assert say(rows, "collectives").endswith(f"; {expected}")


@pytest.mark.parametrize(("sizes", "where"), [(FULL[1:6:4], "8 B and 64 KiB"), (FULL[:5], "5 sizes from 0 B to 8 KiB")])
def test_other_modes_say_at_which_sizes(sizes, where):
    rows = [summary_row(s) for s in FULL]
    rows += [summary_row(s, delta=510 + i, mode="ready") for i, s in enumerate(sizes)]
    assert f"In the mode ready at {where} the difference is +510 ns to +51" in say(rows, "latency")


def test_startup_and_memory():
    rows = [
        summary_row(0, c_ns=3e8, delta=1.1e8, benchmark="startup", mode="first-barrier", payload="none"),
        summary_row(0, c_ns=5e7, delta=0, verdict="no counterpart", benchmark="startup", mode="import", payload="none"),
    ]
    memory = [("mpich", "mpi4py", 2, 6, 31.4e6, 30e6, 40e6, 11.2e6)]
    assert say(rows, "startup") == (
        "mpi4py passes its first barrier 410 ms after the launch, 110 ms later than C (1.37 ×); "
        "loading the binding takes 50.0 ms."
    )
    assert startup_answer("mpi4py", rows_of(built_analysis(rows)), 4_000_000) == say(rows, "startup")
    assert startup_answer("mpi4py", rows_of(built_analysis(rows)), 41_000_000).endswith(
        "50.0 ms; the clocks of the hosts may be wrong by 41.0 ms, 10 % of that."
    )
    assert say(rows, "memory", memory=memory) == "A process of mpi4py holds 31.4 MB (PSS), +11.2 MB against C."
    of_many = [("mpich", "mpi4py", 40, 6, 31.4e6, 30e6, 40e6, 11.2e6)]
    assert say(rows, "memory", memory=of_many) == (
        "A process of mpi4py holds 31.4 MB (PSS, the largest of 40 ranks; the mean is 30.0 MB), +11.2 MB against C."
    )


def test_unknown_memory_is_not_mentioned():
    assert say([summary_row()], "memory", memory=[("mpich", "mpi4py", 2, 6, 0.0, 0.0, 0.0, None)]) == ""


def test_noise_floor_counts_what_chance_gives():
    arm = {"binding": "c-again"}
    rows = [summary_row(s, delta=0.8, verdict="not separated", **arm) for s in (8, 64, 1024)]
    rows += [summary_row(8192, c_ns=1000, delta=22, ratio_low=0.8, ratio_high=0.98, **arm)]
    assert say(rows, "noise", binding="") == (
        "On mpich noise moves the time of C against itself by 0.9 % typically and 9.2 % at most (latency at 8 KiB); "
        "a smaller effect there counts as noise. 1 of 4 A/A intervals excludes 1, chance alone gives about 0.2."
    )


def test_without_an_a_a_arm_the_noise_is_unknown():
    assert "noise floor is unknown" in say([summary_row()], "noise", binding="")


def test_no_counterpart_says_nothing_about_cost():
    rows = [summary_row(verdict="no counterpart", delta_to_c_ns=None, ratio_to_c=None)]
    assert say(rows, "latency") == ""


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_figures_that_do_not_exist_never_reach_a_sentence(value):
    rows = [summary_row(s, delta_to_c_ns=value, ratio_to_c=value, mb_per_s=value) for s in FULL]
    rows += [summary_row(s, benchmark="bandwidth", ratio_to_c=value, delta_to_c_ns=value) for s in FULL]
    text = " ".join(a.text for a in answers(built_analysis(rows)))
    assert not {"nan", "inf", "None"} & set(text.replace(";", " ").split())


def test_a_glance_is_labelled():
    (label,) = labels(built_analysis(profile="glance"))
    assert label.word == "glance"
    assert "30 very short blocks" in label.text


def test_quick_and_partial_runs_are_labelled():
    assert [label.word for label in labels(built_analysis())] == []
    quick = labels(built_analysis(profile="quick"))
    assert [label.word for label in quick] == ["quick"]
    assert "9 short blocks" in quick[0].text
    assert "--profile standard" in quick[0].text
    partial = labels(built_analysis(ended="interrupted"))
    assert [label.word for label in partial] == ["partial"]
    assert "interrupted before everything planned was measured: complete blocks 3 on mpich, of 10 to 30 planned" in (
        partial[0].text
    )
    assert "time limit" in labels(built_analysis(ended="time limit"))[0].text
    assert "cut off" in labels(built_analysis(ended=None))[0].text
