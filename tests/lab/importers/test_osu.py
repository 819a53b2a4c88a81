"""OSU Micro-Benchmarks and OMB-Py: published outputs of versions 5 to 7."""

from __future__ import annotations

import polars as pl
import pytest
from importers.fixture_files import content_of, read, row

from polympi.lab.importers.omb_py import read_omb_py
from polympi.lab.importers.osu import read_osu

WINDOW = (
    "{} does not print the window of its bandwidth tests (-W): its usual 64 messages, which are ours too, are assumed."
)


def test_latency_of_version_5_is_half_the_round_trip_in_ns():
    imported = read("osu-5.0-latency.txt")
    assert imported.tool == "OSU"
    assert imported.rows.height == 24
    assert row(imported, size_bytes=0) == {
        "tool": "OSU 5.0",
        "benchmark": "latency",
        "mode": "standard",
        "payload": "bytes",
        "size_bytes": 0,
        "sent_bytes": None,
        "ranks": 2,
        "time_ns": 1840.0,
        "statistic": "one rank",
        "time_mean_ns": None,
        "time_min_ns": None,
        "time_max_ns": None,
        "mb_per_s": None,
        "repetitions": None,
        "options": None,
        "source": "osu-5.0-latency.txt",
        "content": content_of("osu-5.0-latency.txt"),
    }
    assert row(imported, size_bytes=4194304)["time_ns"] == 497370.0
    assert imported.notes == ["3 lines are neither headings nor figures and were left out: 1-3."]


def test_the_scheduler_s_lines_after_the_table_are_named_and_left_out():
    imported = read("osu-5.8-latency.txt")
    assert imported.rows["size_bytes"].to_list() == [0, *(2**k for k in range(23))]
    assert imported.notes == ["5 lines are neither headings nor figures and were left out: 27-31."]


def test_bandwidths_are_rates_without_times():
    imported = read("osu-5.8-bibandwidth.txt")
    assert imported.rows["benchmark"].unique().to_list() == ["bibandwidth"]
    assert imported.rows["time_ns"].null_count() == 23
    assert row(imported, size_bytes=4194304)["mb_per_s"] == 18865.67
    assert row(imported, size_bytes=4194304)["statistic"] is None
    assert imported.notes == [WINDOW.format("OSU")]


def test_several_benchmarks_in_one_file_with_a_startup_time():
    imported = read("osu-5.6.2-several.txt")
    startup = row(imported, benchmark="startup")
    assert (startup["mode"], startup["payload"], startup["ranks"]) == ("init", "none", 4)
    assert (startup["time_mean_ns"], startup["statistic"]) == (67e6, "max over ranks")
    assert startup["time_ns"] == startup["time_max_ns"]
    assert row(imported, benchmark="bibandwidth", size_bytes=8)["mb_per_s"] == 28.51
    allreduce = row(imported, benchmark="allreduce", size_bytes=4)
    assert (allreduce["payload"], allreduce["ranks"], allreduce["time_ns"]) == ("float32", None, 1400.0)


def test_a_barrier_has_no_size_and_other_benchmarks_keep_their_names():
    imported = read("osu-5.6.3-several.txt")
    barrier = row(imported, benchmark="barrier")
    assert (barrier["size_bytes"], barrier["payload"], barrier["time_ns"]) == (0, "none", 1570.0)
    assert row(imported, benchmark="MPI_Put Latency", size_bytes=8)["time_ns"] == 70.0


def test_pairs_of_the_message_rate_benchmark_give_the_ranks():
    imported = read("osu-5.7.1-message-rate.txt")
    biggest = row(imported, size_bytes=2048)
    assert biggest["benchmark"] == "MPI Multiple Bandwidth / Message Rate"
    assert (biggest["ranks"], biggest["mb_per_s"], biggest["mode"]) == (96, 99357.09, "standard, window 64")
    assert imported.notes == []


def test_a_nonblocking_collective_is_its_pure_communication():
    imported = read("osu-5.3.2-nonblocking.txt")
    assert imported.rows["benchmark"].unique().to_list() == ["MPI Non-blocking Allgather Latency"]
    assert imported.rows["time_ns"].to_list() == [135610.0, 184280.0]
    assert imported.notes[0] == (
        "The columns Overall(us), Compute(us), Overlap(%) of MPI Non-blocking Allgather Latency are not imported."
    )


