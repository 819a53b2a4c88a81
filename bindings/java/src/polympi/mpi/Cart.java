package polympi.mpi;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/** The ranks of a communicator as a mesh. All ranks make it and close it together. */
public final class Cart implements AutoCloseable {
    private static final MethodHandle DIMS_CREATE = Library.function("MPI_Dims_create", "IIA");
    private static final MethodHandle CREATE = Library.function("MPI_Cart_create", "HIAAIA");
    private static final MethodHandle COORDS = Library.function("MPI_Cart_coords", "HIIA");
    private static final MethodHandle SHIFT = Library.function("MPI_Cart_shift", "HIIAA");

    private final Comm comm;
    private final int axes;

    /** Neighbours along an axis: whom to receive from and whom to send to, or {@link Mpi#PROC_NULL}. */
    public record Shift(int source, int dest) {}

    /**
     * A mesh of as many ranks as the communicator has. Along an axis with a period the last and the first are
     * neighbours. The ranks get other numbers only if they may be reordered.
     */
    public Cart(Comm of, int[] dims, boolean[] periods, boolean reorder) {
        if (Arrays.stream(dims).reduce(1, Math::multiplyExact) != of.size || periods.length != dims.length) {
            final String mesh = Arrays.toString(dims) + " with " + periods.length + " periods";
            throw new IllegalArgumentException("the mesh " + mesh + " is not one of " + of.size + " ranks");
        }
        axes = dims.length;
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment sizes = arena.allocateFrom(JAVA_INT, dims);
            final MemorySegment round = arena.allocate(JAVA_INT, axes);
            for (int axis = 0; axis < axes; axis++) {
                round.setAtIndex(JAVA_INT, axis, periods[axis] ? 1 : 0);
            }
            final MemorySegment made = arena.allocate(Long.BYTES, Long.BYTES);
            final int free = reorder ? 1 : 0;
            MpiException.check((int) CREATE.invokeExact(of.handle, axes, sizes, round, free, made));
            comm = Comm.of(Library.handleIn(made));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Divides ranks among axes as evenly as possible, the most to the first. */
    public static int[] dims(int ranks, int axes) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment dims = arena.allocate(JAVA_INT, axes);
            MpiException.check((int) DIMS_CREATE.invokeExact(ranks, axes, dims));
            return dims.toArray(JAVA_INT);
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** The communicator in which ranks are numbered as in the mesh. */
    public Comm comm() {
        return comm;
    }

    /** Where this rank is, along each axis. */
    public int[] coordinates() {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment coordinates = arena.allocate(JAVA_INT, axes);
            MpiException.check((int) COORDS.invokeExact(comm.handle, comm.rank, axes, coordinates));
            return coordinates.toArray(JAVA_INT);
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** The neighbours at a distance along an axis. */
    public Shift shift(int axis, int distance) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment source = arena.allocate(JAVA_INT);
            final MemorySegment dest = arena.allocate(JAVA_INT);
            MpiException.check((int) SHIFT.invokeExact(comm.handle, axis, distance, source, dest));
            return new Shift(source.get(JAVA_INT, 0), dest.get(JAVA_INT, 0));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Frees the communicator of the mesh. */
    @Override
    public void close() {
        comm.free();
    }
}
