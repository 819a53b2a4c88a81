"""What the tests would make themselves when they need it, made while other things are installed.

``make stacks`` installs the stacks, and compiles the core for each; ``make programs`` compiles the bindings' programs,
for which tests of bindings, one at a time, would have the processors wait for one compiler.
"""

from __future__ import annotations

import sys

import cores
from conftest import installed_stack
from selection import STACKS

from polympi.lab.bindings.build import build, why_not_ready
from polympi.lab.bindings.manifest import load_bindings
from polympi.lab.stacks.stack import Stack


def compile_programs(stacks: list[Stack]) -> None:
    """Compile the program of each binding for each stack, unless something is missing for it."""
    for binding in load_bindings().values():
        for stack in stacks:
            if not why_not_ready(binding, stack):
                print(build(binding, stack), flush=True)


if __name__ == "__main__":
    stacks = [installed_stack(name) for name in STACKS]
    if sys.argv[1:] == ["programs"]:
        compile_programs(stacks)
    else:
        for stack in stacks:
            print(cores.core_folder(stack))
