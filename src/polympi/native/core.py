"""The core that fits this process's MPI library, instead of this module: ``from polympi.native import core``."""

from __future__ import annotations

import sys

from polympi.library import load_core

sys.modules[__name__] = load_core()
