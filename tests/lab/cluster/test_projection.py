"""A projection from one host predicts what two hosts of a test cluster then measure."""

import csv
from pathlib import Path

import pytest
from simulated import program

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.projection.against import TARGET
from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.system, pytest.mark.exclusive]

BENCHES = "latency/standard/bytes,bandwidth/standard/bytes,barrier"
WHAT = ["--profile", "glance", "--bench", BENCHES, "--sizes", "8,1KiB"]

ATTEMPTS = 3  # a machine that is busy for a moment may blur one measurement


def test_the_ping_pong_of_a_binding_over_two_hosts_is_predicted(
    polympi, cluster: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    program()
    for attempt in range(ATTEMPTS):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        found = predicted(polympi, cluster, mpich, folder)
        for size in ("8", "1024"):
            # C describes the network, so that its own figure is met; its messages took the network, not shared memory.
            assert abs(float(found["c", "latency", size]["error"])) < 0.01
            assert float(found["c", "latency", size]["measured_ns"]) > 2000
        misses = [abs(float(found["mpi4py", "latency", size]["error"])) for size in ("8", "1024")]
        if max(misses) <= TARGET:
            return
    pytest.fail(f"three projections in a row missed by more than {TARGET}: {misses}")


def predicted(polympi, cluster: Cluster, mpich: Stack, folder: Path) -> dict[tuple[str, str, str], dict[str, str]]:
    """What was predicted and measured, by binding, pattern and size."""
    one, two = str(folder / "one"), str(folder / "two")
    measure = ["run", *WHAT, "--stack", mpich.name, "--binding", "c,mpi4py", "--time-limit", "100s", "-o"]
    for arguments in ([one], [two, "--hostfile", str(cluster.hostfile("mpich"))]):
        said = polympi(*measure, *arguments)
        assert said.exit_code == 0, said.text
    said = polympi("project", one, "--network", two, "--against", two, "-o", str(folder / "projection"))
    # The barrier may be missed, as two hosts share two processors with everything else, and it is said.
    assert said.exit_code in (0, 1), said.text
    assert "figures are within 25 % of what was measured" in said.text
    with (folder / "projection" / "against.csv").open(encoding="utf-8") as file:
        found = {(row["binding"], row["pattern"], row["size_bytes"]): row for row in csv.DictReader(file)}
    sizes = (("latency", "8"), ("latency", "1024"), ("barrier", "0"))
    assert set(found) == {(binding, *case) for binding in ("c", "mpi4py") for case in sizes}
    return found
