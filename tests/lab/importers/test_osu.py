"""OSU Micro-Benchmarks and OMB-Py: titles, headings and rows that no real output here has."""

import pytest

from polympi.lab.importers.osu import read_omb_py, read_osu

BROADCAST = (
    "# OSU MPI Broadcast Latency Test v7.4\n# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n"
)
DAMAGED = [
    *("8", "8   oops", "8   nan", "8   -inf", "8   1_0", "8   -1.00", "8   1e307", "8   0.00", "8 more processes"),
    *("8 1.00 processes", "99999999999999999999 1.0", "-8  1.00", "hello"),
]


def test_damaged_rows_are_left_out_with_their_reasons():
    imported = read_osu("\n".join(["# OSU MPI Latency Test v7.5", "# Size    Latency (us)", *DAMAGED, ""]), "x")
    assert imported.rows.is_empty()
    assert imported.left_out == set(range(3, 3 + len(DAMAGED)))
    assert imported.notes == [
        "Line 3: latency at 8 bytes was left out: 1 of 2 values are missing.",
        "Lines 4-7, 11-12: 6 rows of latency were left out: a value is not a number, first 'oops'.",
        "Line 8: latency at 8 bytes was left out: a time or a rate is negative.",
        "Line 9: latency at 8 bytes was left out: a time or a rate is impossibly large.",
        "Line 10: latency at 8 bytes was left out: its figures are all zero or absent.",
        "3 lines are neither headings nor figures and were left out: 13-15.",
    ]


@pytest.mark.parametrize(
    "startup", ["nprocs: x, min: 1 ms, max: 2 ms, avg: 1 ms", "nprocs: 2, min: 1.2.3 ms, max: 2 ms, avg: 1 ms"]
)
def test_a_damaged_start_up_time_is_left_out(startup):
    imported = read_osu(f"# OSU MPI Init Test v7.4\n{startup}\n", "x")
    assert imported.rows.is_empty()
    assert imported.left_out == {2}


def test_a_table_without_rows_is_reported():
    imported = read_osu("# OSU MPI Latency Test v7.5\n# Size    Latency (us)\n", "x")
    assert imported.notes == ["Line 1: the table of latency has no figures."]


def test_a_title_without_its_hash_is_recognised():
    imported = read_osu(" OSU MPI Latency Test v7.2\n# Size          Latency (us)\n1     1.61\n", "x")
    assert imported.rows["time_ns"].to_list() == [1610.0]


@pytest.mark.parametrize(
    ("name", "benchmark", "payload"),
    [
        ("Allreduce Latency", "allreduce", "unstated"),
        ("Broadcast", "bcast", "bytes"),
        ("All-to-All Personalized Exchange Latency", "alltoall", "bytes"),
        ("Barrier", "barrier", "none"),
    ],
)
def test_omb_py_collectives_have_our_names(name, benchmark, payload):
    rows = read_omb_py(f"# OMB Python MPI {name} Test\n# Size (B)  Latency (us)\n8   2.5\n", "x").rows
    assert rows.select("benchmark", "payload", "time_ns", "statistic").rows() == [
        (benchmark, payload, 2500.0, "mean over ranks")
    ]


def test_extremes_out_of_order_are_damage():
    imported = read_osu(BROADCAST + "8  1.00  2.00  3.00  10\n16  1.50  1.51  1.49  10\n", "x")
    assert imported.rows["size_bytes"].to_list() == [16]  # all three rounded from about 1.5
    assert imported.notes == [
        "Line 3: bcast at 8 bytes was left out: its minimum, mean and maximum are not in that order."
    ]


def test_an_extreme_printed_as_zero_is_empty_and_reported():
    imported = read_osu(BROADCAST + "8  0.01  0.00  0.02  10\n", "x")
    assert imported.rows.select("time_ns", "time_mean_ns", "time_min_ns").rows() == [(20.0, 10.0, None)]
    assert imported.notes == [
        "Line 3: bcast at 8 bytes is incomplete: "
        "a figure printed as zero is below what the tool prints, and is left empty."
    ]
    assert imported.left_out == frozenset()


