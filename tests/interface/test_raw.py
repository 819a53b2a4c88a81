"""Raw messages: elements alone, as any partner in MPI sends and receives them."""

import pytest


@pytest.mark.sanitize
@pytest.mark.parametrize(
    ("level", "machines", "limit"), [("serialized", "", ""), ("multiple", "0 1", ""), ("serialized", "", "60")]
)
def test_raw_messages_and_collectives_of_two_ranks(run, stack, level: str, machines: str, limit: str) -> None:
    """With a limit, each collective is made by a separate thread."""
    env = {"POLYMPI_THREADS": level, "MACHINES": machines, "POLYMPI_TIMEOUT": limit}
    run("partners/raw_pair.py", 2, stack, env=env).ends(words="done done", said=[])


def test_the_end_waits_for_sends_and_tells_what_was_left(run, stack) -> None:
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
