"""Arrays received into others: the loops that are timed.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``world.send``), the arrays
prepared, so that an iteration holds nothing but the calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from callbacks import Buffer, Call


# Blocking; send is world.send, world.ssend or world.bsend.


def blocking_a(send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Send, then receive."""
    for _ in range(iterations):
        send(outgoing, 1, 1)
        recv(1, 1, into=incoming)


def blocking_b(send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Receive, then reply."""
    for _ in range(iterations):
        recv(0, 1, into=incoming)
        send(outgoing, 0, 1)


# Nonblocking; isend is world.isend, world.issend or world.ibsend.


def nonblocking_a(isend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Send and wait, then receive and wait."""
    for _ in range(iterations):
        request = isend(outgoing, 1, 1)
        request.wait()
        request = irecv(1, 1, into=incoming)
        request.wait()


def nonblocking_b(isend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Receive and wait, then reply and wait."""
    for _ in range(iterations):
        request = irecv(0, 1, into=incoming)
        request.wait()
        request = isend(outgoing, 0, 1)
        request.wait()


# sendrecv, the same on both ranks.


def sendrecv(call: Call, outgoing: Buffer, incoming: Buffer, peer: int, iterations: int) -> None:
    """Exchange by one call."""
    for _ in range(iterations):
        call(outgoing, peer, 1, peer, 1, into=incoming)


# In ready mode a receive is always posted before the message that triggers its send: a posts the receive of the reply
# before it sends; b posts the next receive before it replies. So b has one receive posted before the first iteration
# (a learns of it by a message with tag 2) and one left after the last (which a completes by an empty array); both are
# outside everything timed.


# Blocking: world.rsend.


def ready_blocking_a(rsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Post the receive, send, wait for the reply."""
    for _ in range(iterations):
        reply = irecv(1, 1, into=incoming)
        rsend(outgoing, 1, 1)
        reply.wait()


def ready_blocking_b(rsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, send: Call, iterations: int) -> None:
    """Wait for the message, post the next receive, reply."""
    message = irecv(0, 1, into=incoming)
    send(None, 0, 2)
    for _ in range(iterations):
        message.wait()
        message = irecv(0, 1, into=incoming)
        rsend(outgoing, 0, 1)
    message.wait()


# Nonblocking: world.irsend.


def ready_nonblocking_a(irsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Post the receive, send and wait, wait for the reply."""
    for _ in range(iterations):
        reply = irecv(1, 1, into=incoming)
        request = irsend(outgoing, 1, 1)
        request.wait()
        reply.wait()


def ready_nonblocking_b(
    irsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, send: Call, iterations: int
) -> None:
    """Wait for the message, post the next receive, reply and wait."""
    message = irecv(0, 1, into=incoming)
    send(None, 0, 2)
    for _ in range(iterations):
        message.wait()
        message = irecv(0, 1, into=incoming)
        request = irsend(outgoing, 0, 1)
        request.wait()
    message.wait()


# A message round all ranks: the loops of rank 0, which holds the clock, and of the others.


def begun(
    send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, following: int, before: int, iterations: int
) -> None:
    """Send, then receive what has gone round."""
    for _ in range(iterations):
        send(outgoing, following, 1)
        recv(before, 1, into=incoming)


def passed_on(send: Call, recv: Call, incoming: Buffer, following: int, before: int, iterations: int) -> None:
    """Receive, then send the same on."""
    for _ in range(iterations):
        recv(before, 1, into=incoming)
        send(incoming, following, 1)


# Many arrays in flight: each slot of the window is its own array.


def bandwidth_a(
    isend: Call, wait_all: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of nonblocking sends, then the acknowledgement."""
    for _ in range(iterations):
        wait_all([isend(slot, 1, 1) for slot in slots])
        recv(1, 2, into=acknowledgement)


def bandwidth_b(
    irecv: Call, wait_all: Call, send: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of posted receives, then the acknowledgement."""
    for _ in range(iterations):
        wait_all([irecv(0, 1, into=slot) for slot in slots])
        send(acknowledgement, 0, 2)


def bibandwidth(
    isend: Call,
    irecv: Call,
    wait_all: Call,
    outgoing: list[Buffer],
    incoming: list[Buffer],
    peer: int,
    iterations: int,
) -> None:
    """A window each way, the same on both ranks."""
    for _ in range(iterations):
        requests = [irecv(peer, 1, into=slot) for slot in incoming]
        requests += [isend(slot, peer, 1) for slot in outgoing]
        wait_all(requests)


def stream_a(send: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for slot in slots:
            send(slot, 1, 1)
        recv(1, 2, into=acknowledgement)


def stream_b(send: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking receives in a row, then the acknowledgement."""
    for _ in range(iterations):
        for slot in slots:
            recv(0, 1, into=slot)
        send(acknowledgement, 0, 2)


# In ready mode all receives are posted before the message that makes the other side send.


def stream_ready_a(rsend: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row when their receives are posted, then the acknowledgement."""
    for _ in range(iterations):
        recv(1, 2, into=acknowledgement)
        for slot in slots:
            rsend(slot, 1, 1)
        recv(1, 2, into=acknowledgement)


def stream_ready_b(
    irecv: Call, wait_all: Call, send: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of posted receives, of which an acknowledgement tells, then another one."""
    for _ in range(iterations):
        requests = [irecv(0, 1, into=slot) for slot in slots]
        send(acknowledgement, 0, 2)
        wait_all(requests)
        send(acknowledgement, 0, 2)


def exchanges(plan: Call, iterations: int) -> None:
    """Send and receive all parts of the plan."""
    for _ in range(iterations):
        plan()


# Accesses of a window of rank 1: window.put, window.get or window.accumulate, and what completes them. Without fences
# rank 1 waits for a message (with tag 2), in which its library answers accesses; send and recv are those of world.raw,
# whose empty messages have no bytes, as in C.


def flushed_a(access: Call, flush: Call, array: Buffer, iterations: int) -> None:
    """Access, and complete it."""
    for _ in range(iterations):
        access(array, 1)
        flush(1)


def flushed_b(send: Call, recv: Call, empty: Buffer, _iterations: int) -> None:
    """Report that the window is ready, and wait until all accesses are complete."""
    send(empty, 0, 2)
    recv(empty, 0, 2)


def fenced_a(access: Call, fence: Call, array: Buffer, iterations: int) -> None:
    """Access, and complete it by a fence."""
    for _ in range(iterations):
        access(array, 1)
        fence()


def fenced_b(fence: Call, iterations: int) -> None:
    """Fences, also before the first access and after the last."""
    fence()
    for _ in range(iterations):
        fence()
    fence()


def flushed_window_a(access: Call, flush: Call, slots: list[tuple[Buffer, int]], iterations: int) -> None:
    """Access each place, and complete all."""
    for _ in range(iterations):
        for slot, place in slots:
            access(slot, 1, place)
        flush(1)


def fenced_window_a(access: Call, fence: Call, slots: list[tuple[Buffer, int]], iterations: int) -> None:
    """Access each place, and complete all by a fence."""
    for _ in range(iterations):
        for slot, place in slots:
            access(slot, 1, place)
        fence()


# Collectives, the same on all ranks. ``call`` is the bound method, such as ``world.bcast``; a rank that gives or gets
# nothing has None in that place. Root 0 and the sum are polympi's defaults.


def started_calls_into(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls that only start, each with its wait."""
    for _ in range(iterations):
        call(outgoing, into=incoming).wait()


def calls_into(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls in a row; the collective itself holds the ranks together."""
    for _ in range(iterations):
        call(outgoing, into=incoming)


def divided_calls_into(
    call: Call, outgoing: Buffer, counts: list[int], incoming: Buffer | None, iterations: int
) -> None:
    """Likewise, with an array that is divided as the counts say."""
    for _ in range(iterations):
        call(outgoing, counts=counts, into=incoming)


# Communicators made and freed, the same on all ranks.


def duplicates(dup: Call, iterations: int) -> None:
    """Duplicates of a communicator; dup is comm.dup."""
    for _ in range(iterations):
        dup().free()


def parts(split: Call, key: int, iterations: int) -> None:
    """Communicators of the same ranks in the order of their keys; split is comm.split."""
    for _ in range(iterations):
        split(0, key).free()


# Messages through an array that all ranks share, the same on all ranks; barrier is comm.barrier.


def through_memory(
    barrier: Call, outgoing: Buffer, mine: Buffer, theirs: Buffer, incoming: Buffer, iterations: int
) -> None:
    """Write a message, read that of another rank, and wait until all have read."""
    for _ in range(iterations):
        mine[:] = outgoing
        barrier()
        incoming[:] = theirs
        barrier()


def write_at_offset(call: Call, offset: int, array: Buffer, iterations: int) -> None:
    """Write to a file; call is file.write_at or file.write_at_all."""
    for _ in range(iterations):
        call(offset, array)


def read_at_offset(call: Call, offset: int, array: Buffer, iterations: int) -> None:
    """Read from a file; call is file.read_at or file.read_at_all."""
    for _ in range(iterations):
        call(offset, into=array)