NONBLOCKING = (
    "Overall(us)  Compute(us)  Coll. Init(us)  MPI_Test(us)  MPI_Wait(us)  "
    "Pure Comm.(us)  Min Comm.(us)  Max Comm.(us)  Overlap(%)"
)
BARRIER = "# OSU MPI Non-blocking Barrier Latency Test v5.7\n"


def test_a_heading_of_version_5_without_its_hash_is_read():
    text = f"{BARRIER}# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n    {NONBLOCKING}\n"
    imported = read_osu(text + "  92.40  45.69  0.62  0.00  46.10  45.30  45.10  45.50  0.00\n", "x")
    assert imported.rows.select("time_mean_ns", "time_min_ns", "time_max_ns").rows() == [(45300.0, 45100.0, 45500.0)]
    assert imported.left_out == frozenset()


def test_a_pure_communication_outside_its_extremes_costs_only_itself():
    imported = read_osu(
        f"{BARRIER}# {NONBLOCKING}\n  92.40  45.69  0.62  0.00  46.10  44.30  45.10  45.50  0.00\n", "x"
    )
    assert imported.rows.select("time_ns", "time_mean_ns", "time_min_ns").rows() == [(45500.0, None, 45100.0)]
    assert any(n.startswith("Line 3: MPI Non-blocking Barrier Latency is incomplete: ") for n in imported.notes)


@pytest.mark.parametrize("above", [True, False], ids=["above the title", "below it"])
@pytest.mark.parametrize(
    ("lines", "mode"),
    [
        (
            "# Number of forked processes in sender: 2\n# Number of forked processes in receiver: 1\n",
            "standard with 2 forked processes in sender and 1 forked process in receiver",
        ),
        (
            "# Number of Sender threads: 1\n# Number of Receiver threads: 2\n",
            "standard, 1 sender thread, 2 receiver threads",
        ),
    ],
)
def test_threads_and_processes_belong_to_the_table_whose_heading_follows(lines, mode, above):
    title, table = "# OSU MPI Multi-process Latency Test v5.6.3\n", "# Size  Latency (us)\n0  0.21\n"
    several = lines + title if above else title + lines
    rows = read_osu(f"{several}{table}# OSU MPI Latency Test v5.6.3\n{table}{several}{table}", "x").rows
    assert rows["mode"].to_list() == [mode, "standard", mode]


@pytest.mark.parametrize(
    ("comment", "details", "reported"),
    [
        ("Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)",
         ["send buffer on DEVICE (D)", "receive buffer on HOST (H)"], 0),
        ("Rank 0 Memory on DEVICE (D) and Rank 1 Memory on HOST (H)",
         ["rank 0 memory on DEVICE (D)", "rank 1 memory on HOST (H)"], 0),
        ("[ pairs: 1 ] [ window size: varied ]", ["window varied"], 0),
        ("Neighborhood: cartesian, 2 dimensions", ["Neighborhood: cartesian, 2 dimensions"], 1),
        ("Time is taken in (us) on rank 0", [], 1),
        ("Latency (us) is half of a round trip", [], 1),
        ("Overall = Coll. Init + Compute + MPI_Test + MPI_Wait", [], 0),
        ("----", [], 0),
    ],
)  # fmt: skip
def test_a_comment_above_the_rows_is_in_them_or_reported(comment, details, reported):
    imported = read_osu(f"# OSU MPI Latency Test v7.4\n# {comment}\n# Size  Latency (us)\n8  1.00\n", "x")
    assert imported.rows.select("time_ns", "mode").rows() == [(1000.0, ", ".join(["standard", *details]))]
    assert len(imported.notes) == reported
    assert all(comment in note and note.startswith("Line 2:") for note in imported.notes)


def test_a_comment_with_a_unit_among_the_rows_is_not_a_heading():
    text = (
        "# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n8  1.00\n# the next ones waited (us): see job 7\n16  2.00\n"
    )
    imported = read_osu(text, "x")
    assert imported.rows.select("size_bytes", "time_ns", "mode").rows() == [
        (8, 1000.0, "standard"),
        (16, 2000.0, "standard"),
    ]
    assert [n for n in imported.notes if "job 7" in n]
