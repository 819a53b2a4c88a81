"""Protocol buffers as they are encoded: https://protobuf.dev/programming-guides/encoding."""

from __future__ import annotations

_SMALL = [bytes((number,)) for number in range(128)]
_VARINT, _FIXED64, _BYTES = 0, 1, 2


def varint(number: int) -> bytes:
    """A number from 0 to 2^64 - 1, seven bits a byte; a negative one as its complement."""
    if 0 <= number < 128:
        return _SMALL[number]
    number &= 2**64 - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def integer(field: int, value: int) -> bytes:
    """A field with an integer, a boolean or an enumeration."""
    return varint(field << 3 | _VARINT) + varint(value)


def fixed64(field: int, value: int) -> bytes:
    """A field with 64 bits."""
    return varint(field << 3 | _FIXED64) + value.to_bytes(8, "little")


def block(field: int, value: bytes | str) -> bytes:
    """A field with text, bytes or another message."""
    raw = value.encode("utf-8") if isinstance(value, str) else value
    return varint(field << 3 | _BYTES) + varint(len(raw)) + raw
