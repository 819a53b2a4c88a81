package polympi.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Start and end of MPI, and memory for buffered sends. One thread makes all calls. */
public final class Mpi {
    /** What a buffered send takes in addition to its message, in bytes. */
    public static final int BSEND_OVERHEAD = (int) Library.constant("BSEND_OVERHEAD");
    /** In place of a rank that receives. */
    public static final int ANY_SOURCE = (int) Library.constant("ANY_SOURCE");
    /** In place of a tag that receives. */
    public static final int ANY_TAG = (int) Library.constant("ANY_TAG");
    /** In place of a rank: nobody, with whom to communicate does nothing. */
    public static final int PROC_NULL = (int) Library.constant("PROC_NULL");

    private static final MethodHandle INIT = Library.function("MPI_Init_thread", "AAIA");
    private static final MethodHandle FINALIZE = Library.function("MPI_Finalize", "");
    private static final MethodHandle RETURN_ERRORS = Library.function("MPI_Comm_set_errhandler", "HH");
    private static final MethodHandle ATTACH = Library.function("MPI_Buffer_attach", "AI");
    private static final MethodHandle DETACH = Library.function("MPI_Buffer_detach", "AA");

    private Mpi() {}

    /** Starts MPI and gives the communicator of all ranks, whose errors become exceptions. */
    public static Comm init() {
        final long world = Library.constant("COMM_WORLD");
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment number = arena.allocate(ValueLayout.JAVA_INT);
            final int level = (int) Library.constant("THREAD_FUNNELED");
            MpiException.check((int) INIT.invokeExact(MemorySegment.NULL, MemorySegment.NULL, level, number));
            MpiException.check((int) RETURN_ERRORS.invokeExact(world, Library.constant("ERRORS_RETURN")));
            return Comm.of(world);
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Ends MPI. */
    public static void finish() {
        try {
            MpiException.check((int) FINALIZE.invokeExact());
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Gives memory for the copies of buffered sends. */
    public static void attachBuffer(MemorySegment memory) {
        try {
            MpiException.check((int) ATTACH.invokeExact(memory, (int) memory.byteSize()));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Waits until all buffered messages are delivered, and takes the memory back. */
    public static void detachBuffer() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment buffer = arena.allocate(ValueLayout.ADDRESS);
            final MemorySegment bytes = arena.allocate(ValueLayout.JAVA_INT);
            MpiException.check((int) DETACH.invokeExact(buffer, bytes));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }
}
