"""Random values through the codec, and their streams changed at random, with and without memory to receive into.

By hand, for as long as one likes, best under sanitizers (see `make sanitize`):

    PYTHONPATH=src:FOLDER_OF_CODEC_MODULE python tests/native/fuzzing.py SECONDS [SEED]
"""

import importlib
import random
import sys
import time
from types import ModuleType
from typing import Any

import numpy as np
from array_samples import DESCRIBED, NUMBERS, filled
from everything import ARRAYS, EVERYTHING, MEMORY, made_up, observed

from polympi import errors

PICKLE = b"\x80\x05\x95"  # how a pickle begins; the length of its frame follows
TELLING = [0, 1, 2, 3, 4, 7, 8, 14, 15, 16, 17, 19, 21, 22, 23, 63, 64, 65, 127, 128, 254, 255]
GUARD = 64


def outside_pickles(stream: bytes) -> list[int]:
    """The positions of a stream that are in no pickle, which may do anything."""
    free = bytearray(b"\1" * len(stream))
    start = stream.find(PICKLE)
    while start >= 0:
        end = start + 11 + int.from_bytes(stream[start + 3 : start + 11], "little")
        free[start:end] = bytes(len(free[start:end]))
        start = stream.find(PICKLE, start + 1)
    return [position for position, is_free in enumerate(free) if is_free]


def changed(chance: random.Random, stream: bytes, other: bytes) -> bytes:
    """A stream with some bytes changed, added or gone."""
    made, positions = bytearray(stream), outside_pickles(stream)
    for _ in range(chance.randrange(1, 5)):
        at = chance.choice(positions) if chance.random() < 0.5 else positions[chance.randrange(min(40, len(positions)))]
        made[at] = chance.choice(TELLING) if chance.random() < 0.7 else chance.randrange(256)
    if chance.random() < 0.2:
        at, count = chance.choice(positions), chance.choice([1, 8, 100])
        made[at : at + chance.choice([0, count])] = chance.choice([b"", other[:count], bytes(count), other])
    return bytes(made[: chance.choice(positions)] if chance.random() < 0.1 else made)


def changed_parts(chance: random.Random, parts: list[bytearray]) -> list[bytearray]:
    if chance.random() < 0.7:
        return parts
    return chance.choice(
        [[], parts[1:], parts[::-1], parts * 2, [part[:-1] for part in parts], [part * 2 for part in parts]]
    )


def decode(codec: ModuleType, stream: bytes, parts: list[bytearray]) -> None:
    """Decode a stream that may be damaged, and look at all that it gives."""
    try:
        value = codec.decode(stream, parts)
    except SystemError:  # the codec said that something failed, but not what
        raise
    except (errors.Error, MemoryError):
        return
    except Exception:
        if any(first in stream for first in (PICKLE[:1], b"\x10", b"\x17")):  # a pickle, an instance
            return
        raise
    try:
        observed(value)
    except (NotImplementedError, ValueError, OverflowError, MemoryError, UnicodeError):
        pass  # a format that memoryviews do not know, text that is none
    except (TypeError, AttributeError):  # objects recreated from other things than they held
        if PICKLE[:1] not in stream:
            raise


def targets(chance: random.Random) -> tuple[Any, Any]:
    """Memory with a part of it to receive into."""
    dtype = np.dtype(chance.choice([*NUMBERS, *DESCRIBED, "f8", "f8", "u1"]))
    shape = chance.choice([(6,), (2, 3), (3, 2, 4), (), (2000,), (40, 50)])
    whole = np.zeros((2 * GUARD + 4 * 2000,), dtype)
    whole.view("u1")[...] = 7
    count = int(np.prod(shape))
    inner = whole[GUARD : GUARD + 2 * count]
    into = chance.choice([inner[:count], inner[::2], inner[count - 1 :: -1] if count > 1 else inner[:count]])
    into = into[:count].reshape(shape)
    if into.base is None or not np.shares_memory(into, whole):
        into = inner[:count].reshape(shape)
    if chance.random() < 0.2:
        into = into.T
    if chance.random() < 0.2 and dtype.kind in "biuf" and dtype.isnative:
        into = memoryview(into)
    return whole, into


def fill(codec: ModuleType, chance: random.Random, stream: bytes, parts: list[bytearray]) -> None:
    """Receive a stream that may be damaged into memory, and check that nothing else is written."""
    whole, into = targets(chance)
    try:
        codec.fill(into, stream, parts)
    except SystemError:
        raise
    except (errors.Error, MemoryError):
        pass
    except Exception:
        if PICKLE[:1] not in stream:
            raise
    edges = [whole[:GUARD], whole[GUARD + 2 * np.asarray(into).size :]]
    assert all((edge.view("u1") == 7).all() for edge in edges), (stream[:100], into)


ARRAY_NAMES = sorted([*ARRAYS, *MEMORY])


def a_value(chance: random.Random) -> Any:
    kind = chance.random()
    if kind < 0.3:
        return made_up(chance, [], 3)
    if kind < 0.7:
        dtype, shape = np.dtype(chance.choice([*NUMBERS, *DESCRIBED])), chance.choice([(6,), (2, 3), (2000,), (40, 50)])
        array = filled(dtype, shape)
        return chance.choice([array, array.T, array[::-1], [array], memoryview(array) if dtype.char in NUMBERS else 1])
    return EVERYTHING[chance.choice(ARRAY_NAMES)]


def one_round(codec: ModuleType, seed: int) -> None:
    """A value there and back, and its stream changed in some ways."""
    chance = random.Random(seed)
    value, other = a_value(chance), a_value(chance)
    alone, inside = (codec.decode(*codec.encode(each)) for each in (value, [value]))
    assert observed(inside[0]) == observed(alone), seed
    stream, parts = codec.encode(value)
    second, _ = codec.encode(other)
    fill(codec, chance, stream, parts)
    for _ in range(4):
        if positions := outside_pickles(stream):
            assert positions
            damaged, some = changed(chance, stream, second), changed_parts(chance, parts)
            decode(codec, damaged, some)
            fill(codec, chance, damaged, some)


if __name__ == "__main__":
    module = importlib.import_module("codec")
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns()
    end, first = time.monotonic() + float(sys.argv[1]), seed
    while time.monotonic() < end:
        try:
            one_round(module, seed)
        except BaseException:
            print("seed", seed, flush=True)
            raise
        seed += 1
    print(seed - first, "rounds", flush=True)