def test_labels_that_the_launcher_put_before_each_line_are_taken_off():
    imported = read("osu-5.3.2-tagged.txt")
    assert imported.rows.select("size_bytes", "time_ns").rows() == [(1, 710.0), (2, 700.0), (4, 710.0)]


def test_full_columns_give_extremes_and_repetitions():
    imported = read("osu-6.2-reduce-full.txt")
    first = row(imported, size_bytes=100000)
    assert (first["benchmark"], first["payload"], first["repetitions"]) == ("reduce", "float32", 100)
    assert (first["time_ns"], first["statistic"]) == (831040.0, "max over ranks")
    assert (first["time_mean_ns"], first["time_min_ns"], first["time_max_ns"]) == (132140.0, 31230.0, 831040.0)
    allgather = row(read("osu-7.4-allgather-full.txt"), size_bytes=1048576)
    assert (allgather["payload"], allgather["time_max_ns"], allgather["repetitions"]) == ("bytes", 104330.0, 10)


def test_transfers_between_devices_are_not_taken_for_ours():
    imported = read("osu-7.2-cuda-bandwidth.txt")
    assert imported.rows["benchmark"].unique().to_list() == ["MPI-CUDA Bandwidth"]
    assert imported.rows["payload"].unique().to_list() == ["bytes"]  # the datatype stands below the heading here


def test_values_that_the_heading_does_not_name_are_noted_once():
    imported = read("osu-7.3-reduce-unnamed-columns.txt")
    assert imported.rows["time_ns"].to_list() == [50890.0, 50200.0, 49700.0]
    assert imported.rows["time_min_ns"].null_count() == 3
    assert imported.notes == [
        "Lines 4-6: 3 rows of MPI-CUDA Reduce Latency are incomplete: "
        "of 5 values the heading names only 2, and those are imported."
    ]


def test_a_validated_run_is_read_like_any_other():
    imported = read("osu-7.5-validation.txt")
    assert row(imported, benchmark="bandwidth", size_bytes=4194304)["mb_per_s"] == 23982.18
    assert row(imported, benchmark="latency", size_bytes=1)["time_ns"] == 3340.0
    assert row(imported, benchmark="latency", size_bytes=1)["tool"] == "OSU 7.5"


def test_percentiles_are_named_as_left_out_and_a_failed_validation_drops_the_row():
    imported = read("osu-7-made-up-percentiles.txt")
    assert row(imported, benchmark="allreduce")["payload"] == "int32"
    assert row(imported, benchmark="allreduce")["repetitions"] == 1000
    assert row(imported, mode="standard-persistent")["size_bytes"] == 8
    assert imported.rows.height == 4
    assert imported.notes == [
        "Line 16: latency at 16 bytes was left out: the tool found its data wrong.",
        "The columns P50 Tail Lat(us), P90 Tail Lat(us), P99 Tail Lat(us) of latency, allreduce are not imported.",
    ]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("8", "Line 3: latency at 8 bytes was left out: 1 of 2 values are missing."),
        ("8   oops", "Line 3: latency at 8 bytes was left out: a value is not a number: 'oops'."),
        ("8   nan", "Line 3: latency at 8 bytes was left out: a value is not a number: 'nan'."),
        ("8   -inf", "Line 3: latency at 8 bytes was left out: a value is not a number: '-inf'."),
        ("8   1_0", "Line 3: latency at 8 bytes was left out: a value is not a number: '1_0'."),
        ("8   -1.00", "Line 3: latency at 8 bytes was left out: a time or a rate is negative."),
        ("8   1e307", "Line 3: latency at 8 bytes was left out: a time or a rate is impossibly large."),
        ("8   0.00", "Line 3: latency at 8 bytes was left out: its figures are all zero or absent."),
        ("8 more processes", "Line 3: latency at 8 bytes was left out: a value is not a number: 'more'."),
        ("8 1.00 processes", "Line 3: latency at 8 bytes was left out: a value is not a number: 'processes'."),
        ("99999999999999999999 1.0", "1 line is neither a heading nor figures and was left out: 3."),
        ("-8  1.00", "1 line is neither a heading nor figures and was left out: 3."),
        ("hello", "1 line is neither a heading nor figures and was left out: 3."),
        ("", "Line 1: the table of latency has no figures."),
    ],
)
def test_a_damaged_row_is_said_with_its_line(line, note):
    imported = read_osu(f"# OSU MPI Latency Test v7.5\n# Size    Latency (us)\n{line}\n", "x")
    assert imported.rows.is_empty()
    assert note in imported.notes


