package polympi.bench;

import static polympi.bench.Cases.PAYLOAD_TAG;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Doubles;
import polympi.mpi.Mpi;

/** What a case does on a rank: an iteration, and what is needed before and after. */
final class Loops {
    static final Runnable NOTHING = () -> {};

    /** Before a series of iterations: make requests, post what a ready send needs. */
    Runnable begin = NOTHING;

    Runnable iterate = NOTHING;
    Runnable end = NOTHING;

    /** Writes objects that arrived where the harness checks them. */
    Runnable show = NOTHING;

    /** Of an application, whose result is checked: how long this rank has communicated so far, in ns; else null. */
    LongSupplier communication;

    Runnable release = NOTHING;

    static Loops of(Runnable iterate) {
        final Loops loops = new Loops();
        loops.iterate = iterate;
        return loops;
    }

    /** The blocking send of a mode other than ready. */
    static Doubles.Send blocking(Comm world, String mode) {
        return switch (mode) {
            case "synchronous" -> world::ssend;
            case "buffered" -> world::bsend;
            default -> world::send;
        };
    }

    /** A blocking ping-pong of what a datatype describes. */
    static Loops pingPong(Comm world, MemorySegment out, MemorySegment in, int count, Datatype type, int rank) {
        final int peer = 1 - rank;
        return of(
                rank == 0
                        ? () -> {
                            world.send(out, count, type, peer, PAYLOAD_TAG);
                            world.recv(in, count, type, peer, PAYLOAD_TAG);
                        }
                        : () -> {
                            world.recv(in, count, type, peer, PAYLOAD_TAG);
                            world.send(out, count, type, peer, PAYLOAD_TAG);
                        });
    }

    /** Lets buffered sends go by way of the memory that the harness has for them. */
    void attach(Buffers b) {
        final Runnable before = begin;
        final Runnable after = end;
        begin =
                () -> {
                    Mpi.attachBuffer(b.attached());
                    before.run();
                };
        end =
                () -> {
                    after.run();
                    Mpi.detachBuffer();
                };
    }

    void batch(int iterations) {
        final Runnable once = iterate;
        for (int i = 0; i < iterations; i++) {
            once.run();
        }
    }

    /** Times iterations one by one, which messages hold together. */
    void singly(long[] ns) {
        final Runnable once = iterate;
        for (int i = 0; i < ns.length; i++) {
            final long start = System.nanoTime();
            once.run();
            ns[i] = System.nanoTime() - start;
        }
    }

    /** Times calls of all ranks; one that a rank began too late is made again. */
    void fromCommonStart(long[] ns) {
        final Runnable once = iterate;
        Harness.commonStartAgree();
        for (int i = 0; i < ns.length; ) {
            for (int k = 0; k < Harness.UNTIMED_CALLS; k++) {
                once.run();
            }
            final long start = Harness.commonStartWait();
            once.run();
            ns[i] = System.nanoTime() - start; // System.nanoTime is CLOCK_MONOTONIC here, the clock of the harness
            i += Harness.commonStartAgree();
        }
    }
}
