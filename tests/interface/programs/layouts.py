"""Random arrays: the same elements and strides each time for a seed, each in separate memory."""

import random
from typing import Any

import numpy as np


def layout(seed: int, itemsize: int | None = None, backwards: bool = True, repeated: bool = False) -> tuple[Any, Any]:
    """An array of 0 to 6 dimensions with gaps, steps and permuted axes; and the contiguous array under it."""
    chance = random.Random(seed)
    itemsize = itemsize or chance.choice([1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 40, 48, 100])
    axes = range(chance.randint(0, 6))
    shape = [chance.choice([1, 1, 2, 3, 4, 5] + [0] * (chance.random() < 0.1)) for _ in axes]
    steps = [chance.choice([1, 1, 1, 2, 3] + [-1, -1, -2] * backwards) for _ in axes]
    room = [length * abs(step) + chance.choice([0, 0, 0, 1, 2]) for length, step in zip(shape, steps, strict=True)]
    order = chance.sample(axes, len(axes))
    nbytes = itemsize * int(np.prod(room, dtype=int))
    under = np.random.default_rng(seed).integers(0, 256, nbytes, np.uint8).view(f"V{itemsize}")
    array = under.reshape([room[axis] for axis in order]).transpose(np.argsort(order))
    cut = [
        slice(0, n * step, step) if step > 0 else slice(n * -step - 1, None, step) if n else slice(0)
        for n, step in zip(shape, steps, strict=True)
    ]
    array = array[(*cut, ...)]
    assert array.shape == tuple(shape)
    if repeated and axes and chance.random() < 0.2:
        at = chance.choice(axes)
        array = (
            np.repeat(array[..., None], 1, -1)
            if 0 in shape
            else np.broadcast_to(np.expand_dims(array, at), (*shape[:at], 3, *shape[at:]))
        )
    return array, under


def described(array: Any) -> str:
    return f"shape {array.shape}, strides {array.strides}, itemsize {array.itemsize}"
