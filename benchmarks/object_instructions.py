"""How many instructions a send and a receive of an object take, and pickle's dumps and loads of the same.

It runs itself under callgrind, on the serial backend, where rank 0 sends to itself: so nothing is counted but Python's
and polympi's own work, and a busy machine gives the same counts.

    POLYMPI_BACKEND=serial python benchmarks/object_instructions.py
"""

from __future__ import annotations

import dataclasses
import enum
import os
import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import polympi as mpi

MARK = "communicator_barrier"  # callgrind begins another profile before each
SEND, RECV, DUMPS, LOADS = "communicator_send", "communicator_recv", "_pickle_dumps", "_pickle_loads"
MESSAGES, WARMUP = 20, 8


class Plain:
    """Of nothing special."""

    def __init__(self, rank: int, value: float, label: str) -> None:
        self.rank, self.value, self.label = rank, value, label


@dataclasses.dataclass
class Record:
    """Likewise."""

    rank: int
    value: float
    label: str


class Slotted:
    """Without a dict."""

    __slots__ = ("label", "rank", "value")

    def __init__(self, rank: int, value: float, label: str) -> None:
        self.rank, self.value, self.label = rank, value, label


class Row(NamedTuple):
    """What pickle makes by arguments."""

    rank: int
    value: float
    label: str


class Colour(enum.Enum):
    """What pickle makes by a call."""

    RED = 1


LARGE = 1 << 40
FIELDS = (0, 0.5, "00010002")
OBJECTS: dict[str, Any] = {
    "an instance": Plain(*FIELDS),
    "a dataclass": Record(*FIELDS),
    "with slots": Slotted(*FIELDS),
    "a named tuple": Row(*FIELDS),
    "a member of an enum": Colour.RED,
    "100 ints": [LARGE + i for i in range(100)],
    "100 floats": [i + 0.5 for i in range(100)],
    "100 of both": [i + 0.5 if i % 2 else LARGE + i for i in range(100)],
    "a dict of three": {"rank": 0, "value": 0.5, "label": "00010002"},
    "a map of 20": {f"key{i:05d}": i + 0.5 for i in range(20)},
    "a map with four lists": {"name": "00010002", "rows": [[0.5 * (4 * i + k) for k in range(4)] for i in range(4)]},
    "100 lists of an int": [[i] for i in range(100)],
    "50 dataclasses": [Record(i, i + 0.5, "00010002") for i in range(50)],
}


def send_all() -> None:
    """What callgrind watches: two marks around the messages of each object, and one after pickle's turn."""
    send, recv = mpi.world.send, mpi.world.recv
    for value in OBJECTS.values():
        for _ in range(WARMUP):
            send(value, 0)
            recv(0)
    for value in OBJECTS.values():
        mpi.world.barrier()
        for _ in range(MESSAGES):
            send(value, 0)
            recv(0)
        mpi.world.barrier()
        for _ in range(MESSAGES):
            pickle.loads(pickle.dumps(value, 5))
        mpi.world.barrier()


def calls(profile: Path) -> Counter[str]:
    """The instructions in each function with all that it calls."""
    spent: Counter[str] = Counter()
    called = ""
    for line in profile.read_text(errors="replace").splitlines():
        if line.startswith("cfn="):
            called = line[4:]
        elif called and line[:1].isdigit():
            spent[called] += int(line.split()[1])
            called = ""
    return spent


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        options = [f"--dump-before={MARK}", "--compress-strings=no", "--compress-pos=no"]
        command = ["valgrind", "--tool=callgrind", *options, f"--callgrind-out-file={folder}/profile"]
        environment = {**os.environ, "POLYMPI_BACKEND": "serial", "PYTHONHASHSEED": "0"}
        subprocess.run([*command, sys.executable, __file__, "send"], env=environment, check=True, timeout=600)
        profiles = [Path(folder, f"profile.{number}") for number in range(2, 2 + 3 * len(OBJECTS))]
        print("instructions          send    recv   dumps   loads")
        for name, messages, pickles in zip(OBJECTS, profiles[0::3], profiles[1::3], strict=True):
            sent, pickled = calls(messages), calls(pickles)
            counts = [sent[SEND], sent[RECV], pickled[DUMPS], pickled[LOADS]]
            print(f"{name:21}", *(f"{count // MESSAGES:7,}" for count in counts))


if __name__ == "__main__":
    if sys.argv[1:] == ["send"]:
        send_all()
    else:
        main()
