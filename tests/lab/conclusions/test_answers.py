"""The longer sentences about a binding, one table for each kind; labels of a run."""

from itertools import cycle

import pytest
from built import built_analysis, summary_row

from polympi.lab.conclusions import answers, labels
from polympi.lab.conclusions.answers import startup_answer
from polympi.lab.conclusions.rows import rows_of

FULL = [0, 8, 64, 1024, 8192, 65536, 2**20, 2**22]
SMALL = FULL[:4]
VERDICTS = {"S": "slower", "F": "faster", "-": "not separated", "?": "ambiguous", "3": "too few launches"}
FEW = {"launches": 3, "ratio_low": None, "ratio_high": None}


def say(rows, topic, binding="mpi4py", **options):
    found = [a.text for a in answers(built_analysis(rows, **options)) if a.topic == topic and a.binding == binding]
    return found[0] if found else ""


def series(sizes, verdicts="S", **fields):
    """A row per size; the letters of the verdicts are repeated."""
    return [summary_row(s, verdict=VERDICTS[v], **fields) for s, v in zip(sizes, cycle(verdicts), strict=False)]


def separated(verdicts, **fields):
    """A row per letter: slower by 520 ns or not separated by 4 ns."""
    return [row for s, v in zip(FULL, verdicts, strict=False) for row in series([s], v, **fields)]


def face(mode, size=135200, **other):
    return summary_row(size, c_ns=100_000, benchmark="faces", payload="float64", mode=mode, **other)


