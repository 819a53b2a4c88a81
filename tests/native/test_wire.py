"""The bytes that ranks send one another, one by one.

A change of them needs another WIRE_VERSION (codec/wire.h): ranks whose polympi writes other bytes are refused by that
number alone.
"""

import pickle
import sys
from array import array
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tensors import Tensor

pytestmark = pytest.mark.skipif(sys.byteorder != "little", reason="numbers travel as the machine has them")

ONE, TWO = (f"{number:02x} 00 00 00 00 00 00 00" for number in (1, 2))
MINUS_TWO = "00 00 00 00 00 00 00 c0"  # as a double
DOUBLES = f"00 00 00 00 00 00 f0 3f  {MINUS_TWO}"


def described(value: object) -> tuple[str, str]:
    """A pickle, which other versions of Python and NumPy may write otherwise: its length as uint32, and itself."""
    data = pickle.dumps(value, 5)
    return len(data).to_bytes(4, "little").hex(" "), data.hex(" ")


class Point:
    def __init__(self, x: object) -> None:
        self.x = x


class Slots:
    __slots__ = ("x",)

    def __init__(self, x: object) -> None:
        self.x = x


def maker(cls: type) -> tuple[str, str]:
    """The pickle that makes an instance of its state, which is a buffer: its length as uint32, and itself."""
    frame = pickle.dumps(cls, 5)[11:-1] + b")\x81\x97b."
    data = b"\x80\x05\x95" + len(frame).to_bytes(8, "little") + frame
    return len(data).to_bytes(4, "little").hex(" "), data.hex(" ")


MAKER, SLOTS, OF_ONE = maker(Point), maker(Slots), f"0b  {ONE}"
RANGE = described(range(2))
DATE = described(np.dtype("M8[s]"))
FIELDS = described(np.dtype([("x", "<i2"), ("y", ">f8")]))

# An array: tag, type, axes, container, Fortran order, apart, format, unused; itemsize; bytes of the description; shape.
SMALL: list[tuple[str, Any, str]] = [
    ("none", None, "00"),
    ("false", False, "01"),
    ("true", True, "02"),
    ("int", -2, "03  fe ff ff ff ff ff ff ff"),
    ("big int", 2**64, "04  09 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00 01"),
    ("float", -2.0, f"05  {MINUS_TWO}"),
    ("complex", 1 - 2j, f"06  {DOUBLES}"),
    ("str", "é", f"07  {TWO}  c3 a9"),
    ("bytes", b"ab", f"08  {TWO}  61 62"),
    ("tuple", (None, -2.0), f"09  {TWO}  00  05 {MINUS_TWO}"),
    ("list", [True], f"0a  {ONE}  02"),
    ("dict", {"key": None, 2: True}, f"0b  {TWO}  12 03 6b 65 79  00  03 {TWO}  02"),
    ("set", {"a"}, f"0c  {ONE}  12 01 61"),
    ("frozenset", frozenset({"a"}), f"0d  {ONE}  12 01 61"),
    ("row", np.array([1.0, -2.0]), f"14 0c 08 00  02 00 00 00  {DOUBLES}"),
    ("strided row", np.array([1, 0, 2, 0], "i2")[::2], "14 03 02 00  02 00 00 00  01 00 02 00"),
    ("empty row", np.array([], "f4"), "14 0b 04 00  00 00 00 00"),
    ("array", np.array([[1.0, -2.0]]), f"0e 0c 02 00 00 00 00 00  08 00 00 00  00 00 00 00  {ONE} {TWO}  {DOUBLES}"),
    ("no axes", np.array(7, "i4"), "0e 05 00 00 00 00 00 00  04 00 00 00  00 00 00 00  07 00 00 00"),
    (
        "fortran",
        np.array([[1, 3], [2, 4]], "u1", order="F"),
        f"0e 02 02 00 01 00 00 00  01 00 00 00  00 00 00 00  {TWO} {TWO}  01 02 03 04",
    ),
    (
        "described",
        np.array([2], "M8[s]"),
        f"0e ff 01 00 00 00 00 00  08 00 00 00  {DATE[0]}  {ONE}  {DATE[1]}  {TWO}",
    ),
    (
        "structure",
        np.array([(2, 1.0)], [("x", "<i2"), ("y", ">f8")]),
        f"0e ff 01 00 00 00 00 00  0a 00 00 00  {FIELDS[0]}  {ONE}  {FIELDS[1]}  02 00  3f f0 00 00 00 00 00 00",
    ),
    ("bytearray", bytearray(b"ab"), f"0e 02 01 01 00 00 42 00  01 00 00 00  00 00 00 00  {TWO}  61 62"),
    ("memoryview", memoryview(b"ab"), f"0e 02 01 02 00 00 42 00  01 00 00 00  00 00 00 00  {TWO}  61 62"),
    ("array.array", array("h", [1, 2]), f"0e 03 01 03 00 00 68 00  02 00 00 00  00 00 00 00  {TWO}  01 00 02 00"),
    ("scalar", np.float64(-2), f"0f 0c  {MINUS_TWO}"),
    ("pickle", range(2), f"10  00 00 00 00 00 00 00 00  {RANGE[0]} 00 00 00 00  {RANGE[1]}"),
    ("buffer", pickle.PickleBuffer(b"ab"), f"10  {ONE}  05 00 00 00 00 00 00 00  13 {TWO} 61 62  80 05 97 98 2e"),
    (
        "foreign",
        Tensor(np.array([-2.0])),
        f"11  07 00 00 00 00 00 00 00  {b'tensors'.hex()}  14 0c 08 00  01 00 00 00  " + MINUS_TWO,
    ),
    ("short str", "text", "12 04  74 65 78 74"),
    ("ints", [-2, 1], f"15  {TWO}  fe ff ff ff ff ff ff ff  {ONE}"),
    ("floats", [1.0, -2.0], f"16  {TWO}  {DOUBLES}"),
    ("instance", Point(True), f"17  {MAKER[0]} 00 00 00 00  {MAKER[1]}  {OF_ONE}  12 01 78  02"),
    (
        "instances",
        [Slots(None), Slots(True)],
        f"0a  {TWO}  17  {SLOTS[0]} 00 00 00 00  {SLOTS[1]}  09 {TWO} 00  {OF_ONE}  12 01 78  00"
        f"  17  00 00 00 00 00 00 00 00  09 {TWO} 00  {OF_ONE}  12 01 78  02",
    ),
]


