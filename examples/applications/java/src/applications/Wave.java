package applications;

import static applications.Mesh.AXES;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import polympi.mpi.Comm;

/**
 * The wave equation in a cube whose boundary reflects, u_tt = u_xx + u_yy + u_zz, by central differences, on a mesh of
 * ranks that exchange the faces of their blocks. All ranks make it, close it, and call its methods.
 *
 * <p>The points are arrays in Java's heap, a row each: there, the compiler C2 makes vectors of the update. That of Java 25
 * makes none where they are in a {@link MemorySegment}, which takes 1.7 times as long. Where a row lies in cache lines is up
 * to Java: it cannot begin one with point 1, as in C.
 */
public final class Wave implements AutoCloseable {
    /** Along an axis of a rank. */
    public static final int LEAST_POINTS = 3;

    /** Likewise, so that an int counts the points of a face. */
    public static final int MOST_POINTS = 46338;

    private static final String WRONG_SIZE =
            "the mesh is too small for the ranks, or too large: each needs %d points along each axis, and %d at most";
    private static final String NO_MEMORY =
            "a rank's Java has no memory for its part of the mesh; JDK_JAVA_OPTIONS=-Xmx8g gives it 8 GB";

    private final Mesh mesh;
    private final long edge;
    private final boolean overlapped;
    private final int[] n = new int[AXES]; // this rank's points; 0 and n + 1 are ghost layers
    private final long[] start = new long[AXES];
    private final Arena arena = Arena.ofConfined();
    private Exchange exchange; // made last
    private double[][][] u;
    private double[][][] next; // before a step: u of the step before
    private double[] before; // a row, and the points before each of it
    private double[] after;
    private long steps;

    /** A mesh of edge^3 points; overlapped: points that need no neighbour are updated while the faces are in flight. */
    public Wave(Comm world, long edge, boolean overlapped) throws DoesNotFit {
        this.edge = edge;
        this.overlapped = overlapped;
        mesh = new Mesh(world);
        try {
            DoesNotFit.unless(mesh.comm(), this::divide, WRONG_SIZE.formatted(LEAST_POINTS, MOST_POINTS));
            DoesNotFit.unless(mesh.comm(), this::allocate, NO_MEMORY);
        } catch (DoesNotFit reason) {
            close();
            throw reason;
        }
        restart();
    }

    /** The step in time: 0.57728 of the spacing, a little less than the 1 / sqrt(3) up to which the scheme is stable. */
    public static double timeStep(long edge) {
        return 0.004510 * 128 / (edge - 1);
    }

    private boolean divide() {
        for (int axis = 0; axis < AXES; axis++) {
            final long points = mesh.count(axis, edge);
            if (points < LEAST_POINTS || points > MOST_POINTS) {
                return false;
            }
            n[axis] = (int) points;
            start[axis] = mesh.start(axis, edge);
        }
        return true;
    }

    private boolean allocate() {
        u = new double[n[0] + 2][n[1] + 2][n[2] + 2];
        next = new double[n[0] + 2][n[1] + 2][n[2] + 2];
        before = new double[n[2] + 2];
        after = new double[n[2] + 2];
        exchange = new Exchange(mesh, n, arena);
        return true;
    }

    /** The state before the first step: u = 2 cos(pi x) cos(pi y) cos(pi z) at rest. */
    public void restart() {
        final double[] z = cosines(2);
        final double[] y = cosines(1);
        final double[] x = cosines(0);
        for (int i = 1; i <= n[0]; i++) {
            for (int j = 1; j <= n[1]; j++) {
                final double[] row = u[i][j];
                for (int k = 1; k <= n[2]; k++) {
                    row[k] = 2 * x[i] * y[j] * z[k];
                }
                row[0] = row[2]; // ghost points of a neighbour are overwritten by what it sends
                row[n[2] + 1] = row[n[2] - 1];
                Arrays.fill(next[i][j], 0); // the first step takes nothing from before it
            }
        }
        steps = 0;
    }

    private double[] cosines(int axis) {
        final double[] cosines = new double[n[axis] + 2];
        Arrays.setAll(cosines, i -> Math.cos(Math.PI * (start[axis] + i - 1) / (edge - 1)));
        return cosines;
    }

    /** Makes this many steps. */
    public void advance(long count) {
        final double ratio = timeStep(edge) * (edge - 1);
        for (long step = 0; step < count; step++) {
            // u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step.
            final double share = steps == 0 ? 0.5 : 1;
            final double a = share * ratio * ratio;
            final double c = share * 2 - 6 * a;
            exchange.start(u);
            if (overlapped) {
                updateOverlapped(a, c);
            } else {
                exchange.finish(u);
                update(new int[] {1, 1, 1}, n, a, c);
            }
            final double[][][] updated = next;
            next = u;
            u = updated;
            steps++;
        }
    }

