package polympi.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * A communicator: a group of ranks that exchange messages.
 *
 * <p>A message is {@code count} elements of a datatype in memory outside of Java's heap. What is on its way has to stay
 * allocated. One thread calls a communicator.
 */
public final class Comm {
    private static final MethodHandle RANK = Library.function("MPI_Comm_rank", "HA");
    private static final MethodHandle SIZE = Library.function("MPI_Comm_size", "HA");
    private static final MethodHandle FREE = Library.function("MPI_Comm_free", "A");
    private static final MethodHandle ABORT = Library.function("MPI_Abort", "HI");
    private static final MethodHandle SEND = Library.function("MPI_Send", "AIHIIH");
    private static final MethodHandle SSEND = Library.function("MPI_Ssend", "AIHIIH");
    private static final MethodHandle BSEND = Library.function("MPI_Bsend", "AIHIIH");
    private static final MethodHandle RSEND = Library.function("MPI_Rsend", "AIHIIH");
    private static final MethodHandle RECV = Library.function("MPI_Recv", "AIHIIHA");
    private static final MethodHandle SENDRECV = Library.function("MPI_Sendrecv", "AIHIIAIHIIHA");
    private static final MethodHandle ISEND = Library.function("MPI_Isend", "AIHIIHA");
    private static final MethodHandle ISSEND = Library.function("MPI_Issend", "AIHIIHA");
    private static final MethodHandle IBSEND = Library.function("MPI_Ibsend", "AIHIIHA");
    private static final MethodHandle IRSEND = Library.function("MPI_Irsend", "AIHIIHA");
    private static final MethodHandle IRECV = Library.function("MPI_Irecv", "AIHIIHA");
    private static final MethodHandle SEND_INIT = Library.function("MPI_Send_init", "AIHIIHA");
    private static final MethodHandle SSEND_INIT = Library.function("MPI_Ssend_init", "AIHIIHA");
    private static final MethodHandle BSEND_INIT = Library.function("MPI_Bsend_init", "AIHIIHA");
    private static final MethodHandle RSEND_INIT = Library.function("MPI_Rsend_init", "AIHIIHA");
    private static final MethodHandle RECV_INIT = Library.function("MPI_Recv_init", "AIHIIHA");
    private static final MethodHandle MPROBE = Library.function("MPI_Mprobe", "IIHAA");
    private static final MethodHandle MRECV = Library.function("MPI_Mrecv", "AIHAA");
    private static final MethodHandle GET_COUNT = Library.function("MPI_Get_count", "AHA");

    final long handle;
    final int rank;
    final int size;
    private final MemorySegment message;
    private final MemorySegment status;
    private final MemorySegment count;

    private Comm(long handle, int rank, int size) {
        this.handle = handle;
        this.rank = rank;
        this.size = size;
        final Arena arena = Arena.ofAuto();
        message = arena.allocate(Long.BYTES, Long.BYTES);
        status = arena.allocate(Library.constant("sizeof MPI_Status"), Long.BYTES);
        count = arena.allocate(ValueLayout.JAVA_INT);
    }

    static Comm of(long handle) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment rank = arena.allocate(ValueLayout.JAVA_INT);
            final MemorySegment size = arena.allocate(ValueLayout.JAVA_INT);
            MpiException.check((int) RANK.invokeExact(handle, rank));
            MpiException.check((int) SIZE.invokeExact(handle, size));
            return new Comm(handle, rank.get(ValueLayout.JAVA_INT, 0), size.get(ValueLayout.JAVA_INT, 0));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** The number of this process. */
    public int rank() {
        return rank;
    }

    /** The number of ranks. */
    public int size() {
        return size;
    }

