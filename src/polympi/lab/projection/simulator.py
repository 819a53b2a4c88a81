"""SimGrid's SMPI: a network as it reads one, the program whose ranks it simulates, and running it."""

import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from functools import partial
from importlib import resources
from pathlib import Path

from polympi.lab.errors import LabError, UsageError
from polympi.lab.home import home
from polympi.lab.process import Ended, run_tree
from polympi.lab.projection.model import Network

_LOOPBACK = 'loopback_bw="1e6GBps" loopback_lat="0ns"'  # within a node a message takes the ranks' time only


def platform_xml(network: Network, ranks: int) -> str:
    """The nodes for this many ranks, each with a wire of half the latency to one switch that is never congested."""
    return (
        "<?xml version='1.0'?>\n"
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1">\n'
        f'  <cluster id="cluster" prefix="node-" suffix="" radical="0-{nodes_of(network, ranks) - 1}" '
        f'speed="1Gf" core="{network.ranks_per_node}" bw="{network.bandwidth_mb_per_s:.9g}MBps" '
        f'lat="{network.latency_ns / 2:.9g}ns" sharing_policy="SPLITDUPLEX" {_LOOPBACK}/>\n'
        "</platform>\n"
    )


def hosts_of(network: Network, ranks: int) -> str:
    """The node of each rank, a line each: a node is filled before the next is taken."""
    return "".join(f"node-{rank // network.ranks_per_node}\n" for rank in range(ranks))