@pytest.mark.parametrize(("value", "expected"), [message[1:] for message in SMALL], ids=[name for name, *_ in SMALL])
def test_small_messages(codec, value: object, expected: str) -> None:
    stream, parts = codec.encode(value)
    assert stream.hex(" ") == bytes.fromhex(expected).hex(" ")
    assert parts == []


# From 4 KiB on data travel apart: 4096 and 8192 bytes here.
FEW, MANY = "00 10 00 00 00 00 00 00", "00 20 00 00 00 00 00 00"
ROWS = "10 00 00 00 00 00 00 00  20 00 00 00 00 00 00 00"  # 16 times 32 doubles
LARGE: list[tuple[str, Any, list[str], str]] = [
    ("bytes", bytes(4096), [FEW], f"08  {FEW}"),
    ("str", "x" * 8192, [MANY], f"07  {MANY}"),
    ("array", np.zeros((16, 32)), [FEW], f"0e 0c 02 00 00 01 00 00  08 00 00 00  00 00 00 00  {ROWS}"),
    ("fortran", np.zeros((32, 16)).T, [FEW], f"0e 0c 02 00 01 01 00 00  08 00 00 00  00 00 00 00  {ROWS}"),
    ("strided", np.zeros((16, 64))[:, ::2], [FEW], f"0e 0c 02 00 00 01 00 00  08 00 00 00  00 00 00 00  {ROWS}"),
    ("two", (bytes(8192), None, bytes(4096)), [MANY, FEW], f"09  03 00 00 00 00 00 00 00  08 {MANY}  00  08 {FEW}"),
]


@pytest.mark.parametrize(("value", "sizes", "stream"), [one[1:] for one in LARGE], ids=[name for name, *_ in LARGE])
def test_announcements(codec, value: object, sizes: list[str], stream: str) -> None:
    encoded, parts = codec.encode(value)
    assert encoded.hex(" ") == bytes.fromhex(stream).hex(" ")
    assert [len(part).to_bytes(8, "little") for part in parts] == [bytes.fromhex(size) for size in sizes]
    body = bytes.fromhex("".join(sizes) + stream)
    length, count = (number.to_bytes(8, "little").hex() for number in (len(body), len(sizes)))
    # tag, whether the body is apart, pieces beyond one of each part; sequence number; bytes of the body; parts
    expected = f"ff 00 00 00  04 03 02 01  {length}  {count}"
    assert codec.announce(value, 0x01020304).hex(" ") == (bytes.fromhex(expected) + body).hex(" ")


PLAIN = [np.zeros((2, 3)), np.zeros((16, 32)), np.zeros((3, 2), "u2"), np.zeros(2), np.zeros(512)]


