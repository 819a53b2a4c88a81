"""Intel MPI Benchmarks: real runs of 2021.11 and a published one of 4.1."""

from __future__ import annotations

import polars as pl
import pytest
from importers.fixture_files import FIXTURES, content_of, read, row

from polympi.lab.importers.imb import read_imb


def test_pingpong_and_sendrecv_of_two_processes_are_our_latencies():
    imported = read("imb-2021.11-point-to-point.txt")
    assert imported.tool == "IMB"
    assert row(imported, benchmark="latency", mode="standard", size_bytes=1024) == {
        "tool": "IMB 2021.11",
        "benchmark": "latency",
        "mode": "standard",
        "payload": "bytes",
        "size_bytes": 1024,
        "sent_bytes": None,
        "ranks": 2,
        "time_ns": 200.0,
        "statistic": "max over ranks",
        "time_mean_ns": None,
        "time_min_ns": None,
        "time_max_ns": 200.0,
        "mb_per_s": 5098.33,
        "repetitions": 200,
        "options": "-msglog 0:10 -iter 200 -time 0.5",
        "source": "imb-2021.11-point-to-point.txt",
        "content": content_of("imb-2021.11-point-to-point.txt"),
    }
    assert row(imported, mode="sendrecv", size_bytes=1024)["mb_per_s"] == 9410.68
    assert imported.rows.filter(benchmark="PingPing").height == 12
    assert imported.rows.filter(benchmark="Exchange").height == 12
    assert imported.notes == []


def test_an_empty_message_has_a_time_but_no_rate():
    empty = row(read("imb-2021.11-point-to-point.txt"), benchmark="latency", mode="standard", size_bytes=0)
    assert (empty["time_ns"], empty["mb_per_s"]) == (1600.0, None)


def test_collectives_and_a_barrier_without_a_size():
    imported = read("imb-2021.11-collectives.txt")
    allreduce = row(imported, benchmark="allreduce", size_bytes=256)
    assert (allreduce["payload"], allreduce["time_ns"], allreduce["statistic"]) == ("float32", 440.0, "max over ranks")
    assert (allreduce["time_min_ns"], allreduce["time_mean_ns"], allreduce["time_max_ns"]) == (310.0, 380.0, 440.0)
    barrier = row(imported, benchmark="barrier")
    assert (barrier["size_bytes"], barrier["payload"], barrier["time_ns"]) == (0, "none", 210.0)
    assert row(imported, benchmark="bcast", size_bytes=4)["payload"] == "bytes"
    assert imported.rows.filter(benchmark="Reduce_scatter").height == 8


def test_uniband_and_biband_are_our_bandwidths_and_an_empty_message_is_no_row():
    imported = read("imb-2021.11-uniband.txt")
    assert row(imported, benchmark="bandwidth", size_bytes=64)["mb_per_s"] == 448.43
    assert row(imported, benchmark="bibandwidth", size_bytes=64)["mb_per_s"] == 901.1
    assert imported.rows["mode"].unique().to_list() == ["standard, window 256"]  # ours is 64
    assert imported.rows["size_bytes"].min() == 8
    assert imported.notes == [
        "Lines 36, 47: 2 rows of bandwidth, bibandwidth were left out: an empty message has no rate."
    ]


def test_rows_that_ran_into_the_time_limit_are_notes():
    imported = read("imb-2021.11-time-out.txt")
    assert imported.rows.is_empty()
    assert imported.notes == [
        "Lines 37, 44, 51: 3 rows of PingPong, Allreduce, Uniband were not measured: "
        "the tool ran into its time limit (-time)."
    ]


def test_rows_that_ran_out_of_memory_are_notes_and_the_others_rows():
    imported = read("imb-2021.11-out-of-memory.txt")
    assert row(imported, benchmark="alltoall", size_bytes=262144)["time_mean_ns"] == 16760.0
    assert imported.notes == [
        "Lines 49, 67, 85, 102: 4 rows of PingPong, Sendrecv, Allreduce, Alltoall were not measured: "
        "the tool ran into its memory limit (-mem)."
    ]


def test_groups_that_run_at_once_are_not_our_benchmark():
    imported = read("imb-2021.11-multi.txt")
    assert row(imported, benchmark="Multi-Sendrecv", size_bytes=16)["ranks"] == 2
    assert row(imported, benchmark="bcast", size_bytes=16)["time_ns"] == 270.0


def test_each_of_several_groups_is_a_row_of_its_own():
    text = (
        "# Benchmarking Multi-PingPong\n# ( 2 groups of 2 processes each running simultaneous )\n"
        " Group #bytes #repetitions t[usec] Mbytes/sec\n\n"
        " 0 8 100 1.00 8.00\n 1 8 100 2.00 4.00\n 1 16 time-out.; Time limit is over\n"
    )
    imported = read_imb(text, "x")
    assert imported.rows.select("mode", "ranks", "size_bytes", "time_ns").rows() == [
        ("standard, group 0", 4, 8, 1000.0),
        ("standard, group 1", 4, 8, 2000.0),
    ]
    assert imported.notes == [
        "Line 7: Multi-PingPong at 16 bytes was not measured: the tool ran into its time limit (-time)."
    ]


