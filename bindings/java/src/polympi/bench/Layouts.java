package polympi.bench;

import java.lang.foreign.MemorySegment;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;

/** Doubles that do not lie side by side, sent and received where they lie. */
final class Layouts {
    private static final int GROUP = 4; // elements of each period
    private static final int INDEXED_PERIOD = 6;
    private static final int RECORD_BYTES = 40;

    private Layouts() {}

    static Loops loops(Comm world, Case c, Buffers b) {
        final boolean records = c.mode().equals("struct");
        final Datatype type =
                switch (c.mode()) {
                    case "vector" -> Datatype.vector(b.count(), 1, 2, Datatype.DOUBLE);
                    case "indexed" -> indexed(b.count() / GROUP);
                    case "struct" -> record();
                    default -> Datatype.contiguous(b.count(), Datatype.DOUBLE);
                };
        final MemorySegment in = MemorySegment.ofAddress(b.first().address() + b.distance());
        final Loops loops = Loops.pingPong(world, b.first(), in, records ? b.count() / GROUP : 1, type, b.rank());
        loops.release = type::free;
        return loops;
    }

    /** In each period one element, and after a gap three. */
    private static Datatype indexed(int groups) {
        final int[] lengths = new int[2 * groups];
        final int[] places = new int[2 * groups];
        for (int i = 0; i < groups; i++) {
            lengths[2 * i] = 1;
            lengths[2 * i + 1] = GROUP - 1;
            places[2 * i] = i * INDEXED_PERIOD;
            places[2 * i + 1] = i * INDEXED_PERIOD + 2;
        }
        return Datatype.indexed(lengths, places, Datatype.DOUBLE);
    }

    /** An integer, a double, a field that stays, two doubles. */
    private static Datatype record() {
        final Datatype[] fields = {Datatype.LONG, Datatype.DOUBLE, Datatype.DOUBLE};
        return Datatype.struct(new int[] {1, 1, 2}, new long[] {0, 8, 24}, fields, RECORD_BYTES);
    }
}
