import pytest

from polympi.lab.conclusions.phrases import count, factor, first_few, listing, percent, plain_ratio, rate, signed, size


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (count(1, "launch"), "1 launch"),
        (count(2, "launch"), "2 launches"),
        (count(0, "case"), "0 cases"),
        (count(4032, "batch"), "4,032 batches"),
        (listing([]), ""),
        (listing(["a"]), "a"),
        (listing(["a", "b"]), "a and b"),
        (listing(["a", "b", "c"]), "a, b and c"),
        (first_few(list("abcdefg"), 3), "a, b, c and 4 more"),
        (signed(-12.0), "−12.0 ns"),
        (signed(1530.0), "+1.53 µs"),
        (plain_ratio(1.657), "1.66"),
        (plain_ratio(131.2), "131"),
        (plain_ratio(0.00237), "0.0024"),
        (factor(1.0123), "1.012"),
        (factor(1.6), "1.60"),
        (percent(0.0123), "1.2 %"),
        (percent(0.612), "61 %"),
        (rate(11985.2), "12.0 GB/s"),
        (rate(0.18), "0.18 MB/s"),
        (size(65536), "64 KiB"),
        (size(10_000_000), "10 MB"),
        (size(1027), "1,027 B"),
        (size(8), "8 B"),
    ],
)
def test_phrases(said, expected):
    assert said == expected