def test_nonblocking_collectives_are_their_pure_time():
    imported = read("imb-2021.11-nonblocking.txt")
    ibcast = row(imported, benchmark="Ibcast", size_bytes=8)
    assert (ibcast["time_ns"], ibcast["statistic"]) == (1100.0, "one rank")
    assert row(imported, benchmark="Iallreduce_pure", size_bytes=8)["payload"] == "float32"
    assert imported.notes == ["The columns t_ovrl[usec], t_CPU[usec], overlap[%] of Ibcast are not imported."]


def test_modes_of_one_sided_benchmarks_tell_their_tables_apart():
    imported = read("imb-2021.11-one-sided.txt")
    assert row(imported, benchmark="Unidir_put", mode="non-aggregate", size_bytes=32)["time_ns"] == 770.0
    assert row(imported, benchmark="Unidir_put", mode="aggregate", size_bytes=32)["time_ns"] == 350.0


def test_the_p2p_program_s_pingpong_is_another_benchmark():
    imported = read("imb-2021.11-p2p.txt")
    pingpong = row(imported, benchmark="IMB-P2P PingPong", size_bytes=16)
    assert (pingpong["mb_per_s"], pingpong["statistic"]) == (5.72, "unstated")
    assert imported.rows.filter(benchmark="latency").is_empty()


def test_megabytes_of_version_4_are_converted_from_two_to_the_twenty():
    largest = row(read("imb-4.1.txt"), benchmark="latency", size_bytes=4194304)
    assert largest["mb_per_s"] == pytest.approx(1347.94 * 1.048576, abs=1e-3)
    assert largest["mb_per_s"] == pytest.approx(4194304 / 2967.49, rel=1e-4)  # bytes over us


@pytest.mark.parametrize("name", ["imb-4.1.txt", "imb-2021.11-point-to-point.txt", "imb-2021.11-out-of-memory.txt"])
def test_every_rate_is_the_bytes_that_moved_over_the_time(name):
    # PingPong moves a message one way in its time; Sendrecv sends and receives; Exchange does so with two neighbours.
    factor = {("latency", "standard"): 1, ("PingPing", "standard"): 1, ("latency", "sendrecv"): 2}
    for r in _rated(name):
        messages = factor.get((r["benchmark"], r["mode"]), 4)
        time_us = (r["time_max_ns"] or r["time_ns"]) / 1000
        rounding = 0.005 / time_us + 0.005 / r["mb_per_s"]
        assert r["mb_per_s"] == pytest.approx(messages * r["size_bytes"] / time_us, rel=1.1 * rounding + 1e-6)


def _rated(name):
    return [r for r in read(name).rows.iter_rows(named=True) if r["mb_per_s"]]


def test_more_than_two_processes_are_not_our_point_to_point_benchmarks():
    text = (FIXTURES / "imb-2021.11-point-to-point.txt").read_text().replace("#processes = 2", "#processes = 4")
    rows = read_imb(text, "x").rows
    assert set(rows["benchmark"]) == {"PingPong", "PingPing", "Sendrecv", "Exchange"}
    assert rows["ranks"].unique().to_list() == [4]


@pytest.mark.parametrize(
    ("row_text", "note"),
    [
        ("  8   100   1.0", "Line 4: PingPong at 8 bytes was left out: it has 3 values under a heading of 4 columns."),
        ("  8 int-overflow.; something", "Line 4: PingPong at 8 bytes was not measured: the buffer of all ranks"),
        ("  8 int-overflow; something", "Line 4: PingPong at 8 bytes was not measured: the buffer of all ranks"),
        ("  8 quota.; something", "Line 4: PingPong at 8 bytes was not measured: the tool says quota."),
        ("  8   100   nan   8.00", "Line 4: PingPong at 8 bytes was left out: a value is not a number: 'nan'."),
        ("  8   100   inf   8.00", "Line 4: PingPong at 8 bytes was left out: a value is not a number: 'inf'."),
        ("  8   100   -1.0  8.00", "Line 4: latency at 8 bytes was left out: a time or a rate is negative."),
        ("  8   100   1e30  8.00", "Line 4: latency at 8 bytes was left out: a time or a rate is impossibly large."),
        ("  8   100   0.00  0.00", "Line 4: latency at 8 bytes was left out: its figures are all zero or absent."),
        ("  99999999999999999999   100   1.0  8.00", "1 line is neither a heading nor figures and was left out: 4."),
        ("  8   99999999999999999999   1.0  8.00", "Line 4: PingPong at 8 bytes was left out: a value is not a number"),
        ("2 total processes killed", "Line 4: PingPong at 2 bytes was left out: a value is not a number: 'total'."),
        ("Killed", "1 line is neither a heading nor figures and was left out: 4."),
        ("", "Line 1: the table of PingPong has no figures."),
    ],
)
def test_a_damaged_row_is_said_with_its_line(row_text, note):
    text = "# Benchmarking PingPong\n# #processes = 2\n #bytes #repetitions t[usec] Mbytes/sec\n" + row_text + "\n"
    imported = read_imb(text, "x")
    assert imported.rows.is_empty()
    assert any(n.startswith(note) for n in imported.notes), imported.notes


