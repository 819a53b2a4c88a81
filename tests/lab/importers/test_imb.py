"""Intel MPI Benchmarks: real runs of 2021.11 and a published one of 4.1."""

from __future__ import annotations

import pytest
from importers.fixture_files import FIXTURES, read, row

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
        "ranks": 2,
        "time_ns": 200.0,
        "time_min_ns": None,
        "time_max_ns": None,
        "mb_per_s": 5098.33,
        "repetitions": 200,
        "source": "imb-2021.11-point-to-point.txt",
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
    assert (allreduce["payload"], allreduce["time_ns"]) == ("float32", 380.0)
    assert (allreduce["time_min_ns"], allreduce["time_max_ns"]) == (310.0, 440.0)
    barrier = row(imported, benchmark="barrier")
    assert (barrier["size_bytes"], barrier["payload"], barrier["time_ns"]) == (0, "none", 210.0)
    assert row(imported, benchmark="bcast", size_bytes=4)["payload"] == "bytes"
    assert imported.rows.filter(benchmark="Reduce_scatter").height == 8


def test_uniband_and_biband_are_our_bandwidths_and_an_empty_message_is_no_row():
    imported = read("imb-2021.11-uniband.txt")
    assert row(imported, benchmark="bandwidth", size_bytes=64)["mb_per_s"] == 448.43
    assert row(imported, benchmark="bibandwidth", size_bytes=64)["mb_per_s"] == 901.1
    assert imported.rows["size_bytes"].min() == 8
    assert imported.notes == []


def test_rows_that_ran_into_the_time_limit_are_notes():
    imported = read("imb-2021.11-time-out.txt")
    assert imported.rows.is_empty()
    assert imported.notes == [
        "Line 37: PingPong was not measured at 0 bytes: the tool ran into its time limit (-time).",
        "Line 44: Allreduce was not measured at 0 bytes: the tool ran into its time limit (-time).",
        "Line 51: Uniband was not measured at 0 bytes: the tool ran into its time limit (-time).",
    ]


def test_rows_that_ran_out_of_memory_are_notes_and_the_others_rows():
    imported = read("imb-2021.11-out-of-memory.txt")
    assert row(imported, benchmark="alltoall", size_bytes=262144)["time_ns"] == 16760.0
    assert len(imported.notes) == 4
    assert imported.notes[-1] == (
        "Line 102: Alltoall was not measured at 524288 bytes: the tool ran into its memory limit (-mem)."
    )


def test_groups_that_run_at_once_are_not_our_benchmark():
    imported = read("imb-2021.11-multi.txt")
    assert row(imported, benchmark="Multi-Sendrecv", size_bytes=16)["ranks"] == 2
    assert row(imported, benchmark="bcast", size_bytes=16)["time_ns"] == 250.0


def test_nonblocking_collectives_are_their_pure_time():
    imported = read("imb-2021.11-nonblocking.txt")
    assert row(imported, benchmark="Ibcast", size_bytes=8)["time_ns"] == 1100.0
    assert row(imported, benchmark="Iallreduce_pure", size_bytes=8)["payload"] == "float32"
    assert imported.notes == ["The columns t_ovrl[usec], t_CPU[usec], overlap[%] of Ibcast are not imported."]


def test_modes_of_one_sided_benchmarks_tell_their_blocks_apart():
    imported = read("imb-2021.11-one-sided.txt")
    assert row(imported, benchmark="Unidir_put", mode="non-aggregate", size_bytes=32)["time_ns"] == 770.0
    assert row(imported, benchmark="Unidir_put", mode="aggregate", size_bytes=32)["time_ns"] == 350.0


def test_the_p2p_program_s_pingpong_is_another_benchmark():
    imported = read("imb-2021.11-p2p.txt")
    assert row(imported, benchmark="IMB-P2P PingPong", size_bytes=16)["mb_per_s"] == 5.72
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
        ("  8   100   1.0", "Line 4: 3 values under a heading of 4 columns."),
        ("  8 int-overflow.; something", "Line 4: PingPong was not measured at 8 bytes: the buffer of all ranks"),
        ("  8 quota.; something", "Line 4: PingPong was not measured at 8 bytes: the tool says quota."),
        ("Killed", "1 line is neither a heading nor figures and was left out: 4."),
        ("", "Line 1: the block of PingPong has no figures."),
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
