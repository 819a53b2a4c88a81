"""Install the stacks of the tests, and compile the core for each: ``make stacks``, while other things are installed.

The tests would do so themselves when they need them.
"""

from __future__ import annotations

import cores
from conftest import installed_stack
from selection import STACKS

if __name__ == "__main__":
    for name in STACKS:
        print(cores.core_folder(installed_stack(name)))
