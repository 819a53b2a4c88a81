"""NetPIPE 3 and 5: their data files have no heading at all."""

import pytest
from importers.fixture_files import FIXTURES, read

from polympi.lab.errors import UsageError
from polympi.lab.importers import import_file, parse_netpipe_options
from polympi.lab.importers.netpipe import read_netpipe, version_of


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param(
            "      1024     8.192     8.000     8.400    4.00\n   1048576   368.728   360.000   370.000   91.00\n",
            [(1024, 8, "ping-pong of 4 pairs"), (1048576, 8, "ping-pong of 4 pairs")],
            id="several pairs are not our latency",
        ),
        pytest.param(
            "   1048576    92.182    90.000    94.000   91.00     6.20 GB/sec\n",
            [(1048576, 2, "NetPIPE")],
            id="a workload after a row does not hide it",
        ),
        pytest.param(
            "      1024     8.192     8.000     8.400    1.00\n   1048576   1e300   1e300   1e300   1e200\n",
            [(1024, 2, "NetPIPE")],
            id="a damaged rate is no number of pairs",
        ),
    ],
)
def test_rows_of_version_5(text, rows):
    assert read_netpipe(text, "x").rows.select("size_bytes", "ranks", "benchmark").rows() == rows


@pytest.mark.parametrize(
    ("text", "benchmark", "mode"),
    [
        ("", "latency", "standard"),
        ("-u 65536 -p 0 -o x.out -O 0,0", "latency", "standard"),
        ("-S", "latency", "synchronous"),
        ("-2", "NetPIPE", "bidirectional"),
        ("-s -I", "NetPIPE", "streaming, out of cache"),
        ("-2aS", "NetPIPE", "bidirectional, receives posted ahead, synchronous"),
        ("--bidir --end 1000", "NetPIPE", "bidirectional"),
    ],
)
def test_options_that_the_user_names_say_what_was_measured(text, benchmark, mode):
    path = FIXTURES / "netpipe-3-synchronous.np.out"
    imported = import_file(path, parse_netpipe_options(text))
    assert imported.rows.select("benchmark", "mode", "options").unique().rows() == [(benchmark, mode, text or None)]
    assert imported.notes == []


@pytest.mark.parametrize("text", ["-q", "hello", "-S 'open", "--nothing"])
def test_unknown_options_are_refused(text):
    with pytest.raises(UsageError, match=r"are not options of NetPIPE: write them as on its command line"):
        parse_netpipe_options(text)


def test_a_last_row_that_lost_digits_and_a_line_between_rows_are_left_out():
    lines = (FIXTURES / "netpipe-3-published.np.out").read_text().splitlines()
    cut = read_netpipe("\n".join(lines)[:-1], "x")
    assert (cut.rows.height, cut.left_out) == (len(lines) - 1, {len(lines)})
    disturbed = read_netpipe("\n".join([*lines[:2], "Killed", *lines[2:]]), "x")
    assert (disturbed.rows.height, disturbed.left_out) == (len(lines), {3})


@pytest.mark.parametrize("text", ["", "1 2 3\n4 5 6\n", "10 1.0 2.0 0.5 3\n", "0 1 1\n", "a b c\n"])
def test_three_or_five_numbers_that_do_not_fit_together_are_not_netpipe(text):
    assert version_of(text) is None


def test_terminal_output_is_refused_with_the_file_to_give_instead():
    with pytest.raises(UsageError, match=r"give the data file it writes \(np\.out"):
        read("netpipe-3-terminal.txt")
