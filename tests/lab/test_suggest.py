import pytest

from polympi.lab.suggest import closest, did_you_mean


@pytest.mark.parametrize(
    ("name", "meant"), [("latensy", "latency"), ("LATENCY", "latency"), ("bcst", "bcast"), ("xyz", None), ("", None)]
)
def test_what_is_like_a_known_name_is_suggested(name: str, meant: str | None) -> None:
    known = ["latency", "bandwidth", "bcast"]
    assert closest(name, known) == meant
    assert did_you_mean(name, known) == (f" Did you mean '{meant}'?" if meant else "")
