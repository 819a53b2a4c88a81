"""What users write on the command line, turned into what the laboratory takes."""

import os
import random
import re

from polympi.lab.catalogue import PAGES
from polympi.lab.errors import UsageError
from polympi.lab.records import SCALINGS, STRONG
from polympi.lab.stacks.known import FIRST_STACK
from polympi.lab.stacks.stack import Stack, get_stack, installed_stacks
from polympi.lab.suggest import did_you_mean
from polympi.lab.units import format_bytes, format_size, parse_sizes

MOST_RANKS = 2**16 - 1  # the column `ranks` of the samples has 16 bits
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,20}")


def split_list(text: str, option: str) -> list[str]:
    """The items of a comma-separated list, at least one: an empty shell variable must not mean everything."""
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise UsageError(f"{option} names nothing: give at least one name, or leave the option out.")
    return items


def choose_stacks(text: str | None, *, one: bool = False) -> list[Stack]:
    """The stacks named, or all that are installed (``all`` or None); with `one`, just one of those installed."""
    names = [] if text is None else split_list(text, "--stack")
    if not names or names == ["all"]:
        installed = list(installed_stacks())
        usual = [FIRST_STACK] if FIRST_STACK in installed else installed[:1]
        names = usual if one and not names else installed
    return [get_stack(name) for name in dict.fromkeys(names)]


def choose_pages(name: str | None) -> str:
    """What message buffers lie on."""
    if name is not None and name not in PAGES:
        raise UsageError(f"There are no pages '{name}': choose {' or '.join(PAGES)}.{did_you_mean(name, PAGES)}")
    return PAGES[0] if name is None else name


def choose_ranks(text: str) -> list[int]:
    """The numbers of ranks in a comma-separated list, ascending."""
    numbers = []
    for item in text.split(","):
        word = item.strip()
        if not _WHOLE_NUMBER.fullmatch(word):
            raise UsageError(f"--ranks needs a whole number, or several such as 1,2,4, and not '{text}'.")
        ranks = int(word)
        if ranks < 1:
            raise UsageError(f"--ranks {text} is impossible: a launch has at least 1 rank.")
        if ranks > MOST_RANKS:
            raise UsageError(f"--ranks {text} is impossible: a launch has at most {MOST_RANKS} ranks.")
        if ranks in numbers:
            raise UsageError(f"--ranks {text} names {ranks} twice: give each number of ranks once.")
        numbers.append(ranks)
    return sorted(numbers)


def choose_scaling(name: str | None) -> str:
    """What happens to a problem where there are several numbers of ranks."""
    if name is not None and name not in SCALINGS:
        raise UsageError(f"There is no scaling '{name}': choose {' or '.join(SCALINGS)}.{did_you_mean(name, SCALINGS)}")
    return STRONG if name is None else name


def choose_sizes(text: str) -> list[int]:
    """Sizes of messages that this machine can hold."""
    sizes = parse_sizes(text)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if sizes[-1] > memory:
        largest, limit = format_size(sizes[-1]), format_bytes(memory)
        raise UsageError(f"--sizes: a message of {largest} is more than this machine's memory, {limit}.")
    return sizes


def choose_seed(seed: int | None) -> int:
    """The seed given, or a new one; it is recorded either way."""
    if seed is None:
        return random.SystemRandom().randrange(2**32)
    if not 0 <= seed < 2**63:
        raise UsageError(f"--seed {seed} is impossible: choose a whole number from 0 to {2**63 - 1}.")
    return seed
