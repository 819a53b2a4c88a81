package polympi.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static polympi.bench.Cases.PAYLOAD_TAG;

import java.lang.foreign.MemorySegment;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;

/** A message round all ranks: every rank but the first sends on what it received. */
final class Ring {
    private final Comm world;
    private final Buffers b;
    private final int next;
    private final int previous;
    private long received; // by the last iteration

    Ring(Comm world, Buffers b) {
        this.world = world;
        this.b = b;
        next = (b.rank() + 1) % world.size();
        previous = (b.rank() + world.size() - 1) % world.size();
    }

    /** What lies in memory. */
    Loops memory(Datatype type, int count) {
        final MemorySegment out = b.out();
        final MemorySegment in = b.in();
        return Loops.of(
                b.rank() == 0
                        ? () -> {
                            world.send(out, count, type, next, PAYLOAD_TAG);
                            world.recv(in, count, type, previous, PAYLOAD_TAG);
                        }
                        : () -> {
                            world.recv(in, count, type, previous, PAYLOAD_TAG);
                            world.send(in, count, type, next, PAYLOAD_TAG);
                        });
    }

    /** A long of Java, written before each send and read after each receive. */
    Loops values() {
        final MemorySegment room = Values.memory(1, Long.BYTES);
        final long own = b.rank() == 0 ? b.out().get(JAVA_LONG, 0) : 0;
        final Loops loops =
                Loops.of(
                        b.rank() == 0
                                ? () -> {
                                    send(room, own);
                                    received = receive(room);
                                }
                                : () -> {
                                    received = receive(room);
                                    send(room, received);
                                });
        loops.show =
                () -> {
                    b.in().set(JAVA_LONG, 0, received);
                    received = 0;
                };
        return loops;
    }

    private void send(MemorySegment room, long value) {
        room.set(JAVA_LONG, 0, value);
        world.send(room, 1, Datatype.LONG, next, PAYLOAD_TAG);
    }

    private long receive(MemorySegment room) {
        world.recv(room, 1, Datatype.LONG, previous, PAYLOAD_TAG);
        return room.get(JAVA_LONG, 0);
    }
}
