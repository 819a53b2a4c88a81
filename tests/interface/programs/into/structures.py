"""Structures go into arrays of the same fields whatever is said about them."""

import numpy as np
from prelude import c, raises, rank
from ways import WAYS

import polympi as mpi

inner = np.dtype([("x", "f4"), ("s", "S3")])
STRUCTURES = [
    [("inner", inner), ("pair", inner, (2, 2)), ("n", ">i2")],
    [(("a title", "x"), "f4"), (("another", "y"), inner)],
    (np.record, [("x", "f4"), ("when", "M8[25ms]")]),
    np.dtype([("x", np.dtype("f4", metadata={"unit": "m"})), ("u", "U3")], metadata={"of": "all"}),
    np.dtype("u1,f8,c16", align=True),
    {"names": ["later", "first"], "formats": ["i4", "f8"], "offsets": [8, 0], "itemsize": 24},
    [(f"field_{n}", "i2") for n in range(300)],
    [],
]
PLAIN = {1: [("x", "f4"), ("y", inner)], 2: [("x", "f4"), ("when", "M8[25ms]")], 3: [("x", "f4"), ("u", "U3")]}
for n in 2, 1000:
    for number, spec in enumerate(STRUCTURES):
        dtype = np.dtype(spec)
        sent = np.zeros(n, dtype)
        for count, name in enumerate(dtype.names):
            if dtype[name].names is None:
                sent[name] = (np.arange(n) + count).astype(dtype[name])
        sources = [sent, sent.view(np.recarray), np.repeat(sent, 2)[::2]]
        for turn, way in enumerate(WAYS):
            source = sources[turn % 3]
            if rank == 0:
                c.send(source, 1, 1)
                c.send(source, 1, 1)
                continue
            into = np.zeros(n, PLAIN.get(number, spec) if turn % 2 else spec)
            assert way(into) is into
            assert all((into[name] == sent[name]).all() for name in dtype.names), (number, turn)
            got = c.recv(0, 1)
            assert type(got) is type(source)
            assert got.dtype == source.dtype
            assert got.flags.owndata
            assert got.dtype.metadata == source.dtype.metadata
            assert got.dtype.fields == source.dtype.fields
        into = np.zeros(2 * n, spec)
        for got in c.allgather(sent, into=into), c.gather(sent, root=1, into=into):
            if got is not None:
                assert all((into[name] == np.concatenate([sent[name]] * 2)).all() for name in dtype.names), number
        into[...] = 0
        c.bcast(sent if rank == 0 else None, into=into[:n] if rank else None)
        if rank:
            assert all((into[name][:n] == sent[name]).all() for name in dtype.names), number
if rank == 0:
    c.send(np.zeros(3, [("x", "f4"), ("y", "i4")]), 1, 1)
    c.send(np.zeros(3000, [("x", "f4"), ("y", "i4")]), 1, 1)
else:
    for n in 3, 3000:
        with raises(mpi.MismatchError, "the field 'y' is int32 at byte 4 in the message and float32 at byte 4 in this"):
            c.recv(0, 1, into=np.zeros(n, [("x", "f4"), ("y", "f4")]))