def nodes_of(network: Network, ranks: int) -> int:
    """How many nodes this many ranks take."""
    return -(-ranks // network.ranks_per_node)


PROGRAM, HEADER = "patterns.cpp", "choices.hpp"
_OWN = "patterns: "  # what our program says begins so
HOW_TO_GET = "apt install --no-install-recommends libsimgrid-dev g++ (Debian), or from https://simgrid.org"
TIMEOUT_S = 600.0  # for a simulation of all cases with one number of ranks; 1024 ranks take about one minute

# No computation is simulated, and times are those of the network without factors that would depend on the size: what
# C needs by size is in the costs of sending and receiving. All messages are eager: these costs count only then, and
# without async-small-thresh an eager message would set off no sooner than its receive is posted. The network is full
# duplex, and reading the clock takes nothing.
SETTINGS = (
    "smpi/simulate-computation:no",
    "smpi/lat-factor:0:1",
    "smpi/bw-factor:0:1",
    "smpi/send-is-detached-thresh:1000000000",
    "smpi/async-small-thresh:1000000000",
    "smpi/wtime:0",
    "network/crosstraffic:0",
    "network/TCP-gamma:0",
)
SELECTORS = {
    "openmpi": "ompi",
    "impi": "impi",
}  # SMPI's name of the library whose algorithms it takes; others are mpich


class SimulatorError(LabError):
    """The simulator is missing, or has failed."""


@dataclass(frozen=True)
class Simulated:
    """What a simulation gave."""

    seconds: dict[tuple[str, str, int, str], float]
    command: list[str]  # the simulator's command line, with the names of files only
    wall_s: float


def source() -> str:
    """The source of the program, as one text, which compiles alone."""
    folder = resources.files("polympi.lab.projection") / "programs"
    header, program = ((folder / name).read_text(encoding="utf-8") for name in (HEADER, PROGRAM))
    return program.replace(f'#include "{HEADER}"\n', header)


def version() -> str:
    """Name and version of the simulator; SimulatorError if it is not installed, or does not work."""
    command = _find("smpirun")
    try:
        output = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SimulatorError(f"'{command} --version' does not work ({error}): {HOW_TO_GET}.") from error
    return output.strip().splitlines()[0] if output.strip() else "SimGrid"


def compiled() -> Path:
    """The compiled program, kept with the stacks; SimulatorError without SimGrid, or if it does not compile."""
    compiler, text = _find("smpicxx"), source()
    key = hashlib.sha256(f"{version()}\n{text}".encode()).hexdigest()[:12]
    program = home() / "builds" / f"projection-{key}" / "patterns"
    if program.is_file():
        return program
    program.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        (Path(folder) / PROGRAM).write_text(text, encoding="utf-8")
        command = [compiler, "-O2", "-std=c++17", PROGRAM, "-o", "patterns"]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise SimulatorError(f"'{compiler}' does not work ({error}): {HOW_TO_GET}.") from error
        if done.returncode != 0:
            words = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[0]
            raise SimulatorError(f"The program for SimGrid does not compile with '{compiler}' ({words}): {HOW_TO_GET}.")
        (Path(folder) / "patterns").replace(program)
    return program


def simulate(
    program: Path, plan: str, network: Network, ranks: int, *, selector: str, ending: threading.Event | None = None
) -> Simulated:
    """Simulate a plan (its format: ``programs/patterns.cpp``), with the algorithms that SMPI has by a name.

    Once ``ending`` is set, the simulator is ended. SimulatorError if it has failed, did not end in time, or was ended.
    """
    with tempfile.TemporaryDirectory(prefix="polympi-projection-") as name:
        folder = Path(name)
        files = {"plan": plan, "platform.xml": platform_xml(network, ranks), "hosts": hosts_of(network, ranks)}
        for file, text in files.items():
            (folder / file).write_text(text, encoding="ascii")
        command = [
            *("smpirun", "-no-privatize", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts"),
            *(f"--cfg={setting}" for setting in SETTINGS),
            f"--cfg=smpi/coll-selector:{selector}",
            "--log=root.thres:error",
        ]
        ended = run_tree(
            [_find("smpirun"), *command[1:], str(program), "plan"],
            environment={**os.environ, "LC_ALL": "C"},
            timeout_s=TIMEOUT_S,
            output=folder / "output",
            folder=folder,
            on_tick=partial(_go_on, ending),
        )
        if ended.timed_out:
            raise SimulatorError(
                f"SimGrid did not simulate {ranks} ranks within {TIMEOUT_S:.0f} s: ask for fewer ranks or bindings."
            )
        if ended.exit_code != 0:
            raise SimulatorError(f"SimGrid failed with {ranks} ranks: {_reason(ended)}")
        seconds = _read((folder / "output").read_text(encoding="utf-8", errors="replace"))
        if len(seconds) < sum(line.startswith("case ") for line in plan.splitlines()):
            raise SimulatorError(f"SimGrid gave no time for some cases with {ranks} ranks: is it of another version?")
    return Simulated(seconds, [*command, "patterns", "plan"], ended.wall_ns / 1e9)


def _go_on(ending: threading.Event | None) -> None:
    if ending is not None and ending.is_set():
        raise SimulatorError("The simulation was interrupted.")


def _reason(ended: Ended) -> str:
    """Why a simulation failed: what our program says, else the last line there is."""
    lines = [line.strip() for line in ended.tail.splitlines() if line.strip()]
    own = [line.removeprefix(_OWN) for line in lines if line.startswith(_OWN)]
    return (own or lines or [f"exit code {ended.exit_code}"])[-1]


def _read(text: str) -> dict[tuple[str, str, int, str], float]:
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 5 and words[2].isdecimal():
            found[words[0], words[1], int(words[2]), words[3]] = float(words[4])
    return found


def _find(command: str) -> str:
    path = shutil.which(command)
    if path is None:
        raise SimulatorError(f"A projection needs SimGrid, whose command '{command}' is not on PATH: {HOW_TO_GET}.")
    return path


def selector_of(family: str) -> str:
    """Whose algorithms of collectives SMPI takes for a family of MPI libraries."""
    return SELECTORS.get(family, "mpich")


def check_ranks(ranks: list[int]) -> None:
    """Check that this many ranks can be simulated: from 2 to 4096."""
    for number in ranks:
        if not 2 <= number <= 4096:
            raise UsageError(f"{number} ranks cannot be projected: 2 to 4096 can.")
