package polympi.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** A row of places for requests: messages on their way, or persistent ones. Nothing is allocated for a request. */
public final class Requests {
    private static final MethodHandle WAIT = Library.function("MPI_Wait", "AA");
    private static final MethodHandle WAITALL = Library.function("MPI_Waitall", "IAA");
    private static final MethodHandle START = Library.function("MPI_Start", "A");
    private static final MethodHandle STARTALL = Library.function("MPI_Startall", "IA");
    private static final MethodHandle FREE = Library.function("MPI_Request_free", "A");

    private final MemorySegment handles;
    private final int length;

    /** Places for this many requests, allocated in an arena. */
    public Requests(Arena arena, int length) {
        this.length = length;
        handles = arena.allocate(length * Library.HANDLE_BYTES, Long.BYTES);
    }

    /** The number of places. */
    public int length() {
        return length;
    }

    MemorySegment at(int i) {
        return handles.asSlice(i * Library.HANDLE_BYTES, Library.HANDLE_BYTES);
    }

    /** Waits until request i is complete. */
    public void await(int i) {
        try {
            MpiException.check((int) WAIT.invokeExact(at(i), Library.STATUS_IGNORE));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Waits until all requests are complete. */
    public void awaitAll() {
        try {
            MpiException.check((int) WAITALL.invokeExact(length, handles, Library.STATUSES_IGNORE));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Starts the persistent request i. */
    public void start(int i) {
        try {
            MpiException.check((int) START.invokeExact(at(i)));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Starts all requests, which are persistent. */
    public void startAll() {
        try {
            MpiException.check((int) STARTALL.invokeExact(length, handles));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Frees the persistent request i. */
    public void free(int i) {
        try {
            MpiException.check((int) FREE.invokeExact(at(i)));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }
}
