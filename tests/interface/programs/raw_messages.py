"""Messages as the core sends them, whose lengths need not be true, and targets with guards on both sides."""

import itertools
import struct
from typing import Any

import numpy as np
from prelude import c

from polympi.native import core

ARRAY, BYTES, DOUBLE, REMOTE = 14, 8, 12, 255


def head(  # noqa: PLR0917 - the fields of the struct, in its order
    shape: tuple[int, ...], kind: int = DOUBLE, itemsize: int = 8, container: int = 0, fortran: int = 0, apart: int = 0
) -> bytes:
    """How the message of an array begins: struct array_head."""
    fixed = struct.pack("<8B2I", ARRAY, kind, len(shape), container, fortran, apart, 0, 0, itemsize, 0)
    return fixed + struct.pack(f"<{len(shape)}q", *shape)


sequence = itertools.count(10**6)


def announce(stream: bytes, sizes: list[int], apart: bool = False, **changed: int) -> None:
    """Announce parts of these sizes, and send as many bytes: struct announcement."""
    number = next(sequence)
    body = struct.pack(f"<{len(sizes)}Q", *sizes) + stream
    fields = {
        "tag": REMOTE,
        "apart": apart,
        "more": 0,
        "number": number,
        "body": len(body),
        "parts": len(sizes),
    } | changed
    core._send_raw(c, struct.pack("<BBHIQQ", *fields.values()) + (b"" if apart else body), 1, 1, False)
    for data in [body] * apart + [b"x" * nbytes for nbytes in sizes]:
        core._send_raw(c, data, 1, number, True)


GUARD = 64


def targets() -> list[tuple[Any, Any]]:
    whole = np.full(2 * GUARD + 1000, 7.0)
    inner = whole[GUARD:-GUARD]
    views = [inner[:6], inner[:12:2], inner[:6].reshape(2, 3).T, inner[:6].view("u1"), memoryview(inner[:6]), inner]
    return [(whole, view) for view in views]
