package polympi.mpi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Calls that all ranks of a communicator make together. */
public final class Collectives {
    private static final MethodHandle BARRIER = Library.function("MPI_Barrier", "H");
    private static final MethodHandle BCAST = Library.function("MPI_Bcast", "AIHIH");
    private static final MethodHandle REDUCE = Library.function("MPI_Reduce", "AAIHHIH");
    private static final MethodHandle ALLREDUCE = Library.function("MPI_Allreduce", "AAIHHH");
    private static final MethodHandle GATHER = Library.function("MPI_Gather", "AIHAIHIH");
    private static final MethodHandle SCATTER = Library.function("MPI_Scatter", "AIHAIHIH");
    private static final MethodHandle ALLGATHER = Library.function("MPI_Allgather", "AIHAIHH");
    private static final MethodHandle ALLTOALL = Library.function("MPI_Alltoall", "AIHAIHH");
    private static final MethodHandle GATHERV = Library.function("MPI_Gatherv", "AIHAAAHIH");
    private static final MethodHandle SCATTERV = Library.function("MPI_Scatterv", "AAAHAIHIH");
    private static final MethodHandle ALLGATHERV = Library.function("MPI_Allgatherv", "AIHAAAHH");
    private static final MethodHandle ALLTOALLV = Library.function("MPI_Alltoallv", "AAAHAAAHH");

    private Collectives() {}

    /** Returns when all ranks have called it. */
    public static void barrier(Comm comm) {
        try {
            MpiException.check((int) BARRIER.invokeExact(comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Gives the root's message to all ranks. */
    public static void bcast(Comm comm, MemorySegment buffer, int count, Datatype type, int root) {
        try {
            MpiException.check((int) BCAST.invokeExact(buffer, count, type.handle(), root, comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Combines the messages of all ranks, element by element, on the root. */
    public static void reduce(Comm comm, MemorySegment out, MemorySegment in, int count, Datatype type, Op op, int root) {
        try {
            MpiException.check((int) REDUCE.invokeExact(out, in, count, type.handle(), op.handle(), root, comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Combines the messages of all ranks, element by element, on all ranks. */
    public static void allreduce(Comm comm, MemorySegment out, MemorySegment in, int count, Datatype type, Op op) {
        try {
            MpiException.check((int) ALLREDUCE.invokeExact(out, in, count, type.handle(), op.handle(), comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Brings the messages of all ranks to the root, one after the other. */
    public static void gather(Comm comm, MemorySegment out, MemorySegment in, int count, Datatype type, int root) {
        try {
            MpiException.check(
                    (int) GATHER.invokeExact(out, count, type.handle(), in, count, type.handle(), root, comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Gives each rank its piece of the root's message. */
    public static void scatter(Comm comm, MemorySegment out, MemorySegment in, int count, Datatype type, int root) {
        try {
            MpiException.check(
                    (int) SCATTER.invokeExact(out, count, type.handle(), in, count, type.handle(), root, comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Brings the messages of all ranks to all ranks, one after the other. */
    public static void allgather(Comm comm, MemorySegment out, MemorySegment in, int count, Datatype type) {
        try {
            MpiException.check(
                    (int) ALLGATHER.invokeExact(out, count, type.handle(), in, count, type.handle(), comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Gives piece i of each rank to rank i. */
    public static void alltoall(Comm comm, MemorySegment out, MemorySegment in, int count, Datatype type) {
        try {
            MpiException.check(
                    (int) ALLTOALL.invokeExact(out, count, type.handle(), in, count, type.handle(), comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Like gather, for messages of any lengths. */
    public static void gatherv(Comm comm, MemorySegment out, int count, MemorySegment in, MemorySegment counts,
            MemorySegment places, Datatype type, int root) {
        try {
            MpiException.check(
                    (int) GATHERV.invokeExact(out, count, type.handle(), in, counts, places, type.handle(), root,
                            comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Like scatter, for pieces of any lengths. */
    public static void scatterv(Comm comm, MemorySegment out, MemorySegment counts, MemorySegment places,
            MemorySegment in, int count, Datatype type, int root) {
        try {
            MpiException.check(
                    (int) SCATTERV.invokeExact(out, counts, places, type.handle(), in, count, type.handle(), root,
                            comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Like allgather, for messages of any lengths. */
    public static void allgatherv(Comm comm, MemorySegment out, int count, MemorySegment in, MemorySegment counts,
            MemorySegment places, Datatype type) {
        try {
            MpiException.check(
                    (int) ALLGATHERV.invokeExact(out, count, type.handle(), in, counts, places, type.handle(),
                            comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }

    /** Like alltoall, for pieces of any lengths. */
    public static void alltoallv(Comm comm, MemorySegment out, MemorySegment outCounts, MemorySegment outPlaces,
            MemorySegment in, MemorySegment counts, MemorySegment places, Datatype type) {
        try {
            MpiException.check(
                    (int) ALLTOALLV.invokeExact(out, outCounts, outPlaces, type.handle(), in, counts, places, type.handle(),
                            comm.handle));
        } catch (Throwable unexpected) {
            throw MpiException.from(unexpected);
        }
    }
}
