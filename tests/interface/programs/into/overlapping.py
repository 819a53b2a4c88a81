"""Sendrecv sends what was there before it received."""

from typing import Any

import numpy as np
from prelude import c, other, raises, rank, same

import polympi as mpi


def of(rank: int, shape: tuple[int, ...]) -> Any:
    return np.arange(np.prod(shape)).reshape(shape) + 10**9 * rank


def check(shape: tuple[int, ...], sent: Any, into: Any) -> None:
    for peer in other, rank:
        whole = of(rank, shape)
        expected = of(peer, shape)[sent] if not callable(sent) else sent(of(peer, shape))
        value = sent(whole) if callable(sent) else whole[sent]
        target = into(whole) if callable(into) else whole[into]
        assert c.sendrecv(value, peer, source=peer, into=target) is target
        assert same(np.array(target).reshape(-1), np.array(expected).reshape(-1)), (shape, sent, into)


for n in 10, 500, 600, 5000, 200_000:
    check((n,), slice(None), slice(None))
    check((n,), slice(None), slice(None, None, -1))
    check((n,), slice(5, None), slice(None, -5))
    check((n,), slice(None, -5), slice(5, None))
    check((n,), slice(None, None, 2), slice(None, n // 2))
    check((n,), slice(None, n // 2), slice(None, None, 2))
    check((n, 3), (slice(None), 0), (slice(None), 1))
    check((n, 3), slice(None), slice(None))
    check((n, 4), lambda whole: whole.T, lambda whole: whole.reshape(4, n))
    check((n,), lambda whole: memoryview(whole)[3:], lambda whole: memoryview(whole)[:-3])
    whole = of(rank, (2, n))
    parts = [whole[0], {"b": whole[1]}]  # an object that holds the memory
    with raises(mpi.MismatchError, "an object and not an array"):
        c.sendrecv(parts, other, source=other, into=whole)
    assert same(whole, of(rank, (2, n)))
