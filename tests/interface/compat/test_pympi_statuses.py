"""Statuses of the facade of pyMPI are kept and given again, so they must be right for any number of tags."""

import pytest
from rank_programs import PRELUDE

from polympi.lab.stacks.stack import Stack


@pytest.mark.mpi
def test_every_message_has_its_own_source_and_tag(run_in_job, stack: Stack) -> None:
    script = """
from polympi.compat import pympi as mpi
from polympi.compat.pympi.requests import MOST_KEPT, statuses
peer, tags = 1 - rank, MOST_KEPT + 100  # more than are kept
for turn in range(2):
    for tag in range(tags):
        message, status = mpi.sendrecv(tag, peer, peer, tag, tag)
        assert (message, status, status.source, status.tag, status.error) == (tag, (peer, tag, 0), peer, tag, 0)
        assert type(status) is type(statuses[peer, 0])
assert len(statuses) <= MOST_KEPT
"""
    run_in_job(PRELUDE + script, 2, stack)
