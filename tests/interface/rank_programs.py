"""What short programs begin with whose text stands in the tests; those of more lines are files in programs/."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from polympi.lab.stacks.stack import Stack

_NUMPY = "import numpy as np\n"
PRELUDE = """
import contextlib
import gc
import itertools
import os
import random
import sys
import time
import numpy as np
import polympi as mpi
from prelude import c, in_turn, other, raises, rank, same, size
from sentences import CALLS_PENDING, FINALISED, FINALISED_MEANWHILE, FREED, MESSAGES_PENDING
"""


def without_what_is_not_used(program: str) -> str:
    """The program, without NumPy if it does not name it: importing that takes as long as all else at a start."""
    rest = program.replace(_NUMPY, "\n")  # lines keep their numbers
    return program if re.search(r"\bnp\b", rest) else rest


def on_ranks(programs: Mapping[int, Mapping[str, str]]) -> pytest.MarkDecorator:
    """Parameters `ranks` and `script` of a test: the programs for each number of ranks, by their names."""
    named = [pytest.param(ranks, text, id=name) for ranks, of in programs.items() for name, text in of.items()]
    return pytest.mark.parametrize(("ranks", "script"), named)


@dataclass(frozen=True)
class Case:
    """A program, and how it must end: see `Outcome.ends` of conftest.py."""

    script: str
    words: str | None = None
    said: Sequence[str] | None = None
    code: int = 0
    ranks: int = 2
    env: Mapping[str, str] = field(default_factory=dict)
    arguments: Sequence[str] = ()
    timeout: float = 150

    def check(self, run: Any, stack: Stack, begin: str = PRELUDE, env: Mapping[str, str] = {}) -> Any:
        """Run it after the text that several cases begin with."""
        env = {**self.env, **env}
        ended = run(begin + self.script, self.ranks, stack, timeout=self.timeout, env=env, arguments=self.arguments)
        return ended.ends(self.code, self.words, self.said)


def cases(table: Mapping[str, Case]) -> pytest.MarkDecorator:
    """The parameter `case` of a test, by the names of the cases."""
    return pytest.mark.parametrize("case", table.values(), ids=table)
