package polympi.mpi;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Arrays of doubles of Java's heap, whose receivers do not know how long they are.
 *
 * <p>The library reads and writes memory outside of the heap, so an array is copied there, or from there into a new one.
 * That memory is kept, and grows as it has to.
 */
public final class Doubles {
    private final Comm comm;
    private final MemorySegment counts;
    private final MemorySegment places;
    private final MemorySegment outCounts;
    private final MemorySegment outPlaces;
    private MemorySegment out = MemorySegment.NULL;
    private MemorySegment in = MemorySegment.NULL;

    /** Exchanges arrays over a communicator. */
    public Doubles(Comm comm) {
        this.comm = comm;
        final Arena arena = Arena.ofAuto();
        counts = arena.allocate(JAVA_INT, comm.size);
        places = arena.allocate(JAVA_INT, comm.size);
        outCounts = arena.allocate(JAVA_INT, comm.size);
        outPlaces = arena.allocate(JAVA_INT, comm.size);
    }

    /** A call of {@link Comm} that sends. */
    @FunctionalInterface
    public interface Send {
        /** Sends. */
        void send(MemorySegment buffer, int count, Datatype type, int dest, int tag);
    }

    /** Sends an array by a blocking call of the communicator. */
    public void send(Send call, double[] array, int dest, int tag) {
        call.send(copyOut(array), array.length, Datatype.DOUBLE, dest, tag);
    }

    /** Receives an array of any length. */
    public double[] recv(int source, int tag) {
        final int count = comm.mprobe(Datatype.DOUBLE, source, tag);
        comm.mrecv(roomIn(count), count, Datatype.DOUBLE);
        return copyIn(0, count);
    }

    /** Gives the root's array to all ranks; others pass null. */
    public double[] bcast(double[] array, int root) {
        final boolean sends = comm.rank == root;
        if (sends) {
            counts.set(JAVA_INT, 0, array.length);
        }
        Collectives.bcast(comm, counts, 1, Datatype.INT, root);
        final int count = counts.get(JAVA_INT, 0);
        final MemorySegment buffer = sends ? copyOut(array) : roomIn(count);
        Collectives.bcast(comm, buffer, count, Datatype.DOUBLE, root);
        return sends ? array : copyIn(0, count);
    }

    /** Combines arrays of the same length, element by element, on the root; null elsewhere. */
    public double[] reduce(double[] array, Op op, int root) {
        final MemorySegment buffer = copyOut(array);
        Collectives.reduce(comm, buffer, roomIn(array.length), array.length, Datatype.DOUBLE, op, root);
        return comm.rank == root ? copyIn(0, array.length) : null;
    }

    /** Combines arrays of the same length, element by element, on all ranks. */
    public double[] allreduce(double[] array, Op op) {
        final MemorySegment buffer = copyOut(array);
        Collectives.allreduce(comm, buffer, roomIn(array.length), array.length, Datatype.DOUBLE, op);
        return copyIn(0, array.length);
    }

    /** Brings arrays of any lengths to the root; null elsewhere. */
    public double[][] gather(double[] array, int root) {
        final MemorySegment buffer = copyOut(array);
        outCounts.set(JAVA_INT, 0, array.length);
        Collectives.gather(comm, outCounts, counts, 1, Datatype.INT, root);
        final boolean receives = comm.rank == root;
        final MemorySegment room = receives ? roomIn(place(counts, places)) : MemorySegment.NULL;
        Collectives.gatherv(comm, buffer, array.length, room, counts, places, Datatype.DOUBLE, root);
        return receives ? pieces() : null;
    }

    /** Brings arrays of any lengths to all ranks. */
    public double[][] allgather(double[] array) {
        final MemorySegment buffer = copyOut(array);
        outCounts.set(JAVA_INT, 0, array.length);
        Collectives.allgather(comm, outCounts, counts, 1, Datatype.INT);
        final MemorySegment room = roomIn(place(counts, places));
        Collectives.allgatherv(comm, buffer, array.length, room, counts, places, Datatype.DOUBLE);
        return pieces();
    }

    /** Gives each rank its array of the root's; others pass null. */
    public double[] scatter(double[][] arrays, int root) {
        final MemorySegment buffer = comm.rank == root ? copyOut(arrays) : MemorySegment.NULL;
        Collectives.scatter(comm, outCounts, counts, 1, Datatype.INT, root);
        final int count = counts.get(JAVA_INT, 0);
        Collectives.scatterv(comm, buffer, outCounts, outPlaces, roomIn(count), count, Datatype.DOUBLE, root);
        return copyIn(0, count);
    }

    /** Gives array i of each rank to rank i. */
    public double[][] alltoall(double[][] arrays) {
        final MemorySegment buffer = copyOut(arrays);
        Collectives.alltoall(comm, outCounts, counts, 1, Datatype.INT);
        final MemorySegment room = roomIn(place(counts, places));
        Collectives.alltoallv(comm, buffer, outCounts, outPlaces, room, counts, places, Datatype.DOUBLE);
        return pieces();
    }

    private MemorySegment copyOut(double[] array) {
        out = grown(out, array.length);
        MemorySegment.copy(array, 0, out, JAVA_DOUBLE, 0, array.length);
        return out;
    }

    /** Copies arrays one after the other, and writes down how long each is and where it begins. */
    private MemorySegment copyOut(double[][] arrays) {
        for (int i = 0; i < arrays.length; i++) {
            outCounts.setAtIndex(JAVA_INT, i, arrays[i].length);
        }
        out = grown(out, place(outCounts, outPlaces));
        for (int i = 0; i < arrays.length; i++) {
            final long from = outPlaces.getAtIndex(JAVA_INT, i) * (long) Double.BYTES;
            MemorySegment.copy(arrays[i], 0, out, JAVA_DOUBLE, from, arrays[i].length);
        }
        return out;
    }

    private MemorySegment roomIn(int count) {
        in = grown(in, count);
        return in;
    }

    private double[] copyIn(int place, int count) {
        final double[] array = new double[count];
        MemorySegment.copy(in, JAVA_DOUBLE, place * (long) Double.BYTES, array, 0, count);
        return array;
    }

    private double[][] pieces() {
        final double[][] arrays = new double[comm.size][];
        for (int i = 0; i < arrays.length; i++) {
            arrays[i] = copyIn(places.getAtIndex(JAVA_INT, i), counts.getAtIndex(JAVA_INT, i));
        }
        return arrays;
    }

    /** Lays pieces one after the other; returns how long they are together. */
    private int place(MemorySegment lengths, MemorySegment begins) {
        int whole = 0;
        for (int i = 0; i < comm.size; i++) {
            begins.setAtIndex(JAVA_INT, i, whole);
            whole += lengths.getAtIndex(JAVA_INT, i);
        }
        return whole;
    }

    private static MemorySegment grown(MemorySegment memory, int count) {
        final long bytes = count * (long) Double.BYTES;
        return memory.byteSize() >= bytes && memory.address() != 0 ? memory : Arena.ofAuto().allocate(bytes + 8, 4096);
    }
}
