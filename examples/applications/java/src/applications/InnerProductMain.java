package applications;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import java.math.BigDecimal;
import java.math.MathContext;
import polympi.mpi.Collectives;
import polympi.mpi.Comm;

/** The inner product in Java: mpiexec -n 2 build/inner_product [--length ELEMENTS] [--iterations NUMBER]. */
public final class InnerProductMain {
    private static final MathContext ALL_DIGITS = new MathContext(17); // of a double
    private static final double WRONG = 1e-12; // what is added up in another order differs in its last digits

    private InnerProductMain() {}

    public static void main(String[] words) {
        Program.run(world -> run(world, words));
    }

    private static int run(Comm world, String[] words) {
        final Options options = new Options().number("--length", 1 << 18).number("--iterations", 100);
        if (!options.read(words)) {
            return Program.complain(world, "usage: inner_product [--length ELEMENTS] [--iterations NUMBER]");
        }
        try (InnerProduct product = new InnerProduct(world, options.get("--length"))) {
            return Program.judge(world, solve(world, product, options.get("--length"), options.get("--iterations")));
        } catch (DoesNotFit reason) {
            return Program.complain(world, "inner_product: " + reason.getMessage() + ".");
        }
    }

    /** Computes, and says how long it took and how exact it is. Whether it is. */
    private static boolean solve(Comm world, InnerProduct product, long length, long iterations) {
        product.advance(1); // finds the vectors in the cache, as later ones do
        final long before = product.communicationNs();
        Collectives.barrier(world);
        final long begun = System.nanoTime();
        product.advance(iterations);
        final double mine = (System.nanoTime() - begun) * 1e-9;
        final long[] ofRest = {0, 1, 3};
        final double exact = 6 * (length / 3) + ofRest[(int) (length % 3)];
        final double value = product.value().get(JAVA_DOUBLE, 0);
        final double error = world.rank() == 0 ? Math.abs(value / exact - 1) : 0;
        final double[] most = Program.largest(world, mine, (product.communicationNs() - before) * 1e-9, error);
        if (world.rank() == 0) {
            final int ranks = world.size();
            final double seconds = most[0];
            final double speed = 1e-6 * length * iterations / seconds;
            final String digits = new BigDecimal(value, ALL_DIGITS).stripTrailingZeros().toPlainString();
            Program.say("%d elements, %d times, %d rank%s", length, iterations, ranks, ranks == 1 ? "" : "s");
            Program.say(
                    "%.3f s, %.1f million elements a second, at most %.1f %% of it in reductions",
                    seconds, speed, 100 * most[1] / seconds);
            Program.say("inner product: %s, relative error %.1e", digits, error);
        }
        return most[2] <= WRONG;
    }
}
