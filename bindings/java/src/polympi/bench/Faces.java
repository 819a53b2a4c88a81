package polympi.bench;

import static polympi.bench.Cases.PAYLOAD_TAG;

import java.lang.foreign.MemorySegment;
import java.util.List;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;

/** Sends a face of a cube, and receives into the last face of that direction. */
final class Faces {
    private static final List<String> DIRECTIONS = List.of("contiguous", "rows", "elements");

    private Faces() {}

    static Loops loops(Comm world, Case c, Buffers b) {
        final int edge = b.edge();
        final int peer = 1 - b.rank();
        final MemorySegment out = b.cube();
        final MemorySegment in = out.asSlice(b.distance());
        final boolean contiguous = c.mode().equals("contiguous");
        final int[] part = {edge, edge, edge};
        part[DIRECTIONS.indexOf(c.mode())] = 1;
        final Datatype face =
                contiguous
                        ? Datatype.DOUBLE
                        : Datatype.subarray(new int[] {edge, edge, edge}, part, new int[3], Datatype.DOUBLE);
        final int count = contiguous ? edge * edge : 1;
        final Runnable ping =
                () -> {
                    world.send(out, count, face, peer, PAYLOAD_TAG);
                    world.recv(in, count, face, peer, PAYLOAD_TAG);
                };
        final Runnable pong =
                () -> {
                    world.recv(in, count, face, peer, PAYLOAD_TAG);
                    world.send(out, count, face, peer, PAYLOAD_TAG);
                };
        final Loops loops = Loops.of(b.rank() == 0 ? ping : pong);
        if (!contiguous) {
            loops.release = face::free;
        }
        return loops;
    }
}
