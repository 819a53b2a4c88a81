"""Recognising a file, mixed files, and what is not a benchmark's output."""

import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.fixture_files import FIXTURES, OUTPUTS, read

from polympi.lab.errors import UsageError
from polympi.lab.importers import IMPORTED_SCHEMA, import_file
from polympi.lab.importers.imb import read_imb
from polympi.lab.importers.netpipe import read_netpipe
from polympi.lab.importers.osu import read_omb_py, read_osu


def figures(imported):
    """Rows without the name and the content of their file."""
    return imported.rows.drop("source", "content")


def printed_row(line):
    """What a benchmark prints on a line, without the label of a launcher; empty for headings and comments."""
    text = re.sub(r"^.*<stdout>:", "", line).rstrip()
    return "" if re.match(r" *(#|OSU MPI)", text) else text


def import_text(folder, text):
    file = folder / "x.txt"
    file.write_text(text)
    return import_file(file)


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_line_is_a_row_with_its_figures_or_is_reported(name):
    imported = read(name)
    lines = enumerate((FIXTURES / name).read_text().splitlines(), start=1)
    printed = [(number, row) for number, line in lines if (row := printed_row(line))]
    kept = [row for number, row in printed if number not in imported.left_out]
    assert len(kept) == imported.rows.height
    assert len(imported.notes) <= 6
    for line, row in zip(kept, imported.rows.iter_rows(named=True), strict=True):
        values = [float(value) for value in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", line)]
        for column in ("time_ns", "time_mean_ns", "time_min_ns", "time_max_ns"):
            # ms of MPI_Init; s of NetPIPE 3; us of all others
            assert row[column] is None or any(
                row[column] == pytest.approx(value * unit, abs=1e-3) for value in values for unit in (1e3, 1e6, 1e9)
            )
        if row["size_bytes"]:
            assert row["size_bytes"] == values[0]
        # megabytes of 2^20 bytes (IMB 4.1); megabits of 2^20 (NetPIPE 3); gigabits of 10^9 (NetPIPE 5)
        units = (1, 1.048576, 2**20 / 8e6, 125)
        assert row["mb_per_s"] is None or any(
            row["mb_per_s"] == pytest.approx(value * unit, abs=1e-5) for value in values for unit in units
        )
        assert row["time_ns"] or row["mb_per_s"]


@pytest.mark.parametrize("name", [n for n in OUTPUTS if read(n).rows.height > 1])
def test_a_file_cut_anywhere_in_its_last_row_gives_no_wrong_figure(name, tmp_path):
    lines = (FIXTURES / name).read_text().splitlines()
    left_out = read(name).left_out
    last = max(n for n, line in enumerate(lines) if printed_row(line) and n + 1 not in left_out)
    complete = figures(import_text(tmp_path, "\n".join(lines[: last + 1]) + "\n"))
    row = lines[last].rstrip()
    for length in range(1, len(row)):
        if row[max(0, length - 2) : length] == "  ":
            continue  # cut at its first blank before
        part = figures(import_text(tmp_path, "\n".join([*lines[:last], row[:length]])))
        assert part.equals(complete.head(part.height)), row[:length]


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_tool_of_every_fixture_is_recognised(name):
    imported = read(name)
    assert imported.tool.lower() == name[: len(imported.tool)]
    assert imported.rows.schema == pl.Schema(IMPORTED_SCHEMA)
    assert (imported.rows["source"] == name).all()


def test_a_log_of_several_tools_is_read_whole_with_the_line_numbers_of_the_file(tmp_path):
    log = tmp_path / "slurm-1.out"
    names = ["osu-5.6.3-several.txt", "imb-2021.11-time-out.txt", "omb-py-latency.txt", "osu-5.8-latency.txt"]
    texts = [(FIXTURES / n).read_text() for n in names]
    log.write_text("".join(texts))
    imported = import_file(log)
    assert imported.tool == "OSU, IMB, OMB-Py"
    assert imported.rows.height == sum(read(n).rows.height for n in names)
    offset = len(texts[0].splitlines())
    assert {offset + n for n in read("imb-2021.11-time-out.txt").left_out} <= imported.left_out


PLAIN = (FIXTURES / "osu-5.0-latency.txt").read_text()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(
            b"\xef\xbb\xbf" + PLAIN.replace("# OSU", "\x1b[32m# OSU").replace("\n", "\r\n").encode(),
            id="line ends of Windows and a colour",
        ),
        pytest.param(
            ("\x1b]0;title\x07\x1b[?25l" + PLAIN.replace("\n", "\x1b[0m\x1b(B\r\r\n")).encode(),
            id="terminal sequences of all kinds and doubled line ends",
        ),
        *(
            pytest.param((mark + PLAIN).encode(encoding), id=encoding)
            for encoding, mark in {
                **dict.fromkeys(("utf-16", "utf-32", "utf-8-sig"), ""),  # Python writes the mark
                **dict.fromkeys(("utf-16-le", "utf-16-be"), "\ufeff"),
            }.items()
        ),
    ],
)
def test_encodings_and_the_signs_of_terminals_do_no_harm(tmp_path, data):
    file = tmp_path / "x.txt"
    file.write_bytes(data)
    imported = import_file(file)
    assert figures(imported).equals(figures(read("osu-5.0-latency.txt")))
    assert imported.notes == read("osu-5.0-latency.txt").notes  # the same line numbers


