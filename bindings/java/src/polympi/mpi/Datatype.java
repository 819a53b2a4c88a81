package polympi.mpi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** What an element of a message is. */
public record Datatype(long handle) {
    public static final Datatype BYTE = new Datatype(Library.constant("BYTE"));
    public static final Datatype INT = new Datatype(Library.constant("INT32_T"));
    public static final Datatype LONG = new Datatype(Library.constant("INT64_T"));
    public static final Datatype DOUBLE = new Datatype(Library.constant("DOUBLE"));

    private static final MethodHandle SUBARRAY = Library.function("MPI_Type_create_subarray", "IAAAIHA");
    private static final MethodHandle COMMIT = Library.function("MPI_Type_commit", "A");
    private static final MethodHandle FREE = Library.function("MPI_Type_free", "A");

    /** A part of an array in C order: the sizes of the array, of the part, and where the part begins. */
    public static Datatype subarray(int[] sizes, int[] part, int[] from, Datatype of) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment made = arena.allocate(Long.BYTES, Long.BYTES);
            final MemorySegment whole = arena.allocateFrom(ValueLayout.JAVA_INT, sizes);
            final MemorySegment some = arena.allocateFrom(ValueLayout.JAVA_INT, part);
            final MemorySegment first = arena.allocateFrom(ValueLayout.JAVA_INT, from);
            final int order = (int) Library.constant("ORDER_C");
            MpiException.check((int) SUBARRAY.invokeExact(sizes.length, whole, some, first, order, of.handle, made));
            MpiException.check((int) COMMIT.invokeExact(made));
            return new Datatype(Library.handleIn(made));
        } catch (MpiException reported) {
            throw reported;
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** Frees a datatype that was made. */
    public void free() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment freed = arena.allocate(Long.BYTES, Long.BYTES);
            Library.putHandle(freed, handle);
            MpiException.check((int) FREE.invokeExact(freed));
        } catch (MpiException reported) {
            throw reported;
        } catch (Throwable unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