FACES = [face("elements", delta=-40_000, verdict="faster"), face("rows", delta=20_000), face("rows", 9248, delta=1)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            series(FULL[:5]) + series(FULL[5:], "-", c_ns=10_000, delta=90),
            "On mpich, mpi4py adds 520 ns to a message of up to 1 KiB (median over 4 sizes; 1.65 × C at 8 B); "
            "from 64 KiB on it is not separated from C.",
        ),
        (
            series(SMALL) + series([2**22], c_ns=350_000, delta=1_470_000),
            "(median over 4 sizes; 1.65 × C at 8 B); at 4 MiB it takes 5.20 × C (+1.47 ms).",
        ),
        (series([8]), "On mpich, mpi4py adds 520 ns to a message of 8 B (1.65 × C at 8 B)."),
        (
            series(SMALL, "F", delta=-40),
            "mpi4py takes 40.0 ns off a message of up to 1 KiB (median over 4 sizes; 0.950 × C at 8 B).",
        ),
        (
            series(SMALL) + series([8192], "F", c_ns=2000, delta=-200) + series([65536], c_ns=9000),
            "; at 64 KiB it takes 1.058 × C (+520 ns); it is faster than C at 8 KiB (0.90 × C).",
        ),
        (
            series([0], delta=40) + series([8], "-", delta=3) + series([64], delta=60) + series([1024], "F", delta=-30),
            "mpi4py is slower than C at 2 (by 50.0 ns) and faster at 1 (by 30.0 ns) of the 4 sizes from 0 B to 1 KiB.",
        ),
        (
            series(SMALL, "-", delta=2) + series([8192], c_ns=2000, delta=400) + series(FULL[5:], "-", c_ns=9000),
            "On mpich, mpi4py is not separated from C at any of the 4 sizes from 0 B to 1 KiB; "
            "it is slower than C at 8 KiB (1.20 × C); from 64 KiB on it is not separated from C.",
        ),
        (series(FULL, "-", delta=2), "mpi4py is not separated from C at any of the 8 sizes from 0 B to 4 MiB."),
        (series(FULL, "-?------", delta=9), " at any of the 8 sizes from 0 B to 4 MiB (1 of them ambiguous)."),
        (
            series(FULL, "3", **FEW),
            "cannot be judged: 3 launches where an interval needs six; its median differs from C's by +520 ns at 8 B.",
        ),
        (
            series(SMALL) + series([8], "-", payload="int") + series([24], "-", payload="dict"),
            " For an integer object and a small dict it is not separated from C.",
        ),
        (
            series(SMALL)
            + series([8], delta=1400, payload="int")
            + series([24], delta=2000, payload="dict")
            + series([8], delta=510, mode="synchronous")
            + series([8], delta=530, mode="ready"),
            " For an integer object it adds 1.40 µs and for a small dict it adds 2.00 µs."
            " In the 2 other modes at 8 B the difference is +510 ns to +530 ns.",
        ),
        (
            series(FULL) + series([8], delta=510, mode="ready") + series([65536], delta=511, mode="ready"),
            " In the mode ready at 8 B and 64 KiB the difference is +510 ns to +511 ns.",
        ),
        (
            series(FULL) + [summary_row(s, delta=510 + i, mode="ready") for i, s in enumerate(FULL[:5])],
            " In the mode ready at 5 sizes from 0 B to 8 KiB the difference is +510 ns to +514 ns.",
        ),
        # how many sizes are separated
        (
            separated("SSSS--S"),
            "(median over 4 sizes; 1.65 × C at 8 B); at 1 MiB it takes 1.65 × C (+520 ns; 5 of 7 sizes separated).",
        ),
        (
            separated("SSSS-S-"),
            "(median over 4 sizes; 1.65 × C at 8 B; 5 of 6 sizes up to 64 KiB separated); "
            "at 1 MiB it is not separated from C.",
        ),
        (
            separated("SSS-SSS"),
            "at 3 (by 520 ns) of the 4 sizes from 0 B to 1 KiB; at 1 MiB it takes 1.65 × C (+520 ns).",
        ),
        ([summary_row(verdict="no counterpart", delta_to_c_ns=None, ratio_to_c=None)], ""),
    ],
)
def test_latency(rows, expected):
    said = say(rows, "latency")
    assert said.endswith(expected)
    assert bool(said) == bool(expected)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            FACES,
            "With mpi4py a face of 135200 B takes 1.20 × C in rows (+20.0 µs) and "
            "0.60 × C as single elements (−40.0 µs).",
        ),
        (
            [*FACES[:2], face("contiguous", delta=1, verdict="not separated")],
            "With mpi4py a face of 135200 B takes 1.20 × C in rows (+20.0 µs) and "
            "0.60 × C as single elements (−40.0 µs); it is not separated from C where it is contiguous.",
        ),
        (series([8]), ""),
    ],
)
def test_faces(rows, expected):
    assert say(rows, "faces") == expected


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ("S-S", "50 % at 8 B and 50 % at 1 KiB of C's bandwidth (2 of 3 sizes separated; 512 MB/s at 1 KiB)."),
        ("--S", "50 % at 1 KiB of C's bandwidth (1 of 3 sizes separated; 512 MB/s at 1 KiB)."),
        (
            "S-S-",
            "50 % at 8 B and 50 % at 1 KiB of C's bandwidth (2 of 3 sizes up to 1 KiB separated); "
            "at 8 KiB it is not separated from C (8.16 GB/s at 8 KiB).",
        ),
    ],
)
def test_bandwidth(verdicts, expected):
    delta = {"S": 1000, "-": 4}
    made = zip(FULL[1:], verdicts, strict=False)
    rows = [row for s, v in made for row in series([s], v, c_ns=1000, delta=delta[v], benchmark="bandwidth")]
    assert say(rows, "bandwidth") == f"In bandwidth mpi4py reaches {expected}"