def test_a_title_without_its_hash_is_recognised():
    imported = read_osu(" OSU MPI Latency Test v7.2\n# Size          Latency (us)\n1     1.61\n", "x")
    assert imported.rows["time_ns"].to_list() == [1610.0]


def test_omb_py():
    imported = read("omb-py-latency.txt")
    assert imported.tool == "OMB-Py"
    first = row(imported, size_bytes=0)
    assert (first["tool"], first["benchmark"], first["ranks"], first["time_ns"]) == ("OMB-Py", "latency", 2, 397100.0)


def test_omb_py_with_several_benchmarks_of_both_spellings():
    imported = read("omb-py-several.txt")
    assert row(imported, benchmark="bandwidth", size_bytes=1024)["mb_per_s"] == 82.2
    assert row(imported, benchmark="MPI Multi Latency", size_bytes=1024)["time_ns"] == 20620.0
    assert row(imported, benchmark="MPI Multi Latency", size_bytes=1024)["statistic"] == "mean over pairs"
    assert imported.notes == [
        WINDOW.format("OMB-Py"),
        "5 lines are neither headings nor figures and were left out: 1-3, 9-10.",
    ]


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
    assert rows.select("benchmark", "payload", "time_ns").rows() == [(benchmark, payload, 2500.0)]
    assert rows["statistic"].to_list() == ["mean over ranks"]


def test_the_average_of_a_collective_is_not_called_its_maximum():
    average = row(read("osu-7.4-allreduce.txt"), size_bytes=1024)
    assert (average["statistic"], average["time_ns"]) == ("mean over ranks", average["time_mean_ns"])
    assert average["time_max_ns"] is None


@pytest.mark.parametrize("name", ["osu-7.4-allreduce-validated.txt", "osu-7.4-nonblocking-full.txt"])
def test_where_the_largest_rank_is_printed_it_is_the_time(name):
    rows = read(name).rows
    assert rows["statistic"].unique().to_list() == ["max over ranks"]
    assert (rows["time_ns"] == rows["time_max_ns"]).all()
    assert (rows["time_min_ns"] <= rows["time_mean_ns"]).all()
    assert (rows["time_mean_ns"] <= rows["time_max_ns"]).all()


def test_every_datatype_of_a_run_is_kept_with_its_rows():
    rows = read("osu-7.4-datatypes.txt").rows
    assert [(p, n) for p, n in rows.group_by("payload", maintain_order=True).len().rows()] == [
        ("bytes", 4),
        ("int32", 4),
        ("float32", 4),
    ]


def test_a_derived_datatype_says_how_many_bytes_it_sends():
    vectors = read("osu-7.4-derived-vector.txt").rows
    assert vectors["payload"].unique().to_list() == ["derived bytes"]
    assert vectors.select("size_bytes", "sent_bytes").rows()[:2] == [(8, 16), (16, 32)]


def test_characters_that_are_summed_up_are_not_our_bytes():
    assert read("osu-7.4-allreduce.txt").rows["payload"].unique().to_list() == ["char"]


def test_threads_windows_and_synchronization_stand_in_the_mode():
    assert read("osu-7.4-threads.txt").rows["mode"].unique().to_list() == [
        "standard, 1 sender thread, 2 receiver threads"
    ]
    assert read("osu-7.4-one-sided.txt").rows["mode"].unique().to_list() == [
        "standard, MPI_Win_allocate, MPI_Win_flush"
    ]


def test_percentiles_of_bandwidths_are_named_one_by_one():
    assert "The columns P50 Tail BW(MB/s), P90 Tail BW(MB/s), P99 Tail BW(MB/s) of bandwidth are not imported." in (
        read("osu-7.4-bandwidth-percentiles.txt").notes
    )


def test_extremes_out_of_order_are_damage():
    heading = (
        "# OSU MPI Broadcast Latency Test v7.4\n# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n"
    )
    imported = read_osu(heading + "8  1.00  2.00  3.00  10\n16  1.50  1.51  1.49  10\n", "x")
    assert imported.rows["size_bytes"].to_list() == [16]  # all three rounded from about 1.5
    assert imported.notes == [
        "Line 3: bcast at 8 bytes was left out: its minimum, mean and maximum are not in that order."
    ]


