"""What tools are asked for, and what is read of them."""

import pytest

from polympi.lab.catalogue import BENCHMARKS
from polympi.lab.tools.known import TOOLS

OSU_LATENCY = """
# OSU MPI Latency Test v7.4
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
1                    0.14270
2                    0.15534
"""
OSU_BIBW = """
# OSU MPI Bi-Directional Bandwidth Test v7.4
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)
1                       2.89
128                   400.80
"""
IMB_PINGPONG = """
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            8         1000         0.92         8.65
           16         1000         1.00        15.98
"""
QUICK = [0, 1, 8, 64, 4096, 65536, 2**20]


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_a_tool_is_compared_with_a_case_of_ours(tool) -> None:
    assert tool.payload in BENCHMARKS[tool.benchmark].payloads
    assert tool.case(8).pattern == f"{tool.benchmark}/standard/{tool.payload}"
    assert tool.usable(QUICK) == QUICK[1:]
    assert tool.usable([0]) == []


@pytest.mark.parametrize(
    ("name", "text", "times"),
    [
        ("osu_latency", OSU_LATENCY, {1: 142.7, 2: 155.34}),
        ("osu_bibw", OSU_BIBW, {1: 1e3 / 2.89, 128: 128e3 / 400.80}),
        ("IMB-PingPong", IMB_PINGPONG, {8: 8e3 / 8.65, 16: 16e3 / 15.98}),
        # Seconds of 287e-9, printed with 8 decimals, lose digits that the rate keeps.
        ("NetPIPE", f"{1:8d} {8 / 2**20 / 287e-9:f} {287e-9:12.8f}\n", {1: 287.0}),
        ("osu_latency", "This test requires exactly two processes\n", {}),
    ],
)
def test_times_are_read_from_the_figure_with_the_most_digits(name: str, text: str, times: dict[int, float]) -> None:
    assert TOOLS[name].times(text) == pytest.approx(times, rel=1e-5)


def test_osu_gets_our_buffers_and_numbers() -> None:
    assert TOOLS["osu_latency"].calls([1, 8, 64]) == [["-m", "1:64"]]
    assert TOOLS["osu_bw"].calls([8]) == [["-b", "multiple", "-m", "8:8"]]
    assert TOOLS["osu_allreduce"].calls([8, 16]) == [["-T", "mpi_float", "-m", "8:16"]]
    assert TOOLS["osu_bw"].usable([0, 5, 8, 11]) == [8]  # it doubles from the first to the last
    assert TOOLS["osu_latency"].only_two
    assert not TOOLS["osu_allreduce"].only_two


def test_imb_is_asked_for_exactly_the_sizes() -> None:
    assert TOOLS["IMB-PingPong"].calls([5, 1024]) == [["PingPong", "-msgsize", "5,1024"]]


def test_netpipe_is_called_once_for_small_messages_and_once_for_large_ones() -> None:
    small, large = TOOLS["NetPIPE"].calls([1, 16384, 20_000, 2**20])
    assert _option(small, "-u") == "16385"
    assert _option(large, "-l") == "20000"
    assert _option(large, "-u") == str(2**20 + 1)
    assert int(_option(small, "-n")) > int(_option(large, "-n"))
    [alone] = TOOLS["NetPIPE"].calls([8])
    assert _option(alone, "-O") == "0,16384"  # two buffers that do not touch
    assert _option(TOOLS["NetPIPE"].calls([1, 20_000])[1], "-O") == "0,32768"


def test_netpipe_perturbs_sizes_where_the_run_has_such() -> None:
    assert _option(TOOLS["NetPIPE"].calls([8, 16])[0], "-p") == "0"
    assert _option(TOOLS["NetPIPE"].calls([5, 8, 11])[0], "-p") == "3"


def _option(words: list[str], name: str) -> str:
    return words[words.index(name) + 1]
