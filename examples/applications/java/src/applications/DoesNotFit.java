package applications;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.BooleanSupplier;
import polympi.mpi.Collectives;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Op;

/** A problem does not fit the ranks or their memory. It is thrown on all of them. */
public final class DoesNotFit extends Exception {
    private static final long serialVersionUID = 1;

    private DoesNotFit(String reason) {
        super(reason);
    }

    /** Throws on all ranks where something is false on one of them, or takes more memory than Java has there. */
    static void unless(Comm comm, BooleanSupplier fits, String reason) throws DoesNotFit {
        boolean here;
        try {
            here = fits.getAsBoolean();
        } catch (OutOfMemoryError tooLarge) {
            here = false;
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment mine = arena.allocateFrom(ValueLayout.JAVA_INT, here ? 1 : 0);
            final MemorySegment all = arena.allocate(ValueLayout.JAVA_INT);
            Collectives.allreduce(comm, mine, all, 1, Datatype.INT, Op.LAND);
            if (all.get(ValueLayout.JAVA_INT, 0) == 0) {
                throw new DoesNotFit(reason);
            }
        }
    }
}