def test_an_extreme_printed_as_zero_is_empty_and_told():
    heading = (
        "# OSU MPI Broadcast Latency Test v7.4\n# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n"
    )
    imported = read_osu(heading + "8  0.01  0.00  0.02  10\n", "x")
    assert imported.rows.select("time_ns", "time_mean_ns", "time_min_ns").rows() == [(20.0, 10.0, None)]
    assert imported.notes == [
        "Line 3: bcast at 8 bytes is incomplete: "
        "a figure printed as zero is below what the tool prints, and is left empty."
    ]
    assert imported.left_out == frozenset()


@pytest.mark.parametrize(
    "line", ["nprocs: x, min: 1 ms, max: 2 ms, avg: 1 ms", "nprocs: 2, min: 1.2.3 ms, max: 2 ms, avg: 1 ms"]
)
def test_a_damaged_startup_time_is_told(line):
    imported = read_osu(f"# OSU MPI Init Test v7.4\n{line}\n", "x")
    assert imported.rows.is_empty()
    assert imported.notes == [f"Line 2: startup was left out: a value is not a number: '{line}'."]


NONBLOCKING = (
    "Overall(us)  Compute(us)  Coll. Init(us)  MPI_Test(us)  MPI_Wait(us)  "
    "Pure Comm.(us)  Min Comm.(us)  Max Comm.(us)  Overlap(%)"
)


def test_a_heading_of_version_5_without_its_hash_is_read():
    text = (
        "# OSU MPI Non-blocking Barrier Latency Test v5.7\n# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n"
    )
    imported = read_osu(f"{text}    {NONBLOCKING}\n  92.40  45.69  0.62  0.00  46.10  45.30  45.10  45.50  0.00\n", "x")
    assert imported.rows.select("time_mean_ns", "time_min_ns", "time_max_ns").rows() == [(45300.0, 45100.0, 45500.0)]
    assert imported.left_out == frozenset()


def test_a_pure_communication_outside_its_extremes_costs_only_itself():
    text = f"# OSU MPI Non-blocking Barrier Latency Test v5.7\n# {NONBLOCKING}\n"
    imported = read_osu(text + "  92.40  45.69  0.62  0.00  46.10  44.30  45.10  45.50  0.00\n", "x")
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
    ("comment", "mode", "told"),
    [
        (
            "Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)",
            "send buffer on DEVICE (D), receive buffer on HOST (H)",
            0,
        ),
        (
            "Rank 0 Memory on DEVICE (D) and Rank 1 Memory on HOST (H)",
            "rank 0 memory on DEVICE (D), rank 1 memory on HOST (H)",
            0,
        ),
        ("[ pairs: 1 ] [ window size: varied ]", "window varied", 0),
        ("Neighborhood: cartesian, 2 dimensions", "Neighborhood: cartesian, 2 dimensions", 1),
        ("Time is taken in (us) on rank 0", "", 1),
        ("Latency (us) is half of a round trip", "", 1),
        ("Overall = Coll. Init + Compute + MPI_Test + MPI_Wait", "", 0),
        ("----", "", 0),
    ],
)
def test_a_comment_above_the_rows_is_in_them_or_told(comment, mode, told):
    imported = read_osu(f"# OSU MPI Latency Test v7.4\n# {comment}\n# Size  Latency (us)\n8  1.00\n", "x")
    assert imported.rows.select("time_ns", "mode").rows() == [(1000.0, f"standard, {mode}" if mode else "standard")]
    assert len(imported.notes) == told
    assert all(comment in note and note.startswith("Line 2:") for note in imported.notes)


def test_a_comment_with_a_unit_among_the_rows_is_no_heading():
    text = (
        "# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n8  1.00\n# the next ones waited (us): see job 7\n16  2.00\n"
    )
    imported = read_osu(text, "x")
    assert imported.rows.select("size_bytes", "time_ns", "mode").rows() == [
        (8, 1000.0, "standard"),
        (16, 2000.0, "standard"),
    ]
    assert [n for n in imported.notes if "job 7" in n]


def test_rows_have_the_documented_columns():
    from polympi.lab.importers import IMPORTED_SCHEMA

    assert read("osu-5.0-latency.txt").rows.schema == pl.Schema(IMPORTED_SCHEMA)
