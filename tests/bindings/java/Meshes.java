import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import polympi.mpi.Cart;
import polympi.mpi.Collectives;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Mpi;
import polympi.mpi.Op;
import polympi.mpi.Requests;

/** Meshes of four ranks, persistent requests that are started together, and a logical reduction. */
public final class Meshes {
    private static final int NOTHING = -1;

    private Meshes() {}

    public static void main(String[] words) {
        final Comm world = Mpi.init();
        check("dims", Arrays.equals(Cart.dims(4, 2), new int[] {2, 2}) && Arrays.equals(Cart.dims(12, 3), new int[] {3, 2, 2}));
        try (Cart cart = new Cart(world, new int[] {2, 2}, new boolean[] {false, true}, false)) {
            inAMesh(cart);
            receivesFromNeighbors(cart);
        }
        check("refused", refuses(world, new int[] {3, 2}, 2) && refuses(world, new int[] {2, 2}, 1));
        check("logical", all(world, true) && !all(world, world.rank() != 2));
        System.out.println("rank " + world.rank() + " is right");
        Mpi.finish();
    }

    private static void check(String what, boolean right) {
        if (!right) {
            throw new AssertionError(what + " is wrong");
        }
    }

    /** Ranks are numbered row by row. Along axis 0 the mesh ends, along axis 1 it is closed. */
    private static void inAMesh(Cart cart) {
        final int rank = cart.comm().rank();
        final int below = rank < 2 ? Mpi.PROC_NULL : rank - 2;
        final int above = rank < 2 ? rank + 2 : Mpi.PROC_NULL;
        check("size", cart.comm().size() == 4);
        check("coordinates", Arrays.equals(cart.coordinates(), new int[] {rank / 2, rank % 2}));
        check("shift 0", cart.shift(0, 1).equals(new Cart.Shift(below, above)));
        check("shift 1", cart.shift(1, 1).equals(new Cart.Shift(rank ^ 1, rank ^ 1)));
    }

    /** Each rank sends its number upwards along axis 0, twice by the same requests; the lowest ones receive nothing. */
    private static void receivesFromNeighbors(Cart cart) {
        final Comm comm = cart.comm();
        final Cart.Shift up = cart.shift(0, 1);
        try (Arena arena = Arena.ofConfined()) {
            final Requests requests = new Requests(arena, 2);
            final MemorySegment out = arena.allocate(JAVA_INT);
            final MemorySegment in = arena.allocate(JAVA_INT);
            comm.recvInit(in, 1, Datatype.INT, up.source(), 0, requests, 0);
            comm.sendInit(out, 1, Datatype.INT, up.dest(), 0, requests, 1);
            check("length", requests.length() == 2);
            for (int round = 0; round < 2; round++) {
                in.set(JAVA_INT, 0, NOTHING);
                out.set(JAVA_INT, 0, 10 * round + comm.rank());
                requests.startAll();
                requests.awaitAll();
                final int expected = up.source() == Mpi.PROC_NULL ? NOTHING : 10 * round + up.source();
                check("received", in.get(JAVA_INT, 0) == expected);
            }
            requests.free(0);
            requests.free(1);
        }
    }

    private static boolean refuses(Comm world, int[] dims, int periods) {
        try (Cart cart = new Cart(world, dims, new boolean[periods], false)) {
            return cart == null;
        } catch (IllegalArgumentException refused) {
            return true;
        }
    }

    private static boolean all(Comm world, boolean here) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment everywhere = arena.allocate(JAVA_INT);
            Collectives.allreduce(world, arena.allocateFrom(JAVA_INT, here ? 1 : 0), everywhere, 1, Datatype.INT, Op.LAND);
            return everywhere.get(JAVA_INT, 0) != 0;
        }
    }
}
