"""Messages whose lengths are not true: errors, whatever they are received into, and no other memory is touched."""

from pathlib import Path

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack

pytestmark = pytest.mark.sanitize

PROGRAMS = Path(__file__).parent / "programs" / "damaged_messages"

RAW = "from raw_messages import DOUBLE, GUARD, announce, core, head, targets\n"


def test_lengths_that_are_not_true_are_errors(run_in_job, stack: Stack) -> None:
    run_in_job(PROGRAMS / "lengths.py", 2, stack)


def test_messages_of_any_length_touch_nothing_but_their_target(run_in_job, stack: Stack) -> None:
    script = """
chance = random.Random(8)
for turn in range(1000):
    shape = tuple(chance.choice([0, 1, 2, 3, 6, 125]) for _ in range(chance.choice([0, 1, 1, 1, 2, 2, 3])))
    apart, itemsize = chance.random() < 0.5, chance.choice([1, 8, 8, 8, 16])
    stream = head(shape, chance.choice([DOUBLE] * 4 + [2, 11]), itemsize, chance.choice([0, 0, 1, 2]),
                  chance.random() < 0.3, apart)
    if not apart:
        stream += b"y" * min(chance.choice([0, 8, 48, int(np.prod(shape)) * itemsize]), 8000)  # of a small message
    sizes = [chance.choice([8, 48, 480, int(np.prod(shape)) * itemsize]) for _ in range(chance.choice([0, 1, 1, 2]))]
    sizes = [min(nbytes, 2000) for nbytes in sizes]
    number = chance.randrange(1 + len(targets()))
    if rank == 0:
        announce(stream, sizes, chance.random() < 0.2) if sizes else core._send_raw(c, stream, 1, 1, False)
        if turn % 50 == 0:
            c.recv(1)
        continue
    chance.random() if sizes else None
    whole, into = targets()[number - 1] if number else (np.full(1000, 7.0), None)
    with contextlib.suppress(mpi.Error, ValueError):
        c.recv(0, 1, into=into, timeout=30)
    assert (whole[:GUARD] == 7).all() and (whole[-GUARD:] == 7).all(), turn
    if turn % 50 == 0:
        c.send(None, 0)
"""
    run_in_job(PRELUDE + RAW + script, 2, stack)
