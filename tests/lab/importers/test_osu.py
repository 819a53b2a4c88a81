"""OSU Micro-Benchmarks and OMB-Py: published outputs of versions 5 to 7."""

from __future__ import annotations

import polars as pl
import pytest
from importers.fixture_files import read, row

from polympi.lab.importers.omb_py import read_omb_py
from polympi.lab.importers.osu import read_osu


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
        "ranks": 2,
        "time_ns": 1840.0,
        "time_min_ns": None,
        "time_max_ns": None,
        "mb_per_s": None,
        "repetitions": None,
        "source": "osu-5.0-latency.txt",
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
    assert imported.notes == []


def test_several_benchmarks_in_one_file_with_a_startup_time():
    imported = read("osu-5.6.2-several.txt")
    startup = row(imported, benchmark="startup")
    assert (startup["mode"], startup["payload"], startup["ranks"]) == ("init", "none", 4)
    assert startup["time_ns"] == 67e6
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
    assert (biggest["ranks"], biggest["mb_per_s"]) == (96, 99357.09)
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
    assert (first["time_ns"], first["time_min_ns"], first["time_max_ns"]) == (132140.0, 31230.0, 831040.0)
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
        "Line 4: rows of MPI-CUDA Reduce Latency have 5 values, but the heading names only 2; "
        "the values without a name are not imported."
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
    percentiles = "The columns P50 Tail Lat(us), P90 Tail Lat(us), P99 Tail Lat(us) of {} are not imported."
    assert imported.notes == [
        percentiles.format("latency"),
        percentiles.format("allreduce"),
        "Line 16: the tool found the data of latency wrong; the row was left out.",
    ]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("8", "Line 3: 1 of 2 values are missing."),
        ("8   oops", "Line 3: 'oops' is not a number; the row was left out."),
        ("8   nan", "Line 3: 'nan' is not a number; the row was left out."),
        ("8   0.00", "Line 3: the figures of latency at 8 bytes are all zero or absent."),
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
    assert imported.notes == ["5 lines are neither headings nor figures and were left out: 1-3, 9-10."]


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


def test_rows_have_the_documented_columns():
    from polympi.lab.importers import IMPORTED_SCHEMA

    assert read("osu-5.0-latency.txt").rows.schema == pl.Schema(IMPORTED_SCHEMA)
