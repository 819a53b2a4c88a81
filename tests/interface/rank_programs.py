"""What short programs begin with whose text stands in the tests; those of more lines are files in programs/."""

from __future__ import annotations

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
"""
