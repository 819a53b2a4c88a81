"""A projection from one host foretells what two hosts of a test cluster then measure."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from simulated import program

from polympi.lab.cluster.cluster import Cluster
from polympi.lab.projection.against import TARGET
from polympi.lab.stacks.stack import Stack

pytestmark = [pytest.mark.mpi, pytest.mark.large]

WHAT = [
    "--profile",
    "glance",
    "--bench",
    "latency/standard/bytes,bandwidth/standard/bytes,barrier",
    "--sizes",
    "8,1KiB",
]


def test_the_ping_pong_of_a_binding_over_two_hosts_is_foretold(
    polympi, cluster: Cluster, mpich: Stack, tmp_path: Path
) -> None:
    program()
    one, two, folder = (str(tmp_path / name) for name in ("one", "two", "projection"))
    measure = ["run", *WHAT, "--stack", mpich.name, "--binding", "c,mpi4py", "--time-limit", "100s", "-o"]
    for arguments in ([one], [two, "--hostfile", str(cluster.hostfile("mpich"))]):
        said = polympi(*measure, *arguments)
        assert said.exit_code == 0, said.text
    said = polympi("project", one, "--network", two, "--against", two, "-o", folder)
    # The barrier may be missed, as two hosts share two processors with everything else, and it is said.
    assert said.exit_code in (0, 1), said.text
    assert "figures are within 25 % of what was measured" in said.text
    with (tmp_path / "projection" / "against.csv").open(encoding="utf-8") as file:
        found = {(row["binding"], row["pattern"], row["size_bytes"]): row for row in csv.DictReader(file)}
    assert set(found) == {
        *((binding, "latency", size) for binding in ("c", "mpi4py") for size in ("8", "1024")),
        *((binding, "barrier", "0") for binding in ("c", "mpi4py")),
    }
    for size in ("8", "1024"):
        # C describes the network, so that its own figure is met; its messages took the network, not shared memory.
        of_c = found["c", "latency", size]
        assert abs(float(of_c["error"])) < 0.01
        assert float(of_c["measured_ns"]) > 2000
        assert abs(float(found["mpi4py", "latency", size]["error"])) <= TARGET
