"""Raw messages: elements alone, as any partner in MPI sends and receives them."""

from pathlib import Path

import pytest

from polympi.lab.stacks.stack import Stack

PROGRAMS = Path(__file__).parent / "programs" / "partners"


@pytest.mark.sanitize
@pytest.mark.parametrize(
    ("level", "machines", "limit"), [("serialized", "", ""), ("multiple", "0 1", ""), ("serialized", "", "60")]
)
def test_raw_messages_and_collectives_of_two_ranks(run, stack: Stack, level: str, machines: str, limit: str) -> None:
    """With a limit, each collective is made by a separate thread."""
    env = {"POLYMPI_THREADS": level, "MACHINES": machines, "POLYMPI_TIMEOUT": limit}
    ended = run(PROGRAMS / "raw_pair.py", 2, stack, env=env)
    assert ended.succeeded().split() == ["done"] * 2
    assert ended.stderr == ""


def test_the_end_waits_for_sends_and_tells_what_was_left(run, stack: Stack) -> None:
    script = """
import time
import numpy as np
import polympi as mpi
p = mpi.world.raw
big = np.full(10**6, 1.0 + p.rank)
if p.rank == 0:
    p.isend(big, 1, 3)
    del big
    left = p.irecv(np.zeros(1), 1, 4)
else:
    time.sleep(0.3)
    assert (p.recv(np.zeros(10**6), 0, 3) == 1).all()
    p.irecv(np.zeros(1), 0, 5)  # dropped, and so taken back
"""
    ended = run(script, 2, stack)
    ended.succeeded()
    said = [line for line in ended.stderr.splitlines() if line.startswith("[rank")]
    assert said == ["[rank 0] raw.irecv(source=1, tag=4) got no message"]


def test_finalize_ends_the_waits_of_threads_and_later_calls_are_errors(run, stack: Stack) -> None:
    script = """
import threading, time
import numpy as np
import polympi as mpi
from sentences import FINALISED
p = mpi.world.raw
def work():
    try:
        p.recv(np.zeros(1), 1 - p.rank, 4)
    except mpi.StateError as error:
        print("told", flush=True)
thread = threading.Thread(target=work)
thread.start()
time.sleep(0.2)
mpi.finalize()
thread.join()
for call in (lambda: p.send(np.zeros(1), 0), p.barrier, lambda: p.dup(), lambda: p.handle, lambda: p.iprobe()):
    try:
        call()
    except mpi.StateError as error:
        assert FINALISED in str(error)
        print("refused", flush=True)
"""
    ended = run(script, 2, stack)
    assert sorted(ended.succeeded().split()) == ["refused"] * 10 + ["told"] * 2


def test_ctrl_c_ends_a_raw_call_that_waits(run, stack: Stack) -> None:
    script = """
import os, signal, threading
import numpy as np
import polympi as mpi
p = mpi.world.raw
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    p.recv(np.zeros(1), 1 - p.rank, 4)
except KeyboardInterrupt:
    print("interrupted")
mpi.world.barrier()
"""
    assert run(script, 2, stack).succeeded().split() == ["interrupted"] * 2
