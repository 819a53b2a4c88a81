"""Each rank says what it calls, tries it on a new communicator, and what it learns must be true."""

import re
from collections.abc import Callable

from hostless import without_hosts
from prelude import c, rank, size

import polympi as mpi

SPELLED = {
    "bcast": lambda comm, root: comm.bcast(rank, root, timeout=30),
    "gather": lambda comm, root: comm.gather(rank, root, timeout=30),
    "scatter": lambda comm, root: comm.scatter([0] * size, root, timeout=30),
    "reduce": lambda comm, root: comm.reduce(rank, mpi.SUM, root, timeout=30),
    "barrier": lambda comm, root: comm.barrier(timeout=30),
    "allgather": lambda comm, root: comm.allgather(rank, timeout=30),
    "alltoall": lambda comm, root: comm.alltoall([0] * size, timeout=30),
    "allreduce": lambda comm, root: comm.allreduce(rank, timeout=30),
    "scan": lambda comm, root: comm.scan([rank], timeout=30),
}
ROOTED = {"bcast", "gather", "scatter", "reduce"}


def reported(plan: Callable[[int], tuple[str, int]]) -> set[int]:
    """All ranks call what the plan (rank -> verb, root) says: which of them got a mismatch error, with true words."""

    def spell(of: int) -> str:
        verb, root = plan(of)
        return f"{verb}(root={root})" if verb in ROOTED else f"{verb}()"

    comm = c.dup()
    verb, root = plan(rank)
    sentence = None
    try:
        SPELLED[verb](comm, root)
    except mpi.MismatchError as error:
        sentence = without_hosts(str(error))
    if sentence and "name different roots" not in sentence:
        said = re.search(r"rank (\d+) called (.*?) where this rank called (.*?): all ranks must", sentence)
        assert said, sentence
        assert said[2] == spell(int(said[1])) != said[3] == spell(rank), sentence
    return {number for number, has_error in enumerate(c.allgather(sentence is not None)) if has_error}


last = size - 1
everyone = set(range(size))