def test_a_table_without_its_block_is_said():
    imported = read_imb(" #bytes #repetitions t[usec] Mbytes/sec\n 8 100 1.0 8.0\n", "x")
    assert imported.rows.is_empty()
    assert imported.notes[0] == "Line 1: a table without '# Benchmarking ...' before it was left out."


def test_datatypes_of_messages_and_of_sums_are_kept():
    imported = read("imb-2021.11-datatypes.txt")
    assert {(r["benchmark"], r["payload"]) for r in imported.rows.iter_rows(named=True)} == {
        ("latency", "float32"),
        ("bcast", "float32"),
        ("allreduce", "float64"),
    }


def test_options_that_change_what_is_measured_stand_in_the_mode():
    shifted = read("imb-2021.11-root-shift.txt")
    assert row(shifted, benchmark="bcast", size_bytes=8)["mode"] == "standard, another root each time"
    assert row(shifted, benchmark="barrier")["mode"] == "standard"
    assert row(shifted, benchmark="barrier")["options"] == "-root_shift on -msglog 3:6 -time 0.1"
    multiple = read("imb-2021.11-thread-level.txt")
    assert multiple.rows["mode"].unique().to_list() == ["standard, thread level multiple"]


CHECKED = (
    "# Benchmarking Allreduce\n# #processes = 2\n"
    "  #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]      defects\n"
)


@pytest.mark.parametrize("defects", ["1.00", "0.25", "nan"])
def test_rows_with_defects_are_left_out_and_those_without_kept(defects):
    imported = read_imb(f"{CHECKED}  4  1000  1.51  4.61  2.41  {defects}\n  8  1000  1.52  4.62  2.42  0.00\n", "x")
    assert imported.rows["size_bytes"].to_list() == [8]
    assert imported.left_out == {4}


@pytest.mark.parametrize(
    ("comment", "details", "told"),
    [
        ("( 6 additional processes waiting in MPI_Barrier)", ["6 other processes waiting"], 0),
        ("( 1 additional process waiting in MPI_Barrier)", ["1 other process waiting"], 0),
        ("#processes = 2 (threads: 4)", ["threads: 4"], 1),
        ("( #processes = 2 )", [], 0),
        ("Group  0:     0", [], 0),
        ("Transport: something", [], 1),
    ],
)
def test_a_comment_of_a_table_is_in_its_rows_or_told(comment, details, told):
    text = f"# Benchmarking PingPong\n# #processes = 2\n# {comment}\n #bytes #repetitions t[usec] Mbytes/sec\n"
    imported = read_imb(text + " 8 100 1.00 8.00\n", "x")
    assert imported.rows.select("benchmark", "ranks", "mode").rows() == [
        ("latency", 2, ", ".join(["standard", *details]))
    ]
    assert len(imported.notes) == told


def test_the_header_names_operation_and_thread_level_and_what_it_does_not_mean_is_told():
    header = "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n# Date                  : today\n"
    header += (
        "# MPI Thread Environment: MPI_THREAD_MULTIPLE\n# MPI_Op                         :   MPI_MAX\n# Fabric: new\n"
    )
    header += "# List of Benchmarks to run:\n\n# Allreduce\n"
    imported = read_imb(header + CHECKED + "  4  1000  1.51  4.61  2.41  0.00\n", "x")
    assert imported.rows["mode"].to_list() == ["standard, thread level multiple, operation max"]
    assert imported.notes == ["Line 5: a comment is not understood: 'Fabric: new'. Does it change what a row is?"]


def test_a_command_line_of_several_lines_is_read_whole_and_nothing_else():
    text = (
        "#    Intel (R) MPI Benchmarks 4.1, MPI-1 part\n# Calling sequence was:\n#\n"
        "# /home/me/IMB-MPI1 Uniband -msglog 3:4 -iter 5\n#                    -window_size 64\n"
        "# Minimum message length in bytes:   0\n# Benchmarking Uniband\n# #processes = 2\n"
        " #bytes #repetitions Mbytes/sec Msg/sec\n 8 5 1.00 125000\n"
    )
    only = read_imb(text, "x").rows.row(0, named=True)
    assert (only["benchmark"], only["mode"]) == ("bandwidth", "standard")
    assert only["options"] == "-msglog 3:4 -iter 5 -window_size 64"


def test_each_output_in_a_file_has_its_own_datatypes_and_its_own_megabyte():
    names = ["imb-2021.11-datatypes.txt", "imb-4.1.txt", "imb-2021.11-collectives.txt"]
    together = read_imb("".join((FIXTURES / n).read_text() for n in names), "x").rows.drop("source", "content")
    assert together.equals(pl.concat([read(n).rows for n in names]).drop("source", "content"))
