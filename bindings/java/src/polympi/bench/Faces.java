package polympi.bench;

import java.lang.foreign.MemorySegment;
import java.util.List;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;

/** Sends a face of a cube, and receives into the last face of that direction. */
final class Faces {
    private static final List<String> DIRECTIONS = List.of("contiguous", "rows", "elements");

    private Faces() {}

    static Loops loops(Comm world, Case c, Buffers b) {
        final int edge = (int) b.edge();
        final MemorySegment cube = b.cube();
        final boolean contiguous = c.mode().equals("contiguous");
        final int[] part = {edge, edge, edge};
        part[DIRECTIONS.indexOf(c.mode())] = 1;
        final Datatype face =
                contiguous
                        ? Datatype.DOUBLE
                        : Datatype.subarray(new int[] {edge, edge, edge}, part, new int[3], Datatype.DOUBLE);
        final int count = contiguous ? edge * edge : 1;
        final Loops loops = Loops.pingPong(world, cube, cube.asSlice(b.distance()), count, face, b.rank());
        if (!contiguous) {
            loops.release = face::free;
        }
        return loops;
    }
}
