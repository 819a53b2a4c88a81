"""Any object goes from processor to processor: without a buffer, or into one of the right size and type.

mpiexec -n 2 python -m polympi --as pypar examples/compat/pypar/objects.py
"""

import numpy
import pypar

myid = pypar.rank()
assert pypar.size() == 2, "It needs two processors"

things = ["a text", 5, 2.5, [1, "two", (3,)], {"key": None}, numpy.linspace(0, 1, 5), numpy.array([1j, 2])]

if myid == 0:
    for thing in things:
        pypar.send(thing, 1)
    pypar.send(numpy.arange(100.0), 1, use_buffer=True)
    pypar.send("short", 1, use_buffer=True)
else:
    for thing in things:
        got = pypar.receive(0)
        print(f"Processor 1 of {pypar.get_processor_name()} got {got!r}")
        assert type(got) is type(thing)
        assert numpy.array_equal(got, thing) if isinstance(thing, numpy.ndarray) else got == thing
    buffer = numpy.zeros(100)
    pypar.receive(0, buffer=buffer)
    assert (buffer == numpy.arange(100)).all()
    text, status = pypar.receive(0, buffer=" " * 20, return_status=True)
    assert text.strip() == "short"
    assert status.bytes() == 5

pypar.finalize()
