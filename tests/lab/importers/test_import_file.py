"""Recognising a file, mixed files, and what is not a benchmark's output."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from importers.fixture_files import FIXTURES, read

from polympi.lab.errors import UsageError
from polympi.lab.importers import IMPORTED_SCHEMA, import_file
from polympi.lab.importers.imb import read_imb
from polympi.lab.importers.netpipe import read_netpipe
from polympi.lab.importers.omb_py import read_omb_py
from polympi.lab.importers.osu import read_osu

OUTPUTS = sorted(p.name for p in FIXTURES.iterdir() if p.suffix in {".txt", ".out"} and "terminal" not in p.name)


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
    assert any(n.startswith(f"Line {37 + offset}: PingPong") for n in imported.notes)


def test_windows_line_ends_and_colours_do_no_harm(tmp_path):
    text = (FIXTURES / "osu-5.0-latency.txt").read_text()
    file = tmp_path / "x.txt"
    file.write_bytes(b"\xef\xbb\xbf" + text.replace("# OSU", "\x1b[32m# OSU").replace("\n", "\r\n").encode())
    assert import_file(file).rows.drop("source").equals(read("osu-5.0-latency.txt").rows.drop("source"))


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x00\xff\xfe\x80" * 50, b"1 2 3\n"])
def test_an_unknown_file_is_one_sentence_and_exit_code_2(tmp_path, content):
    file = tmp_path / "x.txt"
    file.write_bytes(content)
    with pytest.raises(UsageError, match="is no output that polympi can import") as raised:
        import_file(file)
    assert raised.value.exit_code == 2


def test_a_missing_file_and_a_directory_are_one_sentence(tmp_path):
    with pytest.raises(UsageError, match=r"^Cannot read '.*nothing': No such file or directory\.$"):
        import_file(tmp_path / "nothing")
    with pytest.raises(UsageError, match=r"^Cannot read '.*': Is a directory\.$"):
        import_file(tmp_path)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(data=st.data())
def test_no_damage_makes_a_reader_fail_or_invent_rows(data):
    lines = (FIXTURES / data.draw(st.sampled_from(OUTPUTS))).read_text().splitlines()
    whole = {reader: reader("\n".join(lines), "x").rows.height for reader in READERS}
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        cut = data.draw(st.integers(0, len(lines[at])))
        lines[at] = lines[at][:cut] + data.draw(st.sampled_from(["", "\x00", "#", " ? ", "-", "nan"]))
    for reader, rows in whole.items():
        assert reader("\n".join(lines), "x").rows.height <= rows


READERS = [read_osu, read_omb_py, read_imb, read_netpipe]
