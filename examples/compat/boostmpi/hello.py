"""Each rank says who it is, and two of them put a greeting together.

    mpiexec -n 3 python -m polympi --as boostmpi examples/compat/boostmpi/hello.py

The value of a message comes last, behind the rank that it goes to and the tag.
"""

import boost.mpi as mpi  # noqa: PLR0402  (as Boost's documentation writes it)

print(f"I am rank {mpi.rank} of {mpi.size}, on {mpi.processor_name}")

if mpi.size < 2:
    raise SystemExit("hello.py needs two ranks: start it by mpiexec -n 2.")

if mpi.rank == 0:
    mpi.world.send(1, 0, "Hello")
    answer, status = mpi.world.recv(1, 1, return_status=True)
    assert (answer, status.source, status.tag) == ("Hello, world", 1, 1)
    print(answer)
elif mpi.rank == 1:
    greeting = mpi.world.recv(0, 0)
    mpi.world.send(0, 1, greeting + ", world")
