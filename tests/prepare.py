"""Install the stacks of the tests, and compile the core for each: ``make stacks``, while other things are installed.

The tests would do so themselves when they need them.
"""

from __future__ import annotations

import circles
import cores
from conftest import installed_stack

if __name__ == "__main__":
    for name in circles.STACKS:
        print(cores.core_folder(installed_stack(name)))
