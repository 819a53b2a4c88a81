"""What programs that run on several ranks begin with: a communicator, and what they compare and expect."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from hostless import without_hosts
from machines import pretend

import polympi as mpi

pretend()
c = mpi.init()
rank, size, other = c.rank, c.size, 1 - c.rank


def same(one: Any, two: Any) -> bool:
    """Equal in value and type, all the way down; arrays also in shape and type of the elements."""
    if type(one) is not type(two):
        return False
    numpy = sys.modules.get("numpy")  # what does not use it does not wait for it
    if numpy and isinstance(one, numpy.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (two.dtype, two.shape, two.tobytes())
    if isinstance(one, (list, tuple)):
        return len(one) == len(two) and all(map(same, one, two))
    if isinstance(one, dict):
        return same(list(one.items()), list(two.items()))
    return one == two


@contextlib.contextmanager
def raises(kind: type[BaseException], *words: str, **fields: object) -> Iterator[None]:
    """The block raises exactly this class, in these words, with these attributes."""
    try:
        yield
    except Exception as error:
        assert type(error) is kind, f"{type(error).__name__} instead of {kind.__name__}: {error}"
        said = without_hosts(str(error))
        for word in words:
            assert word in said, f"{word!r} is not in: {said}"
        for name, value in fields.items():
            assert getattr(error, name) == value, f"{name} is {getattr(error, name)}: {error}"
    else:
        raise AssertionError(f"no {kind.__name__}")


def by_turns(send: Callable[[], object], receive: Callable[[], Any]) -> Any:
    """What a rank receives where all send: half of them first receive, since a send may wait for its receiver."""
    if rank % 2 == 0:
        send()
        return receive()
    try:
        return receive()
    finally:
        send()


def in_turn() -> None:
    """Let all ranks come here; by messages alone."""
    for step in range(1, size):
        c.sendrecv(None, (rank + step) % size, 9999, (rank - step) % size, 9999)
