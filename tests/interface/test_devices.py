"""Arrays on a device, by a library that pretends to have one: the CPU can't touch their memory."""

import pytest

from polympi.lab.stacks.stack import Stack


@pytest.mark.parametrize("program", ["every_verb", "out_of_memory", "direct", "raw"])
def test_arrays_on_a_device(run_in_job, stack: Stack, program: str) -> None:
    run_in_job(f"devices/{program}.py", 2, stack)