    /** The points next to ghost layers follow those inside, axis by axis, each of them once. */
    private void updateOverlapped(double a, double c) {
        final int[] first = new int[AXES];
        final int[] last = new int[AXES];
        for (int axis = 0; axis < AXES; axis++) {
            first[axis] = mesh.atBoundary(2 * axis) ? 1 : 2;
            last[axis] = mesh.atBoundary(2 * axis + 1) ? n[axis] : n[axis] - 1;
        }
        update(first, last, a, c);
        exchange.finish(u);
        for (int axis = AXES - 1; axis >= 0; axis--) {
            if (!mesh.atBoundary(2 * axis)) {
                first[axis] = 1;
                last[axis] = 1;
                update(first, last, a, c);
            }
            if (!mesh.atBoundary(2 * axis + 1)) {
                first[axis] = n[axis];
                last[axis] = n[axis];
                update(first, last, a, c);
            }
            first[axis] = 1;
            last[axis] = n[axis];
        }
    }

    /**
     * The next values of a block, from first to last, both included, overwrite the values before last. A row is updated with
     * the same one of the plane above it: each is the other's neighbour, and still in the cache. One loop for both takes 1.4
     * times as long, as C2 makes no vectors of a loop that writes two rows. Four planes by turns, not in one loop as in C,
     * take 1.05 times as long as two.
     */
    private void update(int[] first, int[] last, double a, double c) {
        for (int i = first[0]; i <= last[0]; i += 2) {
            for (int j = first[1]; j <= last[1]; j++) {
                updatePoints(i, j, first[2], last[2], a, c);
                if (i < last[0]) { // an odd last plane is alone
                    updatePoints(i + 1, j, first[2], last[2], a, c);
                }
            }
        }
    }

    /**
     * The points of a row. Beside the boundary it takes its mirror image for the ghost row: u_0 = u_2. Only at its ends the
     * ghost points are written, while it is in the cache.
     */
    private void updatePoints(int i, int j, int first, int last, double a, double c) {
        final double[] below = u[i == 1 && mesh.atBoundary(0) ? 2 : i - 1][j];
        final double[] above = u[i == n[0] && mesh.atBoundary(1) ? i - 1 : i + 1][j];
        final double[] left = u[i][j == 1 && mesh.atBoundary(2) ? 2 : j - 1];
        final double[] right = u[i][j == n[1] && mesh.atBoundary(3) ? j - 1 : j + 1];
        final double[] row = next[i][j];
        updateRow(row, u[i][j], below, above, left, right, first, last, a, c);
        if (mesh.atBoundary(4) && first == 1) {
            row[0] = row[2];
        }
        if (mesh.atBoundary(5) && last == n[2]) {
            row[n[2] + 1] = row[n[2] - 1];
        }
    }

    /**
     * What a row needs of others lies in rows, too: those below and above along axis 0, left and right along axis 1. C2
     * does not know that {@code next} is not {@code u}, and so makes vectors only where all have the same index. Hence the
     * points before and after each are copied: with that it takes 0.8 of the time of a loop with k - 1 and k + 1.
     */
    private void updateRow(double[] next, double[] u, double[] below, double[] above, double[] left, double[] right,
            int first, int last, double a, double c) {
        final double[] before = this.before;
        final double[] after = this.after;
        System.arraycopy(u, first - 1, before, first, last - first + 1);
        System.arraycopy(u, first + 1, after, first, last - first + 1);
        for (int k = first; k <= last; k++) {
            next[k] = a * (((below[k] + above[k]) + (left[k] + right[k])) + (before[k] + after[k])) + c * u[k] - next[k];
        }
    }

    /** This rank's points along each axis. */
    public int[] points() {
        return n.clone();
    }

    /** The index of its first point in the whole mesh. */
    public long[] start() {
        return start.clone();
    }

    /** Its u until the next step: points have indices from 1 to their number, and 0 and the next one are ghost layers. */
    public double[][][] values() {
        return u;
    }

    /** Nanoseconds that this rank has spent in the exchange of faces. */
    public long communicationNs() {
        return exchange.ns();
    }

    @Override
    public void close() {
        if (exchange != null) {
            exchange.close();
        }
        arena.close();
        mesh.close();
    }
}
