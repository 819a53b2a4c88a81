"""In which order things are launched and timed: random, and determined by the seed.

Blocks and Latin squares: R. A. Fisher, The Design of Experiments (1935). Every binding is launched once a block, so
that drift from block to block hits all alike, and within a square each binding stands once in each place of a block,
so that a drift inside the blocks does too.

What is launched before can disturb, too: it leaves caches, memory and a warm or a throttled processor. The squares are
therefore those of E. J. Williams (Experimental designs balanced for the estimation of residual effects of treatments,
Australian J. Sci. Res. A 2 (1949) 149-168), in which every binding also follows every other equally often. In a
cyclic square each follows nearly always the same one. (The first launch of a block follows the last one of the block
before; that is left to chance.)
"""

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def block_order(bindings: Sequence[str], block: int, seed: int, stack: str) -> list[str]:
    """The order of the bindings in a block: a row of a randomised Williams design.

    An even number k of bindings needs k blocks, in which each follows each other one once; an odd number 2 k blocks,
    in which each does twice (never more than twice within its first k). Names are given to the places of the design
    at random, and the rows of each square are taken in random order; then the next design begins.
    """
    squares = williams_squares(len(bindings))
    design, row = divmod(block, len(squares) * len(bindings))
    generator = random.Random(f"{seed}/{stack}/design {design}")
    names = generator.sample(list(bindings), len(bindings))
    rows = [row for square in squares for row in generator.sample(square, len(square))]
    return [names[number] for number in rows[row]]


def williams_squares(count: int) -> list[list[list[int]]]:
    """The Latin squares over ``0 ... count - 1`` in which, taken together, each number follows each other one as often.

    The rows of a square are the shifts of 0, 1, -1, 2, -2, ... (modulo ``count``), the neighbours of which
    differ by 1, -2, 3, -4, ...: all differences once if ``count`` is even. If it is odd, half of them come twice,
    and the rows read backwards, a second square, have the other half.
    """
    first = [(k + 1) // 2 * (1 if k % 2 else -1) % count for k in range(count)]
    square = [[(number + shift) % count for number in first] for shift in range(count)]
    return [square] if count % 2 == 0 or count == 1 else [square, [row[::-1] for row in square]]


def joint_order(arms: Mapping[str, Sequence[str]], block: int, seed: int) -> list[tuple[str, str]]:
    """The order of all arms of several stacks (or levels) in a block, as :func:`block_order` has those of one.

    So stacks and levels are interleaved as bindings are: each launch may follow any other, and none of them always
    comes first. With more arms than blocks no design is complete; its rows are still those of Latin squares, so that
    no arm stands in the same place of two blocks.

    Returns:
        Stack and arm of each launch.
    """
    places = {f"{stack}/{arm}": (stack, arm) for stack, own in arms.items() for arm in own}
    return [places[name] for name in block_order(list(places), block, seed, " and ".join(arms))]


def stack_order(stacks: Sequence[_Item], block: int, seed: int) -> list[_Item]:
    """The order of several numbers of ranks in a block, shuffled, as their times are paired within a block, too."""
    return random.Random(f"{seed}/stacks {block}").sample(list(stacks), len(stacks))


def case_order(cases: Sequence[_Item], block: int, seed: int, stack: str) -> list[_Item]:
    """The cases shuffled for a block; all bindings of a block share the order, so that a case follows the same ones."""
    return random.Random(f"{seed}/{stack}/cases {block}").sample(list(cases), len(cases))
