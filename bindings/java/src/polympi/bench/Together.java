package polympi.bench;

import java.lang.foreign.MemorySegment;
import polympi.mpi.Collectives;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Op;

/** One collective call an iteration, root 0. */
final class Together {
    private Together() {}

    static Runnable iteration(Comm world, Case c, Buffers b, Datatype type, int count, Values values) {
        final boolean objects = values != Values.NONE;
        final MemorySegment out = objects ? values.out() : b.out();
        final MemorySegment in = objects ? values.in() : b.in();
        final MemorySegment shared = b.rank() == 0 ? out : in;
        final Runnable call =
                switch (c.benchmark()) {
                    case "bcast" -> () -> Collectives.bcast(world, shared, count, type, 0);
                    case "reduce" -> () -> Collectives.reduce(world, out, in, count, type, Op.SUM, 0);
                    case "allreduce" -> () -> Collectives.allreduce(world, out, in, count, type, Op.SUM);
                    case "gather" -> () -> Collectives.gather(world, out, in, count, type, 0);
                    case "scatter" -> () -> Collectives.scatter(world, out, in, count, type, 0);
                    case "allgather" -> () -> Collectives.allgather(world, out, in, count, type);
                    default -> () -> Collectives.alltoall(world, out, in, count, type);
                };
        return !objects
                ? call
                : () -> {
                    values.write();
                    call.run();
                    values.read();
                };
    }
}
