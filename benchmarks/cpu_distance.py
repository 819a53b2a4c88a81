"""How far apart the CPUs are at this moment: the time that a cache line takes from one to the other.

A hypervisor moves the virtual CPUs of a machine between the cores of its host. Two of them may share a cache in one
second and lie in different parts of the host in the next; on ours a cache line takes 30 ns or 155 ns, with nothing else
running, and all that ranks do through shared memory follows. A program that is compared with another must not meet the
other distance: :meth:`Distance.wait_until_near` before a launch, :meth:`Distance.is_near` after it.
"""

import math
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from polympi.lab.errors import StackError

SOURCE = Path(__file__).with_suffix(".c")
SAMPLES, PAUSE_S = 20, 0.5  # at the start, to learn what near is
FAR = 2.0  # times the nearest; the distances of a machine differ by more, the samples of one by less
PATIENCE_S = 300.0


class Distance:
    """The distance of the CPUs, in ns; what `on_tick`, called twice a second while it waits, raises ends that."""

    def __init__(self, folder: Path, on_tick: Callable[[], None] = lambda: None) -> None:
        self._program, self._on_tick = folder / "cpu_distance", on_tick
        self.nearest_ns, self.farthest_ns = math.inf, 0.0
        if len(os.sched_getaffinity(0)) < 2:
            raise StackError("This process may use one CPU only: two programs cannot be compared fairly there.")
        done = subprocess.run(
            ["gcc", "-O2", "-pthread", str(SOURCE), "-o", str(self._program)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise StackError(f"The program that measures the distance of CPUs does not compile:\n{done.stderr}")
        for _ in range(SAMPLES):
            self.measure()
            self._pause()

    def measure(self) -> float:
        """The distance now; takes some 10 ms."""
        ns = float(subprocess.run([str(self._program)], capture_output=True, text=True, check=True).stdout)
        self.nearest_ns, self.farthest_ns = min(ns, self.nearest_ns), max(ns, self.farthest_ns)
        return ns

    def is_near(self) -> bool:
        """Whether the CPUs are as near as they were seen, within a factor of :data:`FAR`."""
        return self.measure() <= FAR * self.nearest_ns

    def wait_until_near(self) -> None:
        """Wait until they are; StackError if they were not for five minutes."""
        end = time.monotonic() + PATIENCE_S
        while not self.is_near():
            if time.monotonic() > end:
                raise StackError(
                    f"A cache line has taken more than {FAR:.0f} times {self.nearest_ns:.0f} ns from CPU to CPU for "
                    f"{PATIENCE_S / 60:.0f} minutes: the machine is busy, or its host has moved the CPUs for good."
                )
            self._pause()

    def _pause(self) -> None:
        time.sleep(PAUSE_S)
        self._on_tick()
