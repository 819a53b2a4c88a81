"""Published figures of C# and of Boost.MPI and ours."""

import pytest
from built import built_analysis, summary_row

from polympi.lab.report.comparisons import comparisons
from polympi.lab.report.figures import palette_of

LANGUAGES = {"c": "C", "c-again": "C", "mono": "C#", "coreclr": "C#", "mpi4py": "Python", "boost": "C++"}


def compared(rows, bindings, *, shown=(), memory=()):
    found = built_analysis(rows, bindings=("c", "c-again", *bindings), languages=LANGUAGES, memory=memory)
    return {one.source.name: one for one in comparisons(found, palette_of(found), shown)}


def ints(binding, size, ratio, **other):
    changes = {"benchmark": "pingpong-int", "payload": "int32", "ratio_to_c": ratio, "median_ns": 800.0 * ratio}
    return summary_row(size, binding=binding, **{**changes, **other})


def bytes_of(binding, size, ratio):
    return summary_row(size, binding=binding, benchmark="latency", payload="bytes", ratio_to_c=ratio)


def test_csharp_is_compared_with_ours_of_csharp_whatever_is_shown():
    rows = [ints(b, s, r) for b, r in (("c", 1.0), ("mono", 1.2), ("coreclr", 1.1), ("mpi4py", 3.0)) for s in (4, 40)]
    rows += [ints("mono", 4000, 9.0), ints("mono", 4, 1.3, benchmark="ring", ranks=40)]
    memory = [("mpich", b, 2, 9, size, size, size, 0.0) for b, size in (("c", 10e6), ("mono", 15e6), ("mpi4py", 9e6))]
    one = compared(rows, ["mono", "coreclr", "mpi4py"], shown=["mpi4py"], memory=memory)["mpi_net"]
    assert one.statement == (
        "Published: a ping-pong of 1 int takes C# 1.12 × the time of C. "
        "Here: mono 1.20 × (1 int), coreclr 1.10 × (1 int)."
    )
    labels = [line[0] for line in one.lines]
    assert "published: C#, ring, 10,000 laps, 40 processes" in labels
    assert ("published: C#, memory of a process, 20 processes", "2.20 MB", "3.30 MB", "1.50") in one.lines
    assert [label for label in labels if not label.startswith("published")] == [
        "mono on mpich, 1 int",
        "mono on mpich, 10 ints",
        "coreclr on mpich, 1 int",
        "coreclr on mpich, 10 ints",
        "mono on mpich, a hop of a ring of 40 ranks",
        "mono on mpich, memory of a process",
    ]
    assert ("mono on mpich, 1 int", "800 ns", "960 ns", "1.20") in one.lines
    assert ("mono on mpich, memory of a process", "10.0 MB", "15.0 MB", "1.50") in one.lines


def test_without_csharp_those_that_are_shown_stand_there():
    rows = [bytes_of(b, s, r) for b, r in (("c", 1.0), ("mpi4py", 1.6)) for s in (0, 8, 64)]
    assert "Here: mpi4py 1.60 × (8 B)." in compared(rows, ["mpi4py"], shown=["mpi4py"])["mpi_net"].statement
    assert "mpi_net" not in compared(rows, ["mpi4py"])


def test_the_order_of_boosts_variants_is_compared_with_ours():
    arms = {"c": 1.0, "boost": 1.1, "cxx-datatype": 2.0, "boost-datatype": 2.1, "boost-serialized": 55.0}
    rows = [bytes_of(b, s, r * (1 + s / 2**20)) for b, r in arms.items() for s in (1, 1024, 2**20)]
    one = compared(rows, [b for b in arms if b != "c"])["boost_netpipe"]
    assert "Boost.MPI as fast as MPI" in one.statement
    assert "a derived datatype of one byte 29.7 × with either, each byte serialised 418 ×" in one.statement
    assert "Here, at 1 MiB: boost 2.20 ×, cxx-datatype 4.00 ×" in one.statement
    assert [line[0] for line in one.lines] == [
        "published: MPI",
        "published: Boost.MPI",
        "boost on mpich, here",
        "published: MPI (Datatypes)",
        "cxx-datatype on mpich, here",
        "published: Boost.MPI (Datatypes)",
        "boost-datatype on mpich, here",
        "published: Boost.MPI (Serialized)",
        "boost-serialized on mpich, here",
    ]
    assert one.lines[-2][1:] == ("70.0", "214", "418")
    assert one.lines[-1][1:] == ("55.0", "55.1", "110")


@pytest.mark.parametrize("arms", [["cxx-datatype"], ["mpi4py"]])
def test_boosts_variants_need_one_of_boost(arms):
    rows = [bytes_of(b, s, 1.0) for b in ("c", *arms) for s in (1, 1024)]
    assert "boost_netpipe" not in compared(rows, arms)


def test_a_variant_that_was_not_measured_is_left_out():
    rows = [bytes_of(b, 8, r) for b, r in (("c", 1.0), ("boost", 1.25))]
    one = compared(rows, ["boost"])["boost_netpipe"]
    assert one.statement.endswith("Here, at 8 B: boost 1.25 ×.")
    assert sum(not line[0].startswith("published") for line in one.lines) == 1


def streams(mode, *rates):
    rows = enumerate(rates)
    return [
        summary_row(10 ** (4 + k), binding="c", benchmark="stream", mode=mode, payload="bytes", mb_per_s=of)
        for k, of in rows
    ]


def test_what_is_said_of_synchronous_sends_is_checked_in_both_tables():
    rows = [*streams("standard", 10.0, 50.0, 90.0, 80.0), *streams("synchronous", 9.0, 60.0, 80.0, 70.0)]
    one = compared(rows, [])["send_ssend_bandwidth"]
    assert "slower everywhere holds in 27 of 32 cells of its own table, and here at 3 of 4 sizes." in one.statement
    assert "and here as well: the most is at 1 MB." in one.statement
    assert {line[0] for line in one.lines if not line[0].startswith("published")} == {"c", "c, synchronous"}
    one = compared(streams("standard", 10.0, 50.0), [])["send_ssend_bandwidth"]
    assert "'stream/synchronous/bytes' was not measured here" in one.statement
    assert "and here not: the most is at 100 kB." in one.statement


def test_a_stream_is_also_shown_as_published_with_the_sends_alone_timed():
    alone = summary_row(
        10**4, binding="c-unacknowledged", benchmark="stream", payload="bytes", mb_per_s=50.0, p50_ns=10_000.0
    )
    one = compared([*streams("standard", 50.0, 60.0), alone], ["c-unacknowledged"])["send_ssend_bandwidth"]
    assert one.statement.endswith("with the sends alone timed, C has 1.00 GB/s at 10 kB instead of 50.0 MB/s.")
    assert ("c as published, standard", "10 kB", "1.00 GB/s") in one.lines
    without = compared(streams("standard", 50.0, 60.0), [])["send_ssend_bandwidth"]
    assert "'c-unacknowledged', which was not measured here" in without.statement
