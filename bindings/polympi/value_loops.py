"""Objects received as new ones: the loops that are timed.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``world.send``); a loop that
receives objects returns the one that came last, so that it can be checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Buffer, Call


# Blocking; send is world.send, world.ssend or world.bsend.


def blocking_a(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Send, then receive."""
    received = None
    for _ in range(iterations):
        send(obj, 1, 1)
        received = recv(1, 1)
    return received


def blocking_b(send: Call, recv: Call, obj: Any, iterations: int) -> Any:
    """Receive, then reply."""
    received = None
    for _ in range(iterations):
        received = recv(0, 1)
        send(obj, 0, 1)
    return received


# Nonblocking; isend is world.isend, world.issend or world.ibsend.


def nonblocking_a(isend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Send and wait, then receive and wait."""
    received = None
    for _ in range(iterations):
        request = isend(obj, 1, 1)
        request.wait()
        request = irecv(1, 1)
        received = request.wait()
    return received


def nonblocking_b(isend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Receive and wait, then reply and wait."""
    received = None
    for _ in range(iterations):
        request = irecv(0, 1)
        received = request.wait()
        request = isend(obj, 0, 1)
        request.wait()
    return received


# sendrecv, the same on both ranks.


def sendrecv(call: Call, obj: Any, peer: int, iterations: int) -> Any:
    """Exchange by one call."""
    received = None
    for _ in range(iterations):
        received = call(obj, peer, 1, peer, 1)
    return received


# In ready mode a receive is always posted before the message that triggers its send: a posts the receive of the reply
# before it sends; b posts the next receive before it replies. So b has one receive posted before the first iteration
# (a learns of it by a message with tag 2) and one left after the last (which a completes by a None); both are outside
# everything timed.


# Blocking: world.rsend.


def ready_blocking_a(rsend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Post the receive, send, wait for the reply."""
    received = None
    for _ in range(iterations):
        reply = irecv(1, 1)
        rsend(obj, 1, 1)
        received = reply.wait()
    return received


def ready_blocking_b(rsend: Call, irecv: Call, obj: Any, send: Call, iterations: int) -> Any:
    """Wait for the message, post the next receive, reply."""
    received = None
    message = irecv(0, 1)
    send(None, 0, 2)
    for _ in range(iterations):
        received = message.wait()
        message = irecv(0, 1)
        rsend(obj, 0, 1)
    message.wait()
    return received


# Nonblocking: world.irsend.


def ready_nonblocking_a(irsend: Call, irecv: Call, obj: Any, iterations: int) -> Any:
    """Post the receive, send and wait, wait for the reply."""
    received = None
    for _ in range(iterations):
        reply = irecv(1, 1)
        request = irsend(obj, 1, 1)
        request.wait()
        received = reply.wait()
    return received


def ready_nonblocking_b(irsend: Call, irecv: Call, obj: Any, send: Call, iterations: int) -> Any:
    """Wait for the message, post the next receive, reply and wait."""
    received = None
    message = irecv(0, 1)
    send(None, 0, 2)
    for _ in range(iterations):
        received = message.wait()
        message = irecv(0, 1)
        request = irsend(obj, 0, 1)
        request.wait()
    message.wait()
    return received


# An object round all ranks: the loops of rank 0, which holds the clock, and of the others.


def begun(send: Call, recv: Call, obj: Any, following: int, before: int, iterations: int) -> Any:
    """Send, then receive what has gone round."""
    received = None
    for _ in range(iterations):
        send(obj, following, 1)
        received = recv(before, 1)
    return received


def passed_on(send: Call, recv: Call, following: int, before: int, iterations: int) -> Any:
    """Receive, then send the same on."""
    received = None
    for _ in range(iterations):
        received = recv(before, 1)
        send(received, following, 1)
    return received


# Many objects in flight: each slot of the window has its own object. The acknowledgement is the one byte that C
# sends too, in an array, so that a window differs from C's in its payload only.


def bandwidth_a(
    isend: Call, wait_all: Call, recv: Call, objects: list[Any], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of nonblocking sends, then the acknowledgement."""
    for _ in range(iterations):
        wait_all([isend(obj, 1, 1) for obj in objects])
        recv(1, 2, into=acknowledgement)


def bandwidth_b(irecv: Call, wait_all: Call, send: Call, window: int, acknowledgement: Buffer, iterations: int) -> Any:
    """A window of posted receives, then the acknowledgement."""
    received = None
    slots = range(window)
    for _ in range(iterations):
        received = wait_all([irecv(0, 1) for _ in slots])
        send(acknowledgement, 0, 2)
    return received


def bibandwidth(isend: Call, irecv: Call, wait_all: Call, objects: list[Any], peer: int, iterations: int) -> Any:
    """A window each way, the same on both ranks; what the sends return comes after what was received."""
    received = None
    for _ in range(iterations):
        requests = [irecv(peer, 1) for _ in objects]
        requests += [isend(obj, peer, 1) for obj in objects]
        received = wait_all(requests)
    return received


def stream_a(send: Call, recv: Call, objects: list[Any], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for obj in objects:
            send(obj, 1, 1)
        recv(1, 2, into=acknowledgement)


def stream_b(recv: Call, send: Call, window: int, acknowledgement: Buffer, iterations: int) -> None:
    """Blocking receives in a row, each object given up for the next, then the acknowledgement."""
    slots = range(window)
    for _ in range(iterations):
        for _ in slots:
            _received = recv(0, 1)
        send(acknowledgement, 0, 2)


def stream_b_keeping_all(recv: Call, send: Call, window: int, acknowledgement: Buffer) -> list[Any]:
    """One iteration of ``stream_b`` that keeps every object, for the validation pass."""
    received = [recv(0, 1) for _ in range(window)]
    send(acknowledgement, 0, 2)
    return received


# In ready mode all receives are posted before the message that makes the other side send.


def stream_ready_a(rsend: Call, recv: Call, objects: list[Any], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row when their receives are posted, then the acknowledgement."""
    for _ in range(iterations):
        recv(1, 2, into=acknowledgement)
        for obj in objects:
            rsend(obj, 1, 1)
        recv(1, 2, into=acknowledgement)


def stream_ready_b(
    irecv: Call, wait_all: Call, send: Call, window: int, acknowledgement: Buffer, iterations: int
) -> Any:
    """A window of posted receives, of which an acknowledgement tells, then another one."""
    received = None
    for _ in range(iterations):
        requests = [irecv(0, 1) for _ in range(window)]
        send(acknowledgement, 0, 2)
        received = wait_all(requests)
        send(acknowledgement, 0, 2)
    return received


def started_calls(call: Call, given: Any, iterations: int) -> Any:
    """Collectives that only start, each with its wait."""
    received = None
    for _ in range(iterations):
        received = call(given).wait()
    return received
