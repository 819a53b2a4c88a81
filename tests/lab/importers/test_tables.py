"""Real outputs of each tool as typed rows: which file gives which record, and what of it is no row."""

import pytest
from importers.fixture_files import content_of, read, row

from polympi.lab.importers.rows import IMPORTED_SCHEMA

# One whole record per tool, in the order of the columns; ``content`` is computed from the file.
RECORDS = {
    "imb-2021.11-point-to-point.txt": (
        "IMB 2021.11", "latency", "standard", "bytes", 1024, None, 2, 200.0, "max over ranks", None, None, 200.0,
        5098.33, 200, "-msglog 0:10 -iter 200 -time 0.5",
    ),
    "osu-5.0-latency.txt": (
        "OSU 5.0", "latency", "standard", "bytes", 0, None, 2, 1840.0, "one rank", None, None, None, None, None, None,
    ),
    "netpipe-3-published.np.out": (
        "NetPIPE 3", "NetPIPE", "unstated", "bytes", 1048576, None, 2, 1817410.0, "min over trials", None, None, None,
        pytest.approx(4401.874814 * 2**20 / 8e6, abs=1e-5), None, None,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RECORDS)
def test_a_whole_record(name):
    expected = dict(zip(IMPORTED_SCHEMA, (*RECORDS[name], name, content_of(name)), strict=True))
    found = row(read(name), **{key: expected[key] for key in ("benchmark", "mode", "size_bytes")})
    assert found == expected


# File, what selects one of its rows, and what that row says.
ROWS = [
    ("imb-2021.11-point-to-point.txt", {"mode": "sendrecv", "size_bytes": 1024}, {"mb_per_s": 9410.68}),
    ("imb-2021.11-point-to-point.txt", {"benchmark": "latency", "mode": "standard", "size_bytes": 0},
     {"time_ns": 1600.0, "mb_per_s": None}),
    ("imb-2021.11-collectives.txt", {"benchmark": "allreduce", "size_bytes": 256},
     {"payload": "float32", "time_ns": 440.0, "statistic": "max over ranks", "time_min_ns": 310.0,
      "time_mean_ns": 380.0, "time_max_ns": 440.0}),
    ("imb-2021.11-collectives.txt", {"benchmark": "barrier"}, {"size_bytes": 0, "payload": "none", "time_ns": 210.0}),
    ("imb-2021.11-collectives.txt", {"benchmark": "bcast", "size_bytes": 4}, {"payload": "bytes"}),
    ("imb-2021.11-uniband.txt", {"benchmark": "bandwidth", "size_bytes": 64}, {"mb_per_s": 448.43}),
    ("imb-2021.11-uniband.txt", {"benchmark": "bibandwidth", "size_bytes": 64}, {"mb_per_s": 901.1}),
    ("imb-2021.11-out-of-memory.txt", {"benchmark": "alltoall", "size_bytes": 262144}, {"time_mean_ns": 16760.0}),
    ("imb-2021.11-multi.txt", {"benchmark": "Multi-Sendrecv", "size_bytes": 16}, {"ranks": 2}),
    ("imb-2021.11-multi.txt", {"benchmark": "bcast", "size_bytes": 16}, {"time_ns": 270.0}),
    ("imb-2021.11-nonblocking.txt", {"benchmark": "Ibcast", "size_bytes": 8},
     {"time_ns": 1100.0, "statistic": "one rank"}),
    ("imb-2021.11-nonblocking.txt", {"benchmark": "Iallreduce_pure", "size_bytes": 8}, {"payload": "float32"}),
    ("imb-2021.11-one-sided.txt", {"benchmark": "Unidir_put", "mode": "non-aggregate", "size_bytes": 32},
     {"time_ns": 770.0}),
    ("imb-2021.11-one-sided.txt", {"benchmark": "Unidir_put", "mode": "aggregate", "size_bytes": 32},
     {"time_ns": 350.0}),
    # other loops than those of IMB-MPI1
    ("imb-2021.11-p2p.txt", {"benchmark": "IMB-P2P PingPong", "size_bytes": 16},
     {"mb_per_s": 5.72, "statistic": "unstated"}),
    ("imb-2021.11-root-shift.txt", {"benchmark": "bcast", "size_bytes": 8},
     {"mode": "standard, another root each time"}),
    ("imb-2021.11-root-shift.txt", {"benchmark": "barrier"},
     {"mode": "standard", "options": "-root_shift on -msglog 3:6 -time 0.1"}),
    # megabytes of 2^20 bytes
    ("imb-4.1.txt", {"benchmark": "latency", "size_bytes": 4194304},
     {"mb_per_s": pytest.approx(1347.94 * 1.048576, abs=1e-3)}),
    ("osu-5.0-latency.txt", {"size_bytes": 4194304}, {"time_ns": 497370.0}),
    ("osu-5.8-bibandwidth.txt", {"size_bytes": 4194304}, {"mb_per_s": 18865.67, "time_ns": None, "statistic": None}),
    ("osu-5.6.2-several.txt", {"benchmark": "startup"},
     {"mode": "init", "payload": "none", "ranks": 4, "time_mean_ns": 67e6, "time_ns": 67e6, "time_max_ns": 67e6,
      "statistic": "max over ranks"}),
    ("osu-5.6.2-several.txt", {"benchmark": "bibandwidth", "size_bytes": 8}, {"mb_per_s": 28.51}),
    ("osu-5.6.2-several.txt", {"benchmark": "allreduce", "size_bytes": 4},
     {"payload": "float32", "ranks": None, "time_ns": 1400.0}),
    ("osu-5.6.3-several.txt", {"benchmark": "barrier"}, {"size_bytes": 0, "payload": "none", "time_ns": 1570.0}),
    ("osu-5.6.3-several.txt", {"benchmark": "MPI_Put Latency", "size_bytes": 8}, {"time_ns": 70.0}),
    ("osu-5.7.1-message-rate.txt", {"size_bytes": 2048},
     {"benchmark": "MPI Multiple Bandwidth / Message Rate", "ranks": 96, "mb_per_s": 99357.09,
      "mode": "standard, window 64"}),
    ("osu-6.2-reduce-full.txt", {"size_bytes": 100000},
     {"benchmark": "reduce", "payload": "float32", "repetitions": 100, "time_ns": 831040.0,
      "statistic": "max over ranks", "time_mean_ns": 132140.0, "time_min_ns": 31230.0, "time_max_ns": 831040.0}),
    ("osu-7.4-allgather-full.txt", {"size_bytes": 1048576},
     {"payload": "bytes", "time_max_ns": 104330.0, "repetitions": 10}),
    ("osu-7.5-validation.txt", {"benchmark": "bandwidth", "size_bytes": 4194304}, {"mb_per_s": 23982.18}),
    ("osu-7.5-validation.txt", {"benchmark": "latency", "size_bytes": 1}, {"time_ns": 3340.0, "tool": "OSU 7.5"}),
    ("osu-7-made-up-percentiles.txt", {"benchmark": "allreduce"}, {"payload": "int32", "repetitions": 1000}),
    ("osu-7-made-up-percentiles.txt", {"mode": "standard-persistent"}, {"size_bytes": 8}),
    # the average over the ranks is not called their maximum
    ("osu-7.4-allreduce.txt", {"size_bytes": 1024},
     {"statistic": "mean over ranks", "time_max_ns": None, "payload": "char"}),
    ("osu-7.4-derived-vector.txt", {"size_bytes": 8}, {"payload": "derived bytes", "sent_bytes": 16}),
    ("omb-py-latency.txt", {"size_bytes": 0},
     {"tool": "OMB-Py", "benchmark": "latency", "ranks": 2, "time_ns": 397100.0}),
    ("omb-py-several.txt", {"benchmark": "bandwidth", "size_bytes": 1024}, {"mb_per_s": 82.2}),
    ("omb-py-several.txt", {"benchmark": "MPI Multi Latency", "size_bytes": 1024},
     {"time_ns": 20620.0, "statistic": "mean over pairs"}),
    # gigabits of 10^9
    ("netpipe-5-made-up.np.out", {"size_bytes": 1048576},
     {"tool": "NetPIPE 5", "ranks": 2, "time_ns": 91000.0, "statistic": "mean over trials",
      "mb_per_s": pytest.approx(92.182 * 125)}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "where", "expected"), ROWS)
def test_a_row(name, where, expected):
    found = row(read(name), **where)
    assert {key: found[key] for key in expected} == expected


# File, and the values of a column in all its rows, in their order.
COLUMNS = [
    ("imb-2021.11-point-to-point.txt", "benchmark", ["latency", "PingPing", "Exchange"]),
    ("imb-2021.11-uniband.txt", "mode", ["standard, window 256"]),  # ours is 64
    ("imb-2021.11-p2p.txt", "benchmark", ["IMB-P2P PingPong", "IMB-P2P Birandom", "IMB-P2P SendRecv_Replace"]),
    ("imb-2021.11-datatypes.txt", "payload", ["float32", "float64"]),
    ("imb-2021.11-thread-level.txt", "mode", ["standard, thread level multiple"]),
    ("osu-5.3.2-nonblocking.txt", "benchmark", ["MPI Non-blocking Allgather Latency"]),
    ("osu-5.3.2-nonblocking.txt", "time_ns", [135610.0, 184280.0]),  # the collective alone
    ("osu-5.3.2-tagged.txt", "time_ns", [710.0, 700.0]),  # after the launcher's labels
    ("osu-7.2-cuda-bandwidth.txt", "benchmark", ["MPI-CUDA Bandwidth"]),
    ("osu-7.2-cuda-bandwidth.txt", "payload", ["bytes"]),  # the datatype stands below the heading here
    ("osu-7.3-reduce-unnamed-columns.txt", "time_ns", [50890.0, 50200.0, 49700.0]),
    ("osu-7.3-reduce-unnamed-columns.txt", "time_min_ns", [None]),
    ("osu-7.4-allreduce-validated.txt", "statistic", ["max over ranks"]),
    ("osu-7.4-nonblocking-full.txt", "statistic", ["max over ranks"]),
    ("osu-7.4-datatypes.txt", "payload", ["bytes", "int32", "float32"]),
    ("osu-7.4-derived-vector.txt", "payload", ["derived bytes"]),
    ("osu-7.4-threads.txt", "mode", ["standard, 1 sender thread, 2 receiver threads"]),
    ("osu-7.4-one-sided.txt", "mode", ["standard, MPI_Win_allocate, MPI_Win_flush"]),
    ("netpipe-3-bidirectional.np.out", "mode", ["unstated"]),  # nobody named the options
    ("netpipe-3-streaming.np.out", "benchmark", ["NetPIPE"]),
]


@pytest.mark.parametrize(("name", "column", "values"), COLUMNS)
def test_a_column(name, column, values):
    assert read(name).rows[column].unique(maintain_order=True).to_list() == values


# One of each kind of sentence about a real file.
NOTES = {
    "imb-2021.11-uniband.txt": [
        "Lines 11, 20: 2 rows of bandwidth, bibandwidth were left out: an empty message has no rate."
    ],
    "imb-2021.11-out-of-memory.txt": [
        "Lines 14, 24, 34, 44: 4 rows of PingPong, Sendrecv, Allreduce, Alltoall were not measured: "
        "the tool ran into its memory limit (-mem)."
    ],
    "imb-2021.11-nonblocking.txt": [
        "The columns t_ovrl[usec], t_CPU[usec], overlap[%] of Ibcast are not imported."
    ],
    "osu-7.3-reduce-unnamed-columns.txt": [
        "Lines 4-6: 3 rows of MPI-CUDA Reduce Latency are incomplete: "
        "of 5 values the heading names only 2, and those are imported."
    ],
    "osu-7-made-up-percentiles.txt": [
        "Line 16: latency at 16 bytes was left out: the tool found its data wrong.",
        "The columns P50 Tail Lat(us), P90 Tail Lat(us), P99 Tail Lat(us) of latency, allreduce are not imported.",
    ],
    "omb-py-several.txt": [
        "OMB-Py does not print the window of its bandwidth tests (-W): its usual 64 messages, which are ours too, "
        "are assumed.",
        "5 lines are neither headings nor figures and were left out: 1-3, 9-10.",
    ],
    "netpipe-3-bidirectional.np.out": [
        "NetPIPE's file does not name the options it was made with, so that the mode of its rows is 'unstated': "
        "give them as --netpipe-options '-S -I', or '' if there were none."
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", NOTES)
def test_the_notes_on_a_file(name):
    assert read(name).notes == NOTES[name]


@pytest.mark.parametrize("name", ["imb-4.1.txt", "imb-2021.11-point-to-point.txt", "imb-2021.11-out-of-memory.txt"])
def test_every_rate_of_imb_is_the_bytes_that_moved_over_the_time(name):
    # PingPong moves a message one way in its time; Sendrecv sends and receives; Exchange does so with two neighbours.
    factor = {("latency", "standard"): 1, ("PingPing", "standard"): 1, ("latency", "sendrecv"): 2}
    for r in read(name).rows.drop_nulls("mb_per_s").iter_rows(named=True):
        messages = factor.get((r["benchmark"], r["mode"]), 4)
        time_us = (r["time_max_ns"] or r["time_ns"]) / 1000
        rounding = 0.005 / time_us + 0.005 / r["mb_per_s"]
        assert r["mb_per_s"] == pytest.approx(messages * r["size_bytes"] / time_us, rel=1.1 * rounding + 1e-6)


@pytest.mark.parametrize("name", ["netpipe-3-openmpi.np.out", "netpipe-3-mpich.np.out", "netpipe-3-published.np.out"])
def test_every_rate_of_netpipe_is_size_over_time(name):
    for r in read(name).rows.iter_rows(named=True):
        # seconds are printed to 10 ns
        assert r["size_bytes"] / r["mb_per_s"] * 1000 == pytest.approx(r["time_ns"], abs=5.1)
