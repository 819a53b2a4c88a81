package polympi.bench;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import applications.DoesNotFit;
import applications.InnerProduct;
import applications.Wave;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import polympi.mpi.Collectives;
import polympi.mpi.Comm;

/** The programs of examples/applications as cases. */
final class Applications {
    static final String[] BENCHMARKS = {"wave", "inner-product"};

    private static final int NO_MEMORY = 4; // POLYMPI_NO_MEMORY
    private static final long[] ORIGIN = {0, 0, 0};

    private Applications() {}

    static Loops loops(Comm world, Case c, Buffers b) {
        try {
            return c.is("wave")
                    ? wave(new Wave(world, b.edge(), c.mode().equals("overlapped")), b.part())
                    : innerProduct(new InnerProduct(world, b.edge()), b.part(), world.rank() == 0 ? 1 : 0);
        } catch (DoesNotFit reason) {
            if (world.rank() == 0) {
                System.err.println(c.benchmark() + ": " + reason.getMessage() + ".");
            }
            Collectives.barrier(world); // else another rank ends rank 0 before it has told
            world.abort(NO_MEMORY);
            throw new IllegalStateException(reason);
        }
    }

    private static Loops wave(Wave wave, MemorySegment part) {
        final Arena arena = Arena.ofConfined();
        final int[] n = wave.points();
        final MemorySegment values = arena.allocate(JAVA_DOUBLE, (long) n[0] * n[1] * n[2]);
        final Loops loops = Loops.of(() -> wave.advance(1));
        loops.begin = wave::restart;
        loops.show =
                () -> {
                    copy(wave.values(), n, values);
                    write(part, values, wave.start(), new long[] {n[0], n[1], n[2]}, new long[] {(long) n[1] * n[2], n[2], 1});
                };
        loops.communication = wave::communicationNs;
        loops.release =
                () -> {
                    wave.close();
                    arena.close();
                };
        return loops;
    }

    private static Loops innerProduct(InnerProduct product, MemorySegment part, int results) {
        final Loops loops = Loops.of(() -> product.advance(1));
        loops.begin = product::restart;
        loops.show = () -> write(part, product.value(), ORIGIN, new long[] {results, 1, 1}, new long[] {1, 0, 0});
        loops.communication = product::communicationNs;
        loops.release = product::close;
        return loops;
    }

    /** Copies a block out of its ghost layers, and out of Java's heap, where the harness cannot read it. */
    private static void copy(double[][][] from, int[] n, MemorySegment to) {
        long place = 0;
        for (int i = 1; i <= n[0]; i++) {
            for (int j = 1; j <= n[1]; j++) {
                MemorySegment.copy(from[i][j], 1, to, JAVA_DOUBLE, place, n[2]);
                place += (long) n[2] * Double.BYTES;
            }
        }
    }

    /** Describes this rank's part of a result: struct polympi_part of the harness. */
    private static void write(MemorySegment part, MemorySegment values, long[] start, long[] count, long[] stride) {
        part.set(ADDRESS, 0, values);
        MemorySegment.copy(start, 0, part, JAVA_LONG, 8, 3);
        MemorySegment.copy(count, 0, part, JAVA_LONG, 32, 3);
        MemorySegment.copy(stride, 0, part, JAVA_LONG, 56, 3);
    }
}
