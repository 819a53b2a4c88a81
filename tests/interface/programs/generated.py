"""Objects that hypothesis makes up go to the other rank and come back as they were; two ranks.

Rank 0 makes them and compares; rank 1 sends back what it gets. A failure ends the job with the smallest example that
hypothesis finds.
"""

import array
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as np_st
from values import Access, Cell, Colour, HaloError, Key, Level, Point, Slotted, same, same_elements

import polympi as mpi

ECHO, STOP = 1, 2
THRESHOLDS = (4096, 8192)  # from where data travel outside the stream; and what one message holds

# The codec alone gets more of them (tests/native). How long one takes says nothing on a machine with other work.
thorough = settings(max_examples=50, deadline=None, database=None, suppress_health_check=list(HealthCheck))

world = mpi.world

sizes = st.integers(0, 40) | st.sampled_from(THRESHOLDS).flatmap(lambda size: st.integers(size - 99, size + 9))
leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(st.characters(exclude_categories=[]))  # surrogates, too
    | sizes.map(lambda size: "é" * size)
    | st.binary()
    | sizes.map(bytes)
    | st.binary().map(bytearray)
    | st.decimals(allow_nan=False)
    | st.fractions()
    | st.datetimes(timezones=st.none() | st.timezones())
    | st.dates()
    | st.timedeltas()
    | st.uuids()
    | st.sampled_from([Ellipsis, NotImplemented, int, Key, len, Colour.RED, Level.LOW, Access.READ, slice(1, None)])
    | st.integers().map(range)
)
keys = (
    st.integers() | st.text(max_size=9) | st.binary(max_size=9) | st.tuples(st.integers(), st.text()) | st.just(Key(3))
)
nested = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(keys, inner)
        | st.sets(keys)
        | st.frozensets(keys)
        | st.builds(Cell, st.text(), inner)
        | st.builds(Point, inner, inner)
        | st.builds(Slotted, inner)
        | st.builds(HaloError, st.text(), st.integers())
        | st.lists(inner).map(lambda items: ValueError(*items))
    ),
    max_leaves=20,
)
shapes = np_st.array_shapes(min_dims=0, min_side=0, max_dims=4, max_side=9)
dtypes = np_st.scalar_dtypes() | np_st.array_dtypes() | np_st.nested_dtypes()
arrays = np_st.arrays(dtypes, shapes)
large = st.builds(
    lambda dtype, size: np.resize(np.arange(97).astype(dtype), size),
    np_st.integer_dtypes() | np_st.floating_dtypes() | np_st.complex_number_dtypes(),
    st.sampled_from(THRESHOLDS).flatmap(lambda size: st.integers(size // 8 - 9, size + 9)) | st.integers(0, 10**5),
)


def echo(value: Any) -> Any:
    return world.sendrecv(value, 1, ECHO, 1, ECHO)


@thorough
@given(nested)
def nested_objects(value: Any) -> None:
    assert same(echo(value), value)


@thorough
@given(arrays | large, st.sampled_from("CF"))
def arrays_alone_and_in_containers(values: Any, order: Any) -> None:
    values = np.array(values, order=order)
    for got in (echo(values), echo([values])[0], echo({"x": (values,)})["x"][0], echo(values.copy(order))):
        assert same(got, values)
        assert got.flags.writeable
        assert got.flags.owndata
        assert got.flags.aligned


@thorough
@given(np_st.arrays("i2", np_st.array_shapes(max_dims=5, max_side=6), elements=st.integers(-99, 99)) | large, st.data())
def views_of_arrays(values: Any, data: st.DataObject) -> None:
    view = values.transpose(data.draw(st.permutations(range(values.ndim))))
    view = np.asarray(view[data.draw(np_st.basic_indices(view.shape, allow_newaxis=True))])
    got = echo(view)
    assert (got.dtype, got.shape) == (view.dtype, view.shape)
    assert same_elements(got, view)
    into = np.empty_like(view)
    request = world.isend(view, 1, ECHO)
    assert world.recv(1, ECHO, into=into) is into
    request.wait()
    assert same_elements(into, view)


@thorough
@given(np_st.scalar_dtypes().flatmap(lambda dtype: np_st.arrays(dtype, 1)))
def scalars(values: Any) -> None:
    assert same(echo(values[0]), values[0])


@thorough
@given(st.sampled_from("bBhHiIlLqQfd"), st.binary(max_size=99) | sizes.map(bytes))
def arrays_of_the_standard_library(code: str, data: bytes) -> None:
    items = array.array(code)
    items.frombytes(data[: len(data) // items.itemsize * items.itemsize])
    for value in (items, memoryview(items), memoryview(items)[::-1], memoryview(data), [bytearray(data), items]):
        got = echo(value)
        assert same(got, value)


CHECKS: list[Callable[[], None]] = [
    nested_objects,
    arrays_alone_and_in_containers,
    views_of_arrays,
    scalars,
    arrays_of_the_standard_library,
]

if __name__ == "__main__":
    if world.rank == 0:
        for check in CHECKS:
            check()
        world.send(None, 1, STOP)
    else:
        while world.probe(0).tag == ECHO:
            world.send(world.recv(0, ECHO), 0, ECHO)
        world.recv(0, STOP)