def test_bytes_that_are_no_text_cost_their_line_only(tmp_path):
    lines = (FIXTURES / "osu-5.8-latency.txt").read_bytes().split(b"\n")
    lines[4] = b"\xff\xfe\x80" + lines[4]
    file = tmp_path / "x.txt"
    file.write_bytes(b"\n".join(lines))
    imported = import_file(file)
    assert imported.rows.height == read("osu-5.8-latency.txt").rows.height - 1
    assert 5 in imported.left_out


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        *(
            (content, "is not an output that polympi can import")
            for content in (b"hello\n", b"\x00\xff" * 50, b"1 2 3\n")
        ),
        *((content, r"is empty: did the benchmark print to another file") for content in (b"", b" \r\n\n")),
    ],
)
def test_a_file_without_benchmarks_is_refused(tmp_path, content, sentence):
    file = tmp_path / "x.txt"
    file.write_bytes(content)
    with pytest.raises(UsageError, match=sentence) as raised:
        import_file(file)
    assert raised.value.exit_code == 2


def test_a_missing_or_huge_file_and_a_folder_are_refused(tmp_path):
    for path, sentence in {
        tmp_path / "nothing": r"^Cannot read '.*nothing': there is no such file or directory\.$",
        tmp_path: r"^'.*' is a directory: give the files in it\.$",
        Path("/dev/zero"): r"^'/dev/zero' is larger than 64 MiB, more than benchmarks print",  # before memory is full
    }.items():
        with pytest.raises(UsageError, match=sentence):
            import_file(path)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(data=st.data())
def test_no_damage_makes_a_reader_fail_or_invent_rows(data):
    lines = (FIXTURES / data.draw(st.sampled_from(OUTPUTS))).read_text().splitlines()
    whole = {reader: reader("\n".join(lines), "x").rows.height for reader in READERS}
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        cut = data.draw(st.integers(0, len(lines[at])))
        lines[at] = lines[at][:cut] + data.draw(st.sampled_from(DAMAGE))
    for reader, rows in whole.items():
        assert reader("\n".join(lines), "x").rows.height <= rows


DAMAGE = ["", "\x00", "#", " ? ", "-", "nan", "inf", "9" * 30, "1e308 ", "0.0.0 ", "\u0663", "\r"]
READERS = [read_osu, read_omb_py, read_imb, read_netpipe]
