"""Objects through the module ``boost.mpi``: the loops that are timed.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``world.send``), and take the
object last. A loop that receives objects returns the one that came last, so that it can be checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Call


def blocking_a(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        send(1, 1, obj)
        received = recv(1, 1)
    return received


def blocking_b(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received = recv(0, 1)
        send(0, 1, obj)
    return received


# Nonblocking. What a receive waited for returns is the object and its status.


def nonblocking_a(isend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Send and wait, then receive and wait."""
    received = None
    for _ in range(iterations):
        isend(1, 1, obj).wait()
        received, _status = irecv(1, 1).wait()
    return received


def nonblocking_b(isend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Receive and wait, then reply and wait."""
    received = None
    for _ in range(iterations):
        received, _status = irecv(0, 1).wait()
        isend(0, 1, obj).wait()
    return received


# An object round all ranks: the loops of rank 0, which holds the clock, and of the others.


def begun(send: Call, recv: Call, obj: Any, following: int, before: int, iterations: int) -> Any:
    """Send, then receive what has gone round."""
    received = None
    for _ in range(iterations):
        send(following, 1, obj)
        received = recv(before, 1)
    return received


def passed_on(send: Call, recv: Call, following: int, before: int, iterations: int) -> Any:
    """Receive, then send the same on."""
    received = None
    for _ in range(iterations):
        received = recv(before, 1)
        send(following, 1, received)
    return received


# Many objects in flight: each slot of the window has its own object. The acknowledgement is a bool, the smallest
# message that the module sends.
#
# A receive that was posted looks for its message when it is waited for. So receives are waited for in order, as their
# messages were sent; ``mpi.wait_all`` would look for all of them in turn, and messages could change places.


def bandwidth_a(isend: Call, recv: Call, objects: list[Any], iterations: int) -> None:
    """A window of nonblocking sends, then the acknowledgement."""
    for _ in range(iterations):
        requests = [isend(1, 1, obj) for obj in objects]
        for request in requests:
            request.wait()
        recv(1, 2)


def bandwidth_b(irecv: Call, send: Call, window: int, iterations: int) -> Any:
    """A window of posted receives, then the acknowledgement."""
    received = None
    slots = range(window)
    for _ in range(iterations):
        requests = [irecv(0, 1) for _ in slots]
        received = [request.wait()[0] for request in requests]
        send(0, 2, True)
    return received


def bibandwidth(isend: Call, irecv: Call, objects: list[Any], peer: int, iterations: int) -> Any:
    """A window each way, the same on both ranks."""
    received = None
    for _ in range(iterations):
        receiving = [irecv(peer, 1) for _ in objects]
        sending = [isend(peer, 1, obj) for obj in objects]
        received = [request.wait()[0] for request in receiving]
        for request in sending:
            request.wait()
    return received


def stream_a(send: Call, recv: Call, objects: list[Any], iterations: int) -> None:
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for obj in objects:
            send(1, 1, obj)
        recv(1, 2)


def stream_b(recv: Call, send: Call, window: int, iterations: int) -> None:
    """Blocking receives in a row, each object given up for the next, then the acknowledgement."""
    slots = range(window)
    for _ in range(iterations):
        for _ in slots:
            _received = recv(0, 1)
        send(0, 2, True)


def stream_b_keeping_all(recv: Call, send: Call, window: int) -> list[Any]:
    """One iteration of ``stream_b`` that keeps every object, for the validation pass."""
    received = [recv(0, 1) for _ in range(window)]
    send(0, 2, True)
    return received


# Collectives, the same on all ranks. ``call`` is a function of the module, which takes the communicator, what the rank
# gives, and up to two more: the operation of a reduction, then the root. It returns what the rank gets.


def none_more(call: Call, comm: Any, given: Any, iterations: int) -> Any:
    """Calls in a row: ``all_gather``, ``all_to_all``."""
    received = None
    for _ in range(iterations):
        received = call(comm, given)
    return received


def one_more(call: Call, comm: Any, given: Any, more: Any, iterations: int) -> Any:
    """Calls in a row: ``all_reduce`` with its operation, ``broadcast``, ``gather`` and ``scatter`` with their root."""
    received = None
    for _ in range(iterations):
        received = call(comm, given, more)
    return received


def two_more(call: Call, comm: Any, given: Any, operation: Any, root: int, iterations: int) -> Any:
    """Calls in a row: ``reduce``."""
    received = None
    for _ in range(iterations):
        received = call(comm, given, operation, root)
    return received
