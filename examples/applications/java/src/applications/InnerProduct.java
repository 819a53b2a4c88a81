package applications;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import polympi.mpi.Collectives;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Op;

/**
 * The inner product of two vectors, of which each rank has a part: x_i = 1 / (i + 1) and y_i = (i + 1) (1 + i mod 3). All
 * ranks make it and call its methods.
 */
public final class InnerProduct implements AutoCloseable {
    /**
     * Elements of a piece of a vector. A compiler may not change the order of additions, so the sum is made of that many
     * sums. C2 makes vectors of a loop over arrays that all have the same index, so each piece is an array: that takes 0.7
     * of the time of one long array with eight sums, with 256 to 1024 elements. More do not stay in the smallest cache.
     */
    private static final int PIECE = 512;

    private static final String NO_MEMORY =
            "a rank's Java has no memory for its part of the vectors; JDK_JAVA_OPTIONS=-Xmx8g gives it 8 GB";

    private final Comm world;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment mine = arena.allocate(JAVA_DOUBLE);
    private final MemorySegment value = arena.allocate(JAVA_DOUBLE); // on rank 0
    private final double[] sums = new double[PIECE];
    private double[][] x; // after the end of a vector are zeros
    private double[][] y;
    private long communicationNs;

    /** Vectors of this many elements, of which the first ranks have one more if some are left over. */
    public InnerProduct(Comm world, long length) throws DoesNotFit {
        this.world = world;
        final long each = length / world.size();
        final long more = length % world.size();
        final long count = each + (world.rank() < more ? 1 : 0);
        DoesNotFit.unless(world, () -> allocate(count), NO_MEMORY);
        fill(each * world.rank() + Math.min(world.rank(), more), count);
    }

    private boolean allocate(long count) {
        final long pieces = Math.ceilDiv(count, PIECE);
        if (pieces > Integer.MAX_VALUE) {
            return false;
        }
        x = new double[(int) pieces][PIECE];
        y = new double[(int) pieces][PIECE];
        return true;
    }

    private void fill(long start, long count) {
        for (long i = 0; i < count; i++) {
            final int piece = (int) (i / PIECE);
            final int place = (int) (i % PIECE);
            x[piece][place] = 1.0 / (start + i + 1);
            y[piece][place] = (start + i + 1.0) * (1 + (start + i) % 3);
        }
    }

    /** Takes the inner product this many times. */
    public void advance(long iterations) {
        for (long i = 0; i < iterations; i++) {
            mine.set(JAVA_DOUBLE, 0, multiply());
            final long begun = System.nanoTime();
            Collectives.reduce(world, mine, value, 1, Datatype.DOUBLE, Op.SUM, 0);
            communicationNs += System.nanoTime() - begun;
        }
    }

    private double multiply() {
        Arrays.fill(sums, 0);
        for (int piece = 0; piece < x.length; piece++) {
            addProducts(x[piece], y[piece], sums);
        }
        double sum = 0;
        for (double one : sums) {
            sum += one;
        }
        return sum;
    }

    private static void addProducts(double[] x, double[] y, double[] sums) {
        for (int i = 0; i < PIECE; i++) {
            sums[i] += x[i] * y[i];
        }
    }

    /** Forgets the result. */
    public void restart() {
        value.set(JAVA_DOUBLE, 0, 0);
    }

    /** Where the inner product is, on rank 0. */
    public MemorySegment value() {
        return value;
    }

    /** Nanoseconds that this rank has spent in reductions. */
    public long communicationNs() {
        return communicationNs;
    }

    @Override
    public void close() {
        arena.close();
    }
}