@pytest.mark.parametrize(
    ("made", "beginning", "end"),
    [
        (
            [("bcast", 500, "S", "bytes"), ("allreduce", 900, "S", "bytes"), ("barrier", 2, "-", "none")],
            "mpi4py adds 500 ns (bcast) to 900 ns (allreduce) to a collective call on 2 ranks",
            "barrier is not separated from C there",
        ),
        (
            [("reduce", 500, "S", "float64"), ("allreduce", 900, "S", "array"), ("bcast", 2, "-", "dict")],
            "mpi4py adds 500 ns (reduce) to 900 ns (allreduce of an array)",
            "bcast of a small dict is not separated from C there",
        ),
    ],
)
def test_collectives_name_the_cheapest_and_the_dearest(made, beginning, end):
    rows = [
        summary_row(0 if name == "barrier" else 8, delta=delta, verdict=VERDICTS[v], benchmark=name, payload=payload)
        for name, delta, v, payload in made
    ]
    said = say(rows, "collectives")
    assert said.startswith(beginning)
    assert end in said


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
def test_large_collectives(verdicts, expected):
    delta = {"S": 500, "-": 500, "F": -500}
    large = [series([65536 << i], v, c_ns=9000, delta=delta[v], benchmark="bcast")[0] for i, v in enumerate(verdicts)]
    assert say([summary_row(8, benchmark="bcast"), *large], "collectives").endswith(f"; {expected}")


def test_startup():
    startup = {"benchmark": "startup", "payload": "none"}
    rows = [
        summary_row(0, c_ns=3e8, delta=1.1e8, mode="first-barrier", **startup),
        summary_row(0, c_ns=5e7, delta=0, verdict="no counterpart", mode="import", **startup),
    ]
    said = (
        "mpi4py passes its first barrier 410 ms after the launch, 110 ms later than C (1.37 ×); "
        "loading the binding takes 50.0 ms"
    )
    assert say(rows, "startup") == f"{said}."
    doubt = "; the clocks of the hosts may be wrong by 41.0 ms, 10 % of that"
    for error, more in ((4_000_000, ""), (41_000_000, doubt)):
        assert startup_answer("mpi4py", rows_of(built_analysis(rows)), error) == f"{said}{more}."


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        ((2, 6, 31.4e6, 30e6, 40e6, 11.2e6), "A process of mpi4py holds 31.4 MB (PSS), +11.2 MB against C."),
        (
            (40, 6, 31.4e6, 30e6, 40e6, 11.2e6),
            "A process of mpi4py holds 31.4 MB (PSS, the largest of 40 ranks; the mean is 30.0 MB), "
            "+11.2 MB against C.",
        ),
        ((2, 6, 0.0, 0.0, 0.0, None), ""),
    ],
)
def test_memory(memory, expected):
    assert say([summary_row()], "memory", memory=[("mpich", "mpi4py", *memory)]) == expected


def test_noise_floor_counts_what_chance_gives():
    rows = series((8, 64, 1024), "-", delta=0.8, binding="c-again")
    rows += series([8192], "-", c_ns=1000, delta=22, ratio_low=0.8, ratio_high=0.98, binding="c-again")
    assert say(rows, "noise", binding="") == (
        "On mpich noise moves the time of C against itself by 0.9 % typically and 9.2 % at most (latency at 8 KiB); "
        "a smaller effect there counts as noise. 1 of 4 A/A intervals excludes 1, chance alone gives about 0.2."
    )
    assert "noise floor is unknown" in say([summary_row()], "noise", binding="")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_figures_that_do_not_exist_never_reach_a_sentence(value):
    none = {"delta_to_c_ns": value, "ratio_to_c": value}
    rows = [summary_row(s, mb_per_s=value, **none) for s in FULL]
    rows += [summary_row(s, benchmark="bandwidth", **none) for s in FULL]
    text = " ".join(a.text for a in answers(built_analysis(rows)))
    assert not {"nan", "inf", "None"} & set(text.replace(";", " ").split())


@pytest.mark.parametrize(
    ("run", "word", "parts"),
    [
        ({"profile": "glance"}, "glance", ["30 very short blocks"]),
        ({"profile": "quick"}, "quick", ["9 short blocks", "--profile standard"]),
        (
            {"ended": "interrupted"},
            "partial",
            ["interrupted before everything planned was measured: complete blocks 3 on mpich, of 10 to 30 planned"],
        ),
        ({"ended": "time limit"}, "partial", ["time limit"]),
        ({"ended": None}, "partial", ["cut off"]),
    ],
)
def test_labels(run, word, parts):
    (label,) = labels(built_analysis(**run))
    assert label.word == word
    assert all(part in label.text for part in parts)
    assert labels(built_analysis()) == []
