package applications;

import static applications.Mesh.SIDES;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import polympi.mpi.Datatype;
import polympi.mpi.Requests;

/** The exchange of faces with up to six neighbours: each is copied out of the block, sent, received, and copied into it. */
final class Exchange implements AutoCloseable {
    private final int[] n; // points of a block along each axis; 0 and n + 1 are ghost layers
    private final Face[] faces = new Face[SIDES]; // null at the boundary
    private final Requests requests; // persistent, first all receives, then all sends
    private long ns;

    /** Memory outside of Java's heap, where the library reaches it. */
    private record Face(MemorySegment outgoing, MemorySegment incoming, int points) {}

    /** Faces in memory of an arena. A message has the number of the side at which it arrives. */
    Exchange(Mesh mesh, int[] n, Arena arena) {
        this.n = n;
        int neighbors = 0;
        for (int side = 0; side < SIDES; side++) {
            if (!mesh.atBoundary(side)) {
                final int points = n[side < 2 ? 1 : 0] * n[side < 4 ? 2 : 1];
                faces[side] = new Face(arena.allocate(JAVA_DOUBLE, points), arena.allocate(JAVA_DOUBLE, points), points);
                neighbors++;
            }
        }
        requests = new Requests(arena, 2 * neighbors);
        int made = 0;
        for (int side = 0; side < SIDES; side++) {
            if (faces[side] instanceof Face(MemorySegment outgoing, MemorySegment incoming, int points)) {
                final int neighbor = mesh.neighbor(side);
                mesh.comm().recvInit(incoming, points, Datatype.DOUBLE, neighbor, side, requests, made);
                mesh.comm().sendInit(outgoing, points, Datatype.DOUBLE, neighbor, side ^ 1, requests, neighbors + made);
                made++;
            }
        }
    }

    /** Begins to exchange the outer layers of u. */
    void start(double[][][] u) {
        final long begun = System.nanoTime();
        for (int side = 0; side < SIDES; side++) {
            if (faces[side] != null) {
                pack(u, side / 2, side % 2 == 0 ? 1 : n[side / 2], faces[side].outgoing);
            }
        }
        requests.startAll();
        ns += System.nanoTime() - begun;
    }

    /** Waits for them, and fills the ghost layers. */
    void finish(double[][][] u) {
        final long begun = System.nanoTime();
        requests.awaitAll();
        for (int side = 0; side < SIDES; side++) {
            if (faces[side] != null) {
                unpack(u, side / 2, side % 2 == 0 ? 0 : n[side / 2] + 1, faces[side].incoming);
            }
        }
        ns += System.nanoTime() - begun;
    }

    /** Copies the points of a layer across an axis. */
    private void pack(double[][][] u, int axis, int layer, MemorySegment packed) {
        if (axis == 2) {
            for (int i = 1, p = 0; i <= n[0]; i++) {
                for (int j = 1; j <= n[1]; j++) {
                    packed.setAtIndex(JAVA_DOUBLE, p++, u[i][j][layer]);
                }
            }
        } else {
            for (int line = 1; line <= n[1 - axis]; line++) {
                MemorySegment.copy(row(u, axis, layer, line), 1, packed, JAVA_DOUBLE, place(line), n[2]);
            }
        }
    }

    private void unpack(double[][][] u, int axis, int layer, MemorySegment packed) {
        if (axis == 2) {
            for (int i = 1, p = 0; i <= n[0]; i++) {
                for (int j = 1; j <= n[1]; j++) {
                    u[i][j][layer] = packed.getAtIndex(JAVA_DOUBLE, p++);
                }
            }
        } else {
            for (int line = 1; line <= n[1 - axis]; line++) {
                MemorySegment.copy(packed, JAVA_DOUBLE, place(line), row(u, axis, layer, line), 1, n[2]);
            }
        }
    }

    private static double[] row(double[][][] u, int axis, int layer, int line) {
        return axis == 0 ? u[layer][line] : u[line][layer];
    }

    private long place(int line) {
        return (line - 1L) * n[2] * Double.BYTES;
    }

    /** Nanoseconds that it has taken so far. */
    long ns() {
        return ns;
    }

    @Override
    public void close() {
        for (int i = 0; i < requests.length(); i++) {
            requests.free(i);
        }
    }
}
