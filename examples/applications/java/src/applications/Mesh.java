package applications;

import polympi.mpi.Cart;
import polympi.mpi.Comm;
import polympi.mpi.Mpi;

/** All ranks in a mesh of three axes without periods, and what each has of an axis. Collective to make and to close. */
final class Mesh implements AutoCloseable {
    static final int AXES = 3;
    static final int SIDES = 2 * AXES;

    private final Cart cart;
    private final int[] dims;
    private final int[] coordinates;
    private final int[] neighbors = new int[SIDES];

    Mesh(Comm comm) {
        dims = Cart.dims(comm.size(), AXES);
        cart = new Cart(comm, dims, new boolean[AXES], false);
        coordinates = cart.coordinates();
        for (int axis = 0; axis < AXES; axis++) {
            final Cart.Shift along = cart.shift(axis, 1);
            neighbors[2 * axis] = along.source();
            neighbors[2 * axis + 1] = along.dest();
        }
    }

    Comm comm() {
        return cart.comm();
    }

    /** On side 2 a the lower neighbour along axis a, on side 2 a + 1 the upper one. */
    int neighbor(int side) {
        return neighbors[side];
    }

    boolean atBoundary(int side) {
        return neighbors[side] == Mpi.PROC_NULL;
    }

    /** This rank's part of an axis; the first ranks get one more of what is left over. */
    long count(int axis, long edge) {
        return edge / dims[axis] + (coordinates[axis] < edge % dims[axis] ? 1 : 0);
    }

    /** Where it begins. */
    long start(int axis, long edge) {
        return edge / dims[axis] * coordinates[axis] + Math.min(coordinates[axis], edge % dims[axis]);
    }

    @Override
    public void close() {
        cart.close();
    }
}
