"""What tests of projections share: small networks, arms, and SimGrid itself."""

import os
import shutil
from pathlib import Path

import pytest

from polympi.lab.home import HOME_VARIABLE
from polympi.lab.projection.model import ArmCosts, Line, Network, Projected, Span
from polympi.lab.projection.simulator import HOW_TO_GET, compiled

# Round figures: a byte takes a nanosecond of the wire, and the ends of a message 300 ns.
ROUND = Network(
    name="round",
    origin="made up",
    latency_ns=1000.0,
    bandwidth_mb_per_s=1000.0,
    send=[(0, 100.0)],
    receive=[(0, 200.0)],
)


def program() -> Path:
    """The compiled program whose ranks are simulated, kept for all tests; skips without SimGrid."""
    if shutil.which("smpirun") is None or shutil.which("smpicxx") is None:
        pytest.skip(f"SimGrid is not installed: {HOW_TO_GET}")
    repository = Path(__file__).parents[2]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(HOME_VARIABLE, os.environ.get("POLYMPI_TEST_HOME") or str(repository / ".cache" / "polympi"))
        return compiled()


def span(low: float, median: float, high: float, per_byte: float = 0.0) -> Span:
    lines = [Line(per_call_ns=call, per_byte_ns=per_byte) for call in (low, median, high)]
    return Span(low=lines[0], median=lines[1], high=lines[2])


def arm(name: str = "slow", cost: Span | None = None, **fields: object) -> ArmCosts:
    return ArmCosts(binding=name, payload="bytes", message=cost or span(900.0, 1000.0, 1200.0), blocks=9, **fields)  # type: ignore[arg-type]


def stack(*arms: ArmCosts, network: Network = ROUND) -> Projected:
    return Projected(stack="mpich", family="mpich", selector="mpich", network=network, arms=list(arms))
