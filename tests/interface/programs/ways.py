"""Every way to receive into memory."""

from prelude import c

import polympi as mpi

WAYS = [
    lambda into: c.recv(0, 1, into=into),
    lambda into: c.irecv(0, 1, into=into).wait(),
    lambda into: mpi.wait_all([c.irecv(0, 1, into=into)])[0],
    lambda into: mpi.wait_any([c.irecv(0, 1, into=into)])[1],
    lambda into: c.sendrecv(None, mpi.PROC_NULL, 0, 0, 1, into=into),
]
