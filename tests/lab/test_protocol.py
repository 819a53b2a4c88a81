import pytest

from polympi.lab.protocol import ProtocolError, read_samples
from polympi.lab.records import RankPlace

WHOLE = """polympi-samples 2
binding mpi4py
mpi MPICH Version:      5.0.2
ranks 2
threads multiple
clock 1 24.6
host node7
startup 81231234567 41000000 52000000
memory 31457280 36700160
start 108 0
pages 2097152 8388608
case 0
valid 0 ok
batch 0 1601234 1599876 1600411
event 0 1533 1491 1502
repeated 0 3
case 1
valid 1 failed byte 3 is 7, expected 9
case 2
skip 2 this library has no ready mode
end
"""
CASES = frozenset({0, 1, 2})


def test_a_whole_launch_is_read() -> None:
    samples = read_samples(WHOLE, CASES)
    assert samples.complete
    assert (samples.binding, samples.library, samples.ranks) == ("mpi4py", "MPICH Version:      5.0.2", 2)
    assert (samples.clock_resolution_ns, samples.clock_cost_ns) == (1, 24.6)
    assert (samples.ready_ns, samples.import_ns, samples.init_ns) == (81231234567, 41000000, 52000000)
    assert (samples.start_cost_ns, samples.clock_error_ns) == (108, 0)
    assert (samples.huge_bytes, samples.buffer_bytes) == (2097152, 8388608)
    assert samples.repeated == {0: 3}
    assert samples.batches == {0: [1601234, 1599876, 1600411]}
    assert samples.events == {0: [1533, 1491, 1502]}
    assert samples.invalid == {1: "byte 3 is 7, expected 9"}
    assert samples.skipped == {2: "this library has no ready mode"}


def test_the_mean_of_the_memory_may_be_reported() -> None:
    assert read_samples(WHOLE, CASES).pss_mean_bytes == 0
    reported = read_samples(WHOLE.replace("31457280 36700160", "31457280 36700160 30000000"), CASES)
    assert (reported.pss_bytes, reported.rss_bytes, reported.pss_mean_bytes) == (31457280, 36700160, 30000000)


def test_each_rank_may_tell_where_it_runs() -> None:
    assert read_samples(WHOLE, CASES).places == []
    reported = WHOLE.replace("\npages", "\nplace 0 0-3,8 node 7\nplace 1 - node8\npages")
    assert read_samples(reported, CASES).places == [
        RankPlace(host="node 7", cpus="0-3,8"),
        RankPlace(host="node8", cpus="-"),
    ]
    for wrong in ("place 1 0 node", "place", "place x 0 node"):
        with pytest.raises(ProtocolError, match="line 11 cannot be read"):
            read_samples(WHOLE.replace("\npages", f"\n{wrong}\npages"), CASES)


def test_the_error_of_the_clocks_is_that_of_the_last_word_about_it() -> None:
    reported = WHOLE.replace("\nstart 108 0\n", "\nstart 108 77\n")
    assert read_samples(reported, CASES).clock_error_ns == 77
    samples = read_samples(reported.replace("\nend\n", "\nclocks 2345\nend\n"), CASES)
    assert (samples.clock_error_ns, samples.ready_error_ns) == (2345, 77)  # the first barrier is long over by then


@pytest.mark.parametrize("length", range(0, len(WHOLE), 7))
def test_a_launch_cut_short_anywhere_is_read_as_far_as_it_goes(length) -> None:
    samples = read_samples(WHOLE[:length], CASES)
    assert not samples.complete
    assert set(samples.batches) <= {0}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("hello", r"^line 3 cannot be read \(there is no record 'hello'\): 'hello'$"),
        ("", r"^line 3 cannot be read \(it is empty\): ''$"),
        ("batch 0 12 -3", "negative"),
        ("batch 0 99999999999999999999", "too large"),
        ("memory 99999999999999999999 5", "too large"),
        ("batch 9 12", "case 9 is not in the plan"),
        (
            "batch 0 12 a",
            r"^line 3 cannot be read \('a' is not a number\): 'batch 0 12 a'; it has the form 'batch ID NS...'$",
        ),
        ("clock 1 fast", "'fast' is not a number.*; it has the form 'clock RESOLUTION COST'$"),
        ("clock 1", "a field is missing.*; it has the form 'clock RESOLUTION COST'$"),
        ("valid 0 yes", "'yes' is neither 'ok' nor 'failed'"),
        ("end of it", "nothing follows on it.*; it has the form 'end'$"),
        ("batch 0 1\nbatch 0 2", "a second 'batch' of case 0"),
        ("memory 1", r"numbers expected.*; it has the form 'memory PSS RSS \[MEAN\]'$"),
        ("clock 1 nan", "not finite"),
        ("end\ncase 0", "comes after 'end'"),
    ],
)
def test_rubbish_is_reported_by_line(line, sentence) -> None:
    with pytest.raises(ProtocolError, match=sentence):
        read_samples(f"polympi-samples 2\nbinding c\n{line}\n", CASES)


def test_another_version_is_reported() -> None:
    with pytest.raises(ProtocolError, match="the first line must be 'polympi-samples 2'"):
        read_samples("polympi-samples 3\n", CASES)
