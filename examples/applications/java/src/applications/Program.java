package applications;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.function.ToIntFunction;
import polympi.mpi.Collectives;
import polympi.mpi.Comm;
import polympi.mpi.Datatype;
import polympi.mpi.Mpi;
import polympi.mpi.Op;

/** What the main programs have in common. */
final class Program {
    private Program() {}

    /** Starts MPI, runs a program that returns an exit code, and ends with it. */
    static void run(ToIntFunction<Comm> program) {
        final Comm world = Mpi.init();
        final int code = program.applyAsInt(world);
        Mpi.finish();
        System.exit(code);
    }

    /** Says once why the program does not run; the exit code. */
    static int complain(Comm world, String sentence) {
        if (world.rank() == 0) {
            System.err.println(sentence);
        }
        return 2;
    }

    /** Writes a line with a decimal point, whatever the user's language has. */
    static void say(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }

    /** The exit code of a result that is right or wrong. */
    static int judge(Comm world, boolean right) {
        if (!right && world.rank() == 0) {
            System.err.println("The result is wrong.");
        }
        return right ? 0 : 1;
    }

    /** The largest of each number over all ranks. */
    static double[] largest(Comm world, double... numbers) {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment mine = arena.allocateFrom(JAVA_DOUBLE, numbers);
            final MemorySegment most = arena.allocate(JAVA_DOUBLE, numbers.length);
            Collectives.allreduce(world, mine, most, numbers.length, Datatype.DOUBLE, Op.MAX);
            return most.toArray(JAVA_DOUBLE);
        }
    }
}
