package polympi.bench;

import polympi.mpi.Collectives;
import polympi.mpi.Comm;
import polympi.mpi.Mpi;

/**
 * The benchmark program of the package {@code polympi.mpi}: its timed loops. All else is the harness's.
 *
 * <p>Arguments: PLAN SAMPLES [--name NAME]
 */
public final class Bench {
    private Bench() {}

    /** Runs the plan; the exit code is that of the harness. */
    public static void main(String[] arguments) throws Throwable {
        final boolean named = arguments.length == 4 && arguments[2].equals("--name");
        final boolean understood = arguments.length == 2 || named;
        final String complaint = understood ? null : "Usage: bench PLAN SAMPLES [--name NAME].";
        final String name = named ? arguments[3] : "java";
        final long start = System.nanoTime();
        final Comm world = Mpi.init();
        final long initNs = System.nanoTime() - start;
        Collectives.barrier(world);
        final int code =
                Harness.run(
                        understood ? arguments[0] : null,
                        understood ? arguments[1] : null,
                        name,
                        complaint,
                        initNs,
                        new Cases(world));
        Mpi.finish();
        Runtime.getRuntime().halt(code); // the library has ended; no thread of it may be in the way
    }
}
