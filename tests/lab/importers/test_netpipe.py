"""NetPIPE 3 and 5: their data files have no heading at all."""

from __future__ import annotations

import pytest
from importers.fixture_files import FIXTURES, content_of, read, row

from polympi.lab.errors import UsageError
from polympi.lab.importers import import_file, parse_netpipe_options
from polympi.lab.importers.netpipe import read_netpipe, version_of


@pytest.mark.parametrize("name", ["netpipe-3-openmpi.np.out", "netpipe-3-mpich.np.out", "netpipe-3-published.np.out"])
def test_every_line_of_a_real_file_is_read_and_its_rate_is_size_over_time(name):
    imported = read(name)
    assert imported.tool == "NetPIPE"
    assert imported.rows.height == len((FIXTURES / name).read_text().splitlines())
    for r in imported.rows.iter_rows(named=True):
        # seconds are printed to 10 ns
        assert r["size_bytes"] / r["mb_per_s"] * 1000 == pytest.approx(r["time_ns"], abs=5.1)


def test_megabits_of_version_3_are_two_to_the_twenty_bits():
    assert row(read("netpipe-3-published.np.out"), size_bytes=1048576) == {
        "tool": "NetPIPE 3",
        "benchmark": "NetPIPE",
        "mode": "unstated",
        "payload": "bytes",
        "size_bytes": 1048576,
        "sent_bytes": None,
        "ranks": 2,
        "time_ns": 1817410.0,
        "statistic": "min over trials",
        "time_mean_ns": None,
        "time_min_ns": None,
        "time_max_ns": None,
        "mb_per_s": pytest.approx(4401.874814 * 2**20 / 8e6, abs=1e-5),
        "repetitions": None,
        "options": None,
        "source": "netpipe-3-published.np.out",
        "content": content_of("netpipe-3-published.np.out"),
    }


def test_gigabits_of_version_5_are_ten_to_the_nine_bits():
    imported = read("netpipe-5-made-up.np.out")
    assert imported.rows.height == 9
    largest = row(imported, size_bytes=1048576)
    assert (largest["tool"], largest["ranks"], largest["time_ns"]) == ("NetPIPE 5", 2, 91000.0)
    assert largest["statistic"] == "mean over trials"
    assert largest["mb_per_s"] == pytest.approx(92.182 * 125)


def test_several_pairs_of_version_5_are_not_our_latency():
    text = "      1024     8.192     8.000     8.400    4.00\n   1048576   368.728   360.000   370.000   91.00\n"
    rows = read_netpipe(text, "x").rows
    assert rows["benchmark"].unique().to_list() == ["ping-pong of 4 pairs"]
    assert rows["ranks"].unique().to_list() == [8]


def test_a_workload_behind_a_row_of_version_5_does_not_hide_it():
    text = "   1048576    92.182    90.000    94.000   91.00     6.20 GB/sec\n"
    assert read_netpipe(text, "x").rows["time_ns"].to_list() == [91000.0]


@pytest.mark.parametrize("name", ["netpipe-3-bidirectional.np.out", "netpipe-3-streaming.np.out"])
def test_a_file_of_unknown_options_is_not_taken_for_our_ping_pong(name):
    imported = read(name)
    assert set(imported.rows.select("benchmark", "mode").unique().rows()) == {("NetPIPE", "unstated")}
    assert imported.notes == [
        "NetPIPE's file does not name the options it was made with, so that the mode of its rows is 'unstated': "
        "give them as --netpipe-options '-S -I', or '' if there were none."
    ]


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
def test_what_is_no_option_of_netpipe_is_one_sentence(text):
    with pytest.raises(UsageError, match=r"are not options of NetPIPE: write them as on its command line"):
        parse_netpipe_options(text)


def test_a_last_row_that_lost_digits_is_left_out():
    text = (FIXTURES / "netpipe-3-published.np.out").read_text().rstrip("\n")[:-1]
    lines = text.splitlines()
    imported = read_netpipe(text, "x")
    assert imported.rows.height == len(lines) - 1
    assert imported.left_out == {len(lines)}


def test_a_damaged_rate_is_no_number_of_pairs():
    text = "      1024     8.192     8.000     8.400    1.00\n   1048576   1e300   1e300   1e300   1e200\n"
    rows = read_netpipe(text, "x").rows
    assert rows.select("size_bytes", "ranks").rows() == [(1024, 2)]


def test_a_line_between_the_rows_is_said():
    lines = (FIXTURES / "netpipe-3-published.np.out").read_text().splitlines()
    imported = read_netpipe("\n".join([*lines[:2], "Killed", *lines[2:]]), "x")
    assert imported.rows.height == len(lines)
    assert imported.notes[-1] == "1 line is neither a heading nor figures and was left out: 3."


@pytest.mark.parametrize("text", ["", "1 2 3\n4 5 6\n", "10 1.0 2.0 0.5 3\n", "0 1 1\n", "a b c\n"])
def test_three_or_five_numbers_that_do_not_fit_together_are_not_netpipe(text):
    assert version_of(text) is None


def test_terminal_output_is_refused_with_the_file_to_give_instead():
    with pytest.raises(UsageError, match=r"give the data file it writes \(np\.out"):
        read("netpipe-3-terminal.txt")
