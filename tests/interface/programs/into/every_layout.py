"""Arrays of every layout go into arrays of every layout.

24 elements travel inside the one message, 24000 beside it.
"""

from typing import Any

import numpy as np
from prelude import c, rank, same
from ways import WAYS


def layouts(n: int, dtype: str) -> list[tuple[Any, Any]]:
    """Arrays of n * 24 elements over distinct memory, with the memory around them: (whole, array)."""

    def over(shape: tuple[int, ...], cut: Any = lambda whole: whole, order: Any = "C") -> tuple[Any, Any]:
        whole = np.zeros(shape, dtype, order=order)
        return whole, cut(whole)

    return [
        over((2, 3, 4 * n)),
        over((24 * n,)),
        over((6 * n, 4)),
        over((2, 3, 4 * n), order="F"),
        over((4 * n, 3, 2), lambda a: a.T),
        over((48 * n,), lambda a: a[::2]),
        over((24 * n,), lambda a: a[::-1]),
        over((2, 6, 4 * n + 1), lambda a: a[:, ::2, 1:]),
        over((3, 2, 4 * n), lambda a: a.transpose(1, 0, 2)),
        over((24 * n, 3), lambda a: a[:, 1]),
        over((2, 3, 4 * n, 1)),
        over((4, 3, 2, n), lambda a: a[:, ::-1]),
    ]


for n in 1, 1000:
    for dtype in "f8", "u1", ">i4", "M8[s]", "i4,f8":
        values = (np.arange(24 * n) % 251).astype("f8").astype(dtype) if "," not in dtype else np.zeros(24 * n, dtype)
        if "," in dtype:
            values["f0"] = np.arange(24 * n)
            values["f1"] = -values["f0"]
        for number, (_, sent) in enumerate(layouts(n, dtype)):
            sent[...] = values.reshape(sent.shape)
            for turn, (whole, into) in enumerate(layouts(n, dtype)):
                if rank == 0:
                    c.send(sent, 1, 1)
                    continue
                assert WAYS[(number + turn) % len(WAYS)](into) is into
                expected, part = layouts(n, dtype)[turn]
                part[...] = values.reshape(part.shape)
                assert same(whole, expected), (dtype, n, sent.strides, into.strides)
