"""NumPy buffers through mpi4py's upper-case methods: the loops that are timed.

``a`` is rank 0, which holds the clock, ``b`` rank 1. The methods are handed over bound (``comm.Send``), the arrays
prepared, so that an iteration holds nothing but the MPI calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from callbacks import Buffer, Call


# Blocking; send is comm.Send, comm.Ssend or comm.Bsend.


def blocking_a(send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Send, then receive."""
    for _ in range(iterations):
        send(outgoing, 1, 1)
        recv(incoming, 1, 1)


def blocking_b(send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Receive, then reply."""
    for _ in range(iterations):
        recv(incoming, 0, 1)
        send(outgoing, 0, 1)


# Nonblocking; isend is comm.Isend, comm.Issend or comm.Ibsend.


def nonblocking_a(isend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Send and wait, then receive and wait."""
    for _ in range(iterations):
        request = isend(outgoing, 1, 1)
        request.Wait()
        request = irecv(incoming, 1, 1)
        request.Wait()


def nonblocking_b(isend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Receive and wait, then reply and wait."""
    for _ in range(iterations):
        request = irecv(incoming, 0, 1)
        request.Wait()
        request = isend(outgoing, 0, 1)
        request.Wait()


# Persistent; the methods of requests made by comm.Send_init, Ssend_init, Bsend_init and comm.Recv_init.


def persistent_a(start_send: Call, wait_send: Call, start_recv: Call, wait_recv: Call, iterations: int) -> None:
    """Send and wait, then receive and wait."""
    for _ in range(iterations):
        start_send()
        wait_send()
        start_recv()
        wait_recv()


def persistent_b(start_send: Call, wait_send: Call, start_recv: Call, wait_recv: Call, iterations: int) -> None:
    """Receive and wait, then reply and wait."""
    for _ in range(iterations):
        start_recv()
        wait_recv()
        start_send()
        wait_send()


# Sendrecv, the same on both ranks.


def sendrecv(call: Call, outgoing: Buffer, incoming: Buffer, peer: int, iterations: int) -> None:
    """Exchange by one call."""
    for _ in range(iterations):
        call(outgoing, peer, 1, incoming, peer, 1)


# In ready mode a receive is always posted before the message that triggers its send: a posts the receive of the reply
# before it sends; b posts the next receive before it replies. So b has one receive posted before the first iteration
# (a learns of it by an empty message with tag 2) and one left after the last (which a completes by another); both are
# outside everything timed.


# Blocking: comm.Rsend.


def ready_blocking_a(rsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Post the receive, send, wait for the reply."""
    for _ in range(iterations):
        reply = irecv(incoming, 1, 1)
        rsend(outgoing, 1, 1)
        reply.Wait()


def ready_blocking_b(
    rsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, send: Call, empty: Buffer, iterations: int
) -> None:
    """Wait for the message, post the next receive, reply."""
    message = irecv(incoming, 0, 1)
    send(empty, 0, 2)
    for _ in range(iterations):
        message.Wait()
        message = irecv(incoming, 0, 1)
        rsend(outgoing, 0, 1)
    message.Wait()


# Nonblocking: comm.Irsend.


def ready_nonblocking_a(irsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, iterations: int) -> None:
    """Post the receive, send and wait, wait for the reply."""
    for _ in range(iterations):
        reply = irecv(incoming, 1, 1)
        request = irsend(outgoing, 1, 1)
        request.Wait()
        reply.Wait()


def ready_nonblocking_b(
    irsend: Call, irecv: Call, outgoing: Buffer, incoming: Buffer, send: Call, empty: Buffer, iterations: int
) -> None:
    """Wait for the message, post the next receive, reply and wait."""
    message = irecv(incoming, 0, 1)
    send(empty, 0, 2)
    for _ in range(iterations):
        message.Wait()
        message = irecv(incoming, 0, 1)
        request = irsend(outgoing, 0, 1)
        request.Wait()
    message.Wait()


# Persistent; the methods of requests made by comm.Rsend_init and comm.Recv_init.


def ready_persistent_a(start_send: Call, wait_send: Call, start_recv: Call, wait_recv: Call, iterations: int) -> None:
    """Start the receive, send and wait, wait for the reply."""
    for _ in range(iterations):
        start_recv()
        start_send()
        wait_send()
        wait_recv()


def ready_persistent_b(
    start_send: Call,
    wait_send: Call,
    start_recv: Call,
    wait_recv: Call,
    send: Call,
    empty: Buffer,
    iterations: int,
) -> None:
    """Wait for the message, start the next receive, reply and wait."""
    start_recv()
    send(empty, 0, 2)
    for _ in range(iterations):
        wait_recv()
        start_recv()
        start_send()
        wait_send()
    wait_recv()


# A message round all ranks: the loops of rank 0, which holds the clock, and of the others.


def begun(
    send: Call, recv: Call, outgoing: Buffer, incoming: Buffer, following: int, before: int, iterations: int
) -> None:
    """Send, then receive what has gone round."""
    for _ in range(iterations):
        send(outgoing, following, 1)
        recv(incoming, before, 1)


def passed_on(send: Call, recv: Call, incoming: Buffer, following: int, before: int, iterations: int) -> None:
    """Receive, then send the same on."""
    for _ in range(iterations):
        recv(incoming, before, 1)
        send(incoming, following, 1)


# Many messages in flight: each slot of the window is its own array.


def bandwidth_a(
    isend: Call, waitall: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of nonblocking sends, then the acknowledgement."""
    for _ in range(iterations):
        waitall([isend(slot, 1, 1) for slot in slots])
        recv(acknowledgement, 1, 2)


def bandwidth_b(
    irecv: Call, waitall: Call, send: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of posted receives, then the acknowledgement."""
    for _ in range(iterations):
        waitall([irecv(slot, 0, 1) for slot in slots])
        send(acknowledgement, 0, 2)


def bibandwidth(
    isend: Call,
    irecv: Call,
    waitall: Call,
    outgoing: list[Buffer],
    incoming: list[Buffer],
    peer: int,
    iterations: int,
) -> None:
    """A window each way, the same on both ranks."""
    for _ in range(iterations):
        requests = [irecv(slot, peer, 1) for slot in incoming]
        requests += [isend(slot, peer, 1) for slot in outgoing]
        waitall(requests)


def stream_a(send: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row, then the acknowledgement."""
    for _ in range(iterations):
        for slot in slots:
            send(slot, 1, 1)
        recv(acknowledgement, 1, 2)


def stream_b(send: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking receives in a row, then the acknowledgement."""
    for _ in range(iterations):
        for slot in slots:
            recv(slot, 0, 1)
        send(acknowledgement, 0, 2)


# In ready mode all receives are posted before the message that makes the other side send.


def stream_ready_a(rsend: Call, recv: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int) -> None:
    """Blocking sends in a row when their receives are posted, then the acknowledgement."""
    for _ in range(iterations):
        recv(acknowledgement, 1, 2)
        for slot in slots:
            rsend(slot, 1, 1)
        recv(acknowledgement, 1, 2)


def stream_ready_b(
    irecv: Call, waitall: Call, send: Call, slots: list[Buffer], acknowledgement: Buffer, iterations: int
) -> None:
    """A window of posted receives, of which an acknowledgement tells, then another one."""
    for _ in range(iterations):
        requests = [irecv(slot, 0, 1) for slot in slots]
        send(acknowledgement, 0, 2)
        waitall(requests)
        send(acknowledgement, 0, 2)


# Messages that are the same each time, both ways at once, the same on both ranks. The requests are persistent ones:
# mpi4py then looks at buffers, counts and datatypes only once.


def exchanges(startall: Call, waitall: Call, requests: list[Any], iterations: int) -> None:
    """Start all receives and sends, wait for all."""
    for _ in range(iterations):
        startall(requests)
        waitall(requests)


# Accesses of a window of rank 1: window.Put, window.Get or window.Accumulate, and what completes them. Without fences
# rank 1 waits for a message (with tag 2), in which its library answers accesses; sync is window.Sync.


def flushed_a(access: Call, flush: Call, buffer: Buffer, iterations: int) -> None:
    """Access, and complete it."""
    for _ in range(iterations):
        access(buffer, 1)
        flush(1)


def flushed_b(sync: Call, send: Call, recv: Call, empty: Buffer, _iterations: int) -> None:
    """Report that the window is ready, and wait until all accesses are complete."""
    sync()
    send(empty, 0, 2)
    recv(empty, 0, 2)
    sync()


def fenced_a(access: Call, fence: Call, buffer: Buffer, iterations: int) -> None:
    """Access, and complete it by a fence."""
    for _ in range(iterations):
        access(buffer, 1)
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


# Collectives, the same on all ranks. ``call`` is the bound method: one that takes a send and a receive buffer
# (``comm.Reduce``) or one buffer (``comm.Bcast``), nonblocking in ``started_...`` (``comm.Ibcast``). Root 0 and MPI.SUM
# are mpi4py's defaults.


def two_buffers(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls in a row; the collective itself holds the ranks together."""
    for _ in range(iterations):
        call(outgoing, incoming)


def started_two_buffers(call: Call, outgoing: Buffer | None, incoming: Buffer | None, iterations: int) -> None:
    """Calls that only start, each with its wait."""
    for _ in range(iterations):
        call(outgoing, incoming).Wait()


def one_buffer(call: Call, buffer: Buffer, iterations: int) -> None:
    """Calls in a row, of which each is completed before the next."""
    for _ in range(iterations):
        call(buffer)


def started_one_buffer(call: Call, buffer: Buffer, iterations: int) -> None:
    """Calls that only start, each with its wait."""
    for _ in range(iterations):
        call(buffer).Wait()


# Communicators made and freed, the same on all ranks.


def duplicates(dup: Call, iterations: int) -> None:
    """Duplicates of a communicator; dup is comm.Dup."""
    for _ in range(iterations):
        dup().Free()


def parts(split: Call, key: int, iterations: int) -> None:
    """Communicators of the same ranks in the order of their keys; split is comm.Split."""
    for _ in range(iterations):
        split(0, key).Free()


# Messages through memory that all ranks share, the same on all ranks; sync is window.Sync, barrier comm.Barrier.


def through_memory(
    sync: Call, barrier: Call, outgoing: Buffer, mine: Buffer, theirs: Buffer, incoming: Buffer, iterations: int
) -> None:
    """Write a message, read that of another rank, and wait until all have read."""
    for _ in range(iterations):
        mine[:] = outgoing
        sync()
        barrier()
        sync()
        incoming[:] = theirs
        barrier()


def at_offset(call: Call, offset: int, buffer: Buffer, iterations: int) -> None:
    """Write to a file, or read from it; call is file.Write_at, file.Read_at or one of their collective forms."""
    for _ in range(iterations):
        call(offset, buffer)
