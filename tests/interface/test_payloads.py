"""Objects of every kind arrive at the other rank as they were; what is sent and compared is in programs/."""

import pytest

OBJECTS = 4000  # on each stack; the codec alone gets more of them (tests/native)


@pytest.mark.sanitize
def test_values_and_arrays_of_every_kind_arrive_as_they_are(run, stack) -> None:
    run("payloads.py", 2, stack, arguments=[str(OBJECTS)]).succeeded()
