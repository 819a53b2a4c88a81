"""Calls polympi from lines that test_python.py looks for."""

from polympi import world

if world.rank == 0:
    world.send([1, 2, 3], dest=1)  # send
elif world.rank == 1:
    assert world.recv(source=0) == [1, 2, 3]  # recv
