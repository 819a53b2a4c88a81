"""Arrays and strings from one rank to another, in the ways that Scientific.MPI has.

    mpiexec -n 2 python -m polympi --as scientific examples/compat/scientific/send_receive.py

A receiver gives an array, which may be larger than the message, or a type code for a new one.
"""

from Scientific import MPI, N

world = MPI.world
if world.size == 1:
    raise SystemExit("send_receive.py needs two ranks: start it by mpiexec -n 2.")
data = 1.0 * N.arange(10)

if world.rank == 0:
    world.send(data, 1, 0)  # into an array
    world.send(data[::2], 1, 1)  # every second element, of an unknown number
    world.send("Hello, rank 1", 1, 2)
    request = world.nonblockingSend(2 * data, 1, 3)
    request.wait()

if world.rank == 1:
    room = N.zeros((10,), N.Float)
    got, source, tag, count = world.receive(room, 0, 0)
    assert got is room
    assert (room == data).all()
    assert (source, tag, count) == (0, 0, 10)

    got, source, tag, count = world.receive(N.Float, None, 1)  # from any rank
    assert (got == data[::2]).all()
    assert (source, count) == (0, 5)

    text, source, tag = world.receiveString(0)  # with any tag
    assert (text, tag) == ("Hello, rank 1", 2)

    request = world.nonblockingReceive(room, 0, 3)
    while not request.test():
        pass  # compute meanwhile
    assert (room == 2 * data).all()
    print(f"rank 1 of {world.size} has received all: {text}")
