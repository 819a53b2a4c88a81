"""Intel MPI Benchmarks: headers, tables and rows that no real output here has."""

import polars as pl
import pytest
from importers.fixture_files import FIXTURES, read

from polympi.lab.importers.imb import read_imb

PINGPONG = "# Benchmarking PingPong\n# #processes = 2\n"
HEADING = " #bytes #repetitions t[usec] Mbytes/sec\n"
CHECKED = (
    "# Benchmarking Allreduce\n# #processes = 2\n"
    "  #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]      defects\n"
)


def test_each_of_several_groups_is_a_separate_row():
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
    assert imported.left_out == {7}


def test_more_than_two_processes_are_not_our_point_to_point_benchmarks():
    text = (FIXTURES / "imb-2021.11-point-to-point.txt").read_text().replace("#processes = 2", "#processes = 4")
    rows = read_imb(text, "x").rows
    assert set(rows["benchmark"]) == {"PingPong", "PingPing", "Sendrecv", "Exchange"}
    assert rows["ranks"].unique().to_list() == [4]


DAMAGED = [
    "  8   100   1.0",
    "  8 int-overflow.; something",
    "  8 int-overflow; something",
    "  8 quota.; something",
    "  8   100   nan   8.00",
    "  8   100   inf   8.00",
    "  8   100   -1.0  8.00",
    "  8   100   1e30  8.00",
    "  8   100   0.00  0.00",
    "  99999999999999999999   100   1.0  8.00",
    "  8   99999999999999999999   1.0  8.00",
    "2 total processes killed",
    "Killed",
]


def test_damaged_rows_are_left_out_with_their_reasons():
    imported = read_imb("\n".join([(PINGPONG + HEADING).rstrip("\n"), *DAMAGED, ""]), "x")
    assert imported.rows.is_empty()
    assert imported.left_out == set(range(4, 4 + len(DAMAGED)))
    assert imported.notes == [
        "Line 4: PingPong at 8 bytes was left out: it has 3 values under a heading of 4 columns.",
        "Lines 5-6: 2 rows of PingPong were not measured: the buffer of all ranks is larger than an integer counts.",
        "Line 7: PingPong at 8 bytes was not measured: the tool says quota.",
        "Lines 8-9, 14-15: 4 rows of PingPong were left out: a value is not a number, first 'nan'.",
        "Line 10: latency at 8 bytes was left out: a time or a rate is negative.",
        "Line 11: latency at 8 bytes was left out: a time or a rate is impossibly large.",
        "Line 12: latency at 8 bytes was left out: its figures are all zero or absent.",
        "2 lines are neither headings nor figures and were left out: 13, 16.",
    ]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (PINGPONG + HEADING, "Line 1: the table of PingPong has no figures."),
        (HEADING + " 8 100 1.0 8.0\n", "Line 1: a table without '# Benchmarking ...' before it was left out."),
    ],
)
def test_a_table_without_rows_or_name(text, note):
    imported = read_imb(text, "x")
    assert imported.rows.is_empty()
    assert imported.notes[0] == note


@pytest.mark.parametrize("defects", ["1.00", "0.25", "nan"])
def test_rows_with_defects_are_left_out_and_those_without_kept(defects):
    imported = read_imb(f"{CHECKED}  4  1000  1.51  4.61  2.41  {defects}\n  8  1000  1.52  4.62  2.42  0.00\n", "x")
    assert imported.rows["size_bytes"].to_list() == [8]
    assert imported.left_out == {4}


@pytest.mark.parametrize(
    ("comment", "details", "reported"),
    [
        ("( 6 additional processes waiting in MPI_Barrier)", ["6 other processes waiting"], 0),
        ("( 1 additional process waiting in MPI_Barrier)", ["1 other process waiting"], 0),
        ("#processes = 2 (threads: 4)", ["threads: 4"], 1),
        ("( #processes = 2 )", [], 0),
        ("Group  0:     0", [], 0),
        ("Transport: something", [], 1),
    ],
)
def test_a_comment_of_a_table_is_in_its_rows_or_reported(comment, details, reported):
    imported = read_imb(f"{PINGPONG}# {comment}\n{HEADING} 8 100 1.00 8.00\n", "x")
    mode = ", ".join(["standard", *details])
    assert imported.rows.select("benchmark", "ranks", "mode").rows() == [("latency", 2, mode)]
    assert len(imported.notes) == reported


def test_the_header_names_operation_and_thread_level_and_what_it_does_not_mean_is_reported():
    header = (
        "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part\n# Date                  : today\n"
        "# MPI Thread Environment: MPI_THREAD_MULTIPLE\n# MPI_Op                         :   MPI_MAX\n# Fabric: new\n"
        "# List of Benchmarks to run:\n\n# Allreduce\n"
    )
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
