"""Operations that are repeated leave nothing behind; what is repeated and counted is in programs/leaks.py."""

import pytest
from rank_programs import PRELUDE

# Open MPI 5.0 keeps 1.4 KB of each communicator over several hosts that a collective was called on, also in C; the rest
# of what grows there is ours.
WITHOUT_HAN = {"OMPI_MCA_coll": "^han"}


@pytest.mark.slow
def test_nothing_grows_with_the_number_of_calls(run, stack) -> None:
    run("leaks.py", 2, stack, env=WITHOUT_HAN).succeeded()


# Of a message that nobody has received yet, the libraries themselves keep 900 bytes (Open MPI) or 1900 (MPICH).
MOST_BYTES = 3000


@pytest.mark.one_host  # for TCP the library keeps more
@pytest.mark.parametrize("kind", ["kept", "dropped", "buffered", "announced"])
def test_a_small_message_under_way_takes_little_memory(run, stack, kind: str) -> None:
    most_bytes = MOST_BYTES * (2 if kind == "announced" else 1)
    run("small_messages_under_way.py", 2, stack, arguments=[kind, str(most_bytes)]).succeeded()


# A receive that is posted takes the libraries some 900 bytes themselves.
@pytest.mark.parametrize(("into", "most_bytes"), [("None", 2000), ("np.zeros(1)", 2000), ("bytearray(8)", 3500)])
def test_a_receive_that_waits_for_its_message_takes_little_memory(run, stack, into: str, most_bytes: int) -> None:
    script = f"""
N = 10_000
targets = [{into} for _ in range(N)]
if rank == 0:
    before = resident()
    requests = [c.irecv(1, n % 1000, into=into) for n, into in enumerate(targets)]
    took = (resident() - before) // N
    assert took <= {most_bytes}, took
    in_turn()
    assert all(bytes(got) == bytes(8) for got in mpi.wait_all(requests))
else:
    in_turn()
    for n in range(N):
        c.send(bytearray(8) if {into!r} == "bytearray(8)" else np.zeros(1), 0, n % 1000)
in_turn()
"""
    run(PRELUDE + "from resident import resident\n" + script, 2, stack).succeeded()