    /** Ends the processes of all ranks with a code. It does not return: that of MPICH does, before the launcher ends all. */
    public void abort(int code) {
        try {
            MpiException.check((int) ABORT.invokeExact(handle, code));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
        Runtime.getRuntime().halt(code);
    }

    void free() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment freed = arena.allocate(Long.BYTES, Long.BYTES);
            Library.putHandle(freed, handle);
            MpiException.check((int) FREE.invokeExact(freed));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Sends a message. */
    public void send(MemorySegment buffer, int count, Datatype type, int dest, int tag) {
        try {
            MpiException.check((int) SEND.invokeExact(buffer, count, type.handle(), dest, tag, handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Sends a message, and returns when its receive has begun. */
    public void ssend(MemorySegment buffer, int count, Datatype type, int dest, int tag) {
        try {
            MpiException.check((int) SSEND.invokeExact(buffer, count, type.handle(), dest, tag, handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Sends from a copy in the memory that was attached. */
    public void bsend(MemorySegment buffer, int count, Datatype type, int dest, int tag) {
        try {
            MpiException.check((int) BSEND.invokeExact(buffer, count, type.handle(), dest, tag, handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Sends a message whose receive has been posted. */
    public void rsend(MemorySegment buffer, int count, Datatype type, int dest, int tag) {
        try {
            MpiException.check((int) RSEND.invokeExact(buffer, count, type.handle(), dest, tag, handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Receives a message that is at most as long as the buffer. */
    public void recv(MemorySegment buffer, int count, Datatype type, int source, int tag) {
        try {
            MpiException.check(
                    (int) RECV.invokeExact(buffer, count, type.handle(), source, tag, handle, Library.STATUS_IGNORE));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Sends to a rank and receives from it, in one call; both messages have the same form. */
    public void sendrecv(MemorySegment out, MemorySegment in, int count, Datatype type, int peer, int tag) {
        try {
            MpiException.check(
                    (int) SENDRECV.invokeExact(out, count, type.handle(), peer, tag, in, count, type.handle(), peer, tag, handle,
                            Library.STATUS_IGNORE));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Begins to send a message. */
    public void isend(MemorySegment buffer, int count, Datatype type, int dest, int tag, Requests requests, int i) {
        try {
            MpiException.check(
                    (int) ISEND.invokeExact(buffer, count, type.handle(), dest, tag, handle, requests.at(i)));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Begins a send that is complete when its receive has begun. */
    public void issend(MemorySegment buffer, int count, Datatype type, int dest, int tag, Requests requests, int i) {
        try {
            MpiException.check(
                    (int) ISSEND.invokeExact(buffer, count, type.handle(), dest, tag, handle, requests.at(i)));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Begins a send from a copy in the memory that was attached. */
    public void ibsend(MemorySegment buffer, int count, Datatype type, int dest, int tag, Requests requests, int i) {
        try {
            MpiException.check(
                    (int) IBSEND.invokeExact(buffer, count, type.handle(), dest, tag, handle, requests.at(i)));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Begins to send a message whose receive has been posted. */
    public void irsend(MemorySegment buffer, int count, Datatype type, int dest, int tag, Requests requests, int i) {
        try {
            MpiException.check(
                    (int) IRSEND.invokeExact(buffer, count, type.handle(), dest, tag, handle, requests.at(i)));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Posts a receive. */
    public void irecv(MemorySegment buffer, int count, Datatype type, int source, int tag, Requests requests, int i) {
        try {
            MpiException.check(
                    (int) IRECV.invokeExact(buffer, count, type.handle(), source, tag, handle, requests.at(i)));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Makes a persistent send. */
    public void sendInit(MemorySegment buffer, int count, Datatype type, int dest, int tag, Requests requests, int i) {
        prepare(SEND_INIT, buffer, count, type, dest, tag, requests.at(i));
    }

    /** Makes a persistent send that is complete when its receive has begun. */
    public void ssendInit(MemorySegment buffer, int count, Datatype type, int dest, int tag, Requests requests, int i) {
        prepare(SSEND_INIT, buffer, count, type, dest, tag, requests.at(i));
    }

    /** Makes a persistent send from a copy in the memory that was attached. */
    public void bsendInit(MemorySegment buffer, int count, Datatype type, int dest, int tag, Requests requests, int i) {
        prepare(BSEND_INIT, buffer, count, type, dest, tag, requests.at(i));
    }

    /** Makes a persistent send, to be started when its receive has been. */
    public void rsendInit(MemorySegment buffer, int count, Datatype type, int dest, int tag, Requests requests, int i) {
        prepare(RSEND_INIT, buffer, count, type, dest, tag, requests.at(i));
    }

    /** Makes a persistent receive. */
    public void recvInit(MemorySegment buffer, int count, Datatype type, int source, int tag, Requests requests, int i) {
        prepare(RECV_INIT, buffer, count, type, source, tag, requests.at(i));
    }

    private void prepare(
            MethodHandle call, MemorySegment buffer, int count, Datatype type, int rank, int tag, MemorySegment request) {
        try {
            MpiException.check((int) call.invokeExact(buffer, count, type.handle(), rank, tag, handle, request));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Waits for a message of any length, and gives the number of its elements; {@link #mrecv} receives it. */
    public int mprobe(Datatype type, int source, int tag) {
        try {
            MpiException.check((int) MPROBE.invokeExact(source, tag, handle, message, status));
            MpiException.check((int) GET_COUNT.invokeExact(status, type.handle(), count));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
        return count.get(ValueLayout.JAVA_INT, 0);
    }

    /** Receives the message that {@link #mprobe} has found. */
    public void mrecv(MemorySegment buffer, int count, Datatype type) {
        try {
            MpiException.check((int) MRECV.invokeExact(buffer, count, type.handle(), message, Library.STATUS_IGNORE));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }
}
