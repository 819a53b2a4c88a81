package polympi.bench;

import java.util.HashMap;
import java.util.Map;
import polympi.mpi.Collectives;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Doubles;

/** Which loops each case takes. */
final class Cases {
    static final int PAYLOAD_TAG = 1;
    static final int ACKNOWLEDGEMENT_TAG = 2;

    /** Iterations after which the compiler has compiled a loop and what it calls, with the options of the launch. */
    private static final int WARM = 3000;

    /** Bytes that warming up exchanges at most, so that it takes hundredths of a second: 1024 messages of 64 KiB. */
    private static final long WARM_BYTES = 1 << 26;

    /** Likewise of an application, each of which calls its inner loops many times. */
    private static final int WARM_PROBLEM = 300;

    /** Bytes of its array in all of these iterations at most, so that they take tenths of a second. */
    private static final long WARM_PROBLEM_BYTES = 1L << 31;

    private static final int COLDEST = 20;

    private final Comm world;
    private final Doubles doubles;
    private final Map<String, Long> warmed = new HashMap<>();

    Cases(Comm world) {
        this.world = world;
        doubles = new Doubles(world);
    }

    Loops prepare(Case c, Buffers b) {
        final Loops loops = choose(c, b);
        if (c.payload().equals("array") || c.is("object")) {
            Heap.use();
        }
        warm(c, b, loops);
        return loops;
    }

    private Loops choose(Case c, Buffers b) {
        if (c.is("object") && !c.payload().equals("int")) {
            return new OwnObjects(world, c, b).loops();
        }
        return switch (c.payload()) {
            case "problem" -> Applications.loops(world, c, b);
            case "none" -> Loops.of(() -> Collectives.barrier(world));
            case "array" -> new Arrays(world, doubles, c, b).loops();
            case "bytes" -> choose(c, b, Datatype.BYTE, b.count(), Values.NONE);
            case "float64" -> choose(c, b, Datatype.DOUBLE, b.count(), Values.NONE);
            case "int32" -> choose(c, b, Datatype.INT, b.count(), Values.NONE);
            case "int" -> c.is("ring") ? new Ring(world, b).values() : choose(c, b, Datatype.LONG, 1, new Values.Longs(b));
            case "float" -> choose(c, b, Datatype.DOUBLE, 1, new Values.Reals(b));
            default -> choose(c, b, Datatype.BYTE, Values.RECORD_BYTES, new Values.Records(b));
        };
    }

    private Loops choose(Case c, Buffers b, Datatype type, int count, Values values) {
        if (c.is("faces")) {
            return Faces.loops(world, c, b);
        }
        if (c.is("datatype")) {
            return Layouts.loops(world, c, b);
        }
        if (c.is("ring")) {
            return new Ring(world, b).memory(type, count);
        }
        final Loops loops =
                c.is("latency", "pingpong-int", "object")
                        ? new Latency(world, c, b, type, count, values).loops()
                        : c.pair()
                                ? new Windows(world, b, type, count).loops(c)
                                : Loops.of(Together.iteration(world, c, b, type, count, values));
        loops.show = values::show;
        return loops;
    }

    /**
     * Runs a case until it is compiled, before it is validated; alike on all ranks that take part. Each size anew: the
     * compiler leaves out what has not run yet, such as copying more than 64 bytes, and compiles it again when it does.
     */
    private void warm(Case c, Buffers b, Loops loops) {
        final long bytes = Math.max(1, c.bytes()) * (c.is("bandwidth", "bibandwidth", "stream") ? 64 : 1);
        final boolean problem = c.payload().equals("problem");
        final String key = problem ? c.family() : c.family() + " " + c.bytes();
        final long done = warmed.getOrDefault(key, 0L);
        final long enough = (problem ? WARM_PROBLEM_BYTES : WARM_BYTES) / bytes;
        final long iterations = Math.min((problem ? WARM_PROBLEM : WARM) - done, Math.max(COLDEST, enough));
        if (iterations > 0) {
            loops.begin.run();
            loops.batch((int) iterations);
            loops.end.run();
            warmed.put(key, done + iterations);
        }
    }
}
