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

    private static final MethodHandle CONTIGUOUS = Library.function("MPI_Type_contiguous", "IHA");
    private static final MethodHandle VECTOR = Library.function("MPI_Type_vector", "IIIHA");
    private static final MethodHandle INDEXED = Library.function("MPI_Type_indexed", "IAAHA");
    private static final MethodHandle STRUCT = Library.function("MPI_Type_create_struct", "IAAAA");
    private static final MethodHandle RESIZED = Library.function("MPI_Type_create_resized", "HLLA");
    private static final MethodHandle SUBARRAY = Library.function("MPI_Type_create_subarray", "IAAAIHA");
    private static final MethodHandle COMMIT = Library.function("MPI_Type_commit", "A");
    private static final MethodHandle FREE = Library.function("MPI_Type_free", "A");

    /** A call of MPI that makes a datatype in {@code made}, from what it puts into the arena; its code. */
    @FunctionalInterface
    private interface Maker {
        int make(Arena arena, MemorySegment made) throws Throwable;
    }

    private static Datatype make(Maker maker) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment made = arena.allocate(Long.BYTES, Long.BYTES);
            MpiException.check(maker.make(arena, made));
            MpiException.check((int) COMMIT.invokeExact(made));
            return new Datatype(Library.handleIn(made));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    private static MemorySegment ints(Arena arena, int[] values) {
        return arena.allocateFrom(ValueLayout.JAVA_INT, values);
    }

    /** Elements side by side. */
    public static Datatype contiguous(int count, Datatype of) {
        return make((arena, made) -> (int) CONTIGUOUS.invokeExact(count, of.handle, made));
    }

    /** Blocks of one length at one distance, both in elements. */
    public static Datatype vector(int blocks, int length, int distance, Datatype of) {
        return make((arena, made) -> (int) VECTOR.invokeExact(blocks, length, distance, of.handle, made));
    }

    /** Blocks of these lengths at these places, both in elements. */
    public static Datatype indexed(int[] lengths, int[] places, Datatype of) {
        return make(
                (arena, made) ->
                        (int) INDEXED.invokeExact(lengths.length, ints(arena, lengths), ints(arena, places), of.handle, made));
    }

    /** A record: this many elements of each datatype at these places, and how long it is, in bytes. */
    public static Datatype struct(int[] lengths, long[] places, Datatype[] of, long bytes) {
        final Datatype fields =
                make(
                        (arena, made) -> {
                            final MemorySegment types = arena.allocate(of.length * Library.HANDLE_BYTES, Long.BYTES);
                            for (int i = 0; i < of.length; i++) {
                                Library.putHandle(types.asSlice(i * Library.HANDLE_BYTES), of[i].handle);
                            }
                            final MemorySegment begins = arena.allocateFrom(ValueLayout.JAVA_LONG, places);
                            return (int) STRUCT.invokeExact(of.length, ints(arena, lengths), begins, types, made);
                        });
        try {
            return make((arena, made) -> (int) RESIZED.invokeExact(fields.handle, 0L, bytes, made));
        } finally {
            fields.free();
        }
    }

    /** A part of an array in C order: the sizes of the array, of the part, and where the part begins. */
    public static Datatype subarray(int[] sizes, int[] part, int[] from, Datatype of) {
        final int order = (int) Library.constant("ORDER_C");
        return make(
                (arena, made) -> {
                    final MemorySegment whole = ints(arena, sizes);
                    final MemorySegment some = ints(arena, part);
                    final MemorySegment first = ints(arena, from);
                    return (int) SUBARRAY.invokeExact(sizes.length, whole, some, first, order, of.handle, made);
                });
    }

    /** Frees a datatype that was made. */
    public void free() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment freed = arena.allocate(Long.BYTES, Long.BYTES);
            Library.putHandle(freed, handle);
            MpiException.check((int) FREE.invokeExact(freed));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }
}