@pytest.mark.parametrize("sent", PLAIN, ids=["small", "large", "short", "row", "large row"])
def test_plain_arrays_are_written_as_the_encoder_writes_them(codec, sent: NDArray[Any]) -> None:
    message = codec.plain_array(sent.dtype.num, sent.itemsize, sent.shape, 77)
    stream, parts = codec.encode(sent)
    assert message == (codec.announce(sent, 77) if parts else stream[: -sent.nbytes])


def test_offers_and_answers_of_a_channel(codec) -> None:
    # step; channel; tag; bytes of what follows
    messages = {
        (1, 0x01020304, 7, b"form"): "01 00 00 00  04 03 02 01  07 00 00 00  04 00 00 00  66 6f 72 6d",
        (2, 5, 6, b""): "02 00 00 00  05 00 00 00  06 00 00 00  00 00 00 00",
        (5, 5, 6, b"why"): "05 00 00 00  05 00 00 00  06 00 00 00  03 00 00 00  77 68 79",
    }
    for (step, channel, tag, behind), expected in messages.items():
        message = codec.offer(step, channel, tag, behind)
        assert message.hex(" ") == bytes.fromhex(expected).hex(" ")
        assert codec.offered(message) == (step, channel, tag, len(behind))
        for damaged in (message[:-1], message + b"x", b"\x00" + message[1:], b"\x06" + message[1:], message[:15], b""):
            with pytest.raises(LookupError):
                codec.offered(damaged)


FORMS: list[tuple[str, Any, bool, str]] = [
    ("array", np.zeros((16, 32)), False, f"0e 0c 02 00 00 01 00 00  08 00 00 00  00 00 00 00  {ROWS}"),
    ("small", np.zeros((2, 1), "i2"), False, f"0e 03 02 00 00 01 00 00  02 00 00 00  00 00 00 00  {TWO} {ONE}"),
    ("fortran", np.zeros((32, 16)).T, True, f"0e 0c 02 00 01 01 00 00  08 00 00 00  00 00 00 00  {ROWS}"),
    ("bytes", b"ab", False, f"0e 02 01 01 00 01 00 00  01 00 00 00  00 00 00 00  {TWO}"),
    ("described", np.zeros(2, "M8[s]"), False, f"0e ff 01 00 00 01 00 00  08 00 00 00  {DATE[0]}  {TWO}  {DATE[1]}"),
]


@pytest.mark.parametrize(("value", "fortran", "expected"), [one[1:] for one in FORMS], ids=[name for name, *_ in FORMS])
def test_what_a_channel_offers(codec, value: object, fortran: bool, expected: str) -> None:
    assert codec.form(value, fortran).hex(" ") == bytes.fromhex(expected).hex(" ")


HEAD = "07 02 03 04  08 07 06 05  fe ff ff ff  09 00 00 00"  # verb, kind, type, op; bytes; root; failed
TEN, ELEVEN, TWELVE = (f"{number:02x} 00 00 00 00 00 00 00" for number in (10, 11, 12))
HEADS = {
    "Head": HEAD,
    "BcastHead": f"{HEAD}  {TEN}  {ELEVEN}  {TWELVE}",  # parts, bytes of the body, page
    "BoardHead": "0d 00 00 00 00 00 00 00  0e 00 00 00 00 00 00 00",  # page, parts
    # shape, consent; bound; elements
    "Contribution": f"{HEAD}  0f 00 00 00  10 00 00 00  11 00 00 00 00 00 00 00  {b'data'.hex()}",
    "Notice": "03 13 00 00 12 00 00 00  14 00 00 00 00 00 00 00",  # verb, root, number; rank
    "Introduction": f"15 00 00 00 00 00 00 00  ea {' '.join(7 * ['ff'])}",  # number, machine
    # key; number, step, yes, single, unused; count; number and key of the other call; the first ranks
    "SubsetNote": "17 00 00 00 00 00 00 00  18 00 00 00  04 01 01 00  02 00 00 00  19 00 00 00"
    "  1a 00 00 00 00 00 00 00  03 00 00 00  05 00 00 00" + 40 * " 00",
}


def test_heads_of_collectives(codec) -> None:
    assert {name: data.hex() for name, data in codec.heads().items()} == {
        name: bytes.fromhex(data).hex() for name, data in HEADS.items()
    }


def test_numbers_of_verbs_and_kinds(codec) -> None:
    assert codec.kinds() == {
        "verb": tuple(range(1, 16)),
        "bcast": tuple(range(6)),
        "slot": tuple(range(4)),
        "contribution": tuple(range(8)),
        "consent": (1, 2, 4),
        "answer": (1, 2),
        "subset": (1, 2, 3, 4, 5),
        "different": (255, -2),
    }


def test_these_are_the_bytes_of_this_version(codec) -> None:
    assert codec.WIRE_VERSION == 9
