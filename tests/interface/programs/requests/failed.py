"""A failed request says so once and leaves the others alone."""

import numpy as np
from prelude import c, in_turn, raises, rank, same

import polympi as mpi

for n in 10, 10_000:
    for wait in (
        lambda request: request.wait(),
        lambda request: mpi.wait_all([request]),
        lambda request: request.test(),
        lambda request: mpi.wait_any([request]),
        lambda request: mpi.test_all([request]),
    ):
        if rank == 0:
            for tag in range(3):
                c.send(np.full(n, tag), 1, tag)
            in_turn()
        else:
            requests = [c.irecv(0, 0), c.irecv(0, 1, into=bytearray(3)), c.irecv(0, 2)]
            while not requests[2].test():  # then the first two have arrived, too
                pass
            with raises(mpi.MismatchError, "irecv(source=0, tag=1)", "int64 elements", operation="irecv"):
                wait(requests[1])
            assert requests[1].done
            with raises(mpi.StateError, "this request has failed before"):
                requests[1].wait()
            with raises(mpi.StateError, "this request has failed before"):
                mpi.wait_any(requests[1:])
            with raises(mpi.StateError, "this request has failed before"):
                mpi.wait_all(requests)
            assert same([requests[0].wait(), requests[2].wait()], [np.full(n, 0), np.full(n, 2)])
            in_turn()
