"""What short programs begin with whose text stands in the tests; those of more lines are files in programs/."""

import re
from collections.abc import Mapping

import pytest

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
