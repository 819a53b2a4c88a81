"""In which order things are launched and timed: randomised, and told by the seed alone.

Blocks and Latin squares: R. A. Fisher, The Design of Experiments (1935). Every binding is launched once a block, so
that drift from block to block hits all alike, and within a square each binding stands once in each place of a block,
so that a drift inside the blocks does too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def block_order(bindings: Sequence[str], block: int, seed: int, stack: str) -> list[str]:
    """The order of the bindings in a block: a row of a randomised cyclic Latin square.

    Rows of one square are rotations of a random permutation, taken in random order; after as many blocks as there
    are bindings the next square begins.
    """
    square, row = divmod(block, len(bindings))
    generator = random.Random(f"{seed}/{stack}/square {square}")
    first_row = generator.sample(list(bindings), len(bindings))
    rotation = generator.sample(range(len(bindings)), len(bindings))[row]
    return first_row[rotation:] + first_row[:rotation]


def case_order(cases: Sequence[_Item], block: int, seed: int, stack: str) -> list[_Item]:
    """The cases shuffled for a block; all bindings of a block share the order, so that a case follows the same ones."""
    return random.Random(f"{seed}/{stack}/cases {block}").sample(list(cases), len(cases))
