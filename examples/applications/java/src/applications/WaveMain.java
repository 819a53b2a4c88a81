package applications;

import polympi.mpi.Collectives;
import polympi.mpi.Comm;

/** The wave equation in Java: mpiexec -n 2 build/wave [--mesh POINTS] [--steps NUMBER] [--overlapped]. */
public final class WaveMain {
    private static final double WRONG = 1e-11;

    private WaveMain() {}

    public static void main(String[] words) {
        Program.run(world -> run(world, words));
    }

    private static int run(Comm world, String[] words) {
        final Options options = new Options().number("--mesh", 129).number("--steps", 0).flag("--overlapped");
        if (!options.read(words) || options.get("--mesh") < 2) {
            return Program.complain(world, "usage: wave [--mesh POINTS] [--steps NUMBER] [--overlapped]");
        }
        final long edge = options.get("--mesh");
        final long upToTwo = (long) Math.ceil(2 / Wave.timeStep(edge));
        final long steps = options.get("--steps") == 0 ? upToTwo : options.get("--steps");
        try (Wave wave = new Wave(world, edge, options.has("--overlapped"))) {
            return Program.judge(world, solve(world, wave, edge, steps, options.has("--overlapped")));
        } catch (DoesNotFit reason) {
            return Program.complain(world, "wave: " + reason.getMessage() + ".");
        }
    }

    /** Makes the steps, and says how long they took and how exact they are. Whether they are. */
    private static boolean solve(Comm world, Wave wave, long edge, long steps, boolean overlapped) {
        Collectives.barrier(world);
        final long begun = System.nanoTime();
        wave.advance(steps);
        final double mine = (System.nanoTime() - begun) * 1e-9;
        final double[] errors = errors(wave, edge, steps);
        final double[] most = Program.largest(world, mine, wave.communicationNs() * 1e-9, errors[0], errors[1]);
        if (world.rank() == 0) {
            final int ranks = world.size();
            final double seconds = most[0];
            final double speed = 1e-6 * Math.pow(edge, 3) * steps / seconds;
            Program.say(
                    "%d^3 points, %d steps, %d rank%s, %s",
                    edge, steps, ranks, ranks == 1 ? "" : "s", overlapped ? "overlapped" : "blocking");
            Program.say(
                    "%.3f s, %.1f million points a second, at most %.1f %% of it in the exchange",
                    seconds, speed, 100 * most[1] / seconds);
            Program.say(
                    "largest error: %.1e against the closed form of the scheme, %.1e (%.1e dx^2) against the wave",
                    most[2], most[3], most[3] * Math.pow(edge - 1, 2));
        }
        return most[2] < WRONG;
    }

    /** The largest differences of this rank's part from the closed form of the scheme and from the wave itself. */
    private static double[] errors(Wave wave, long edge, long steps) {
        final double h = 1.0 / (edge - 1);
        final double dt = Wave.timeStep(edge);
        final double scheme = Math.cos(steps * Math.acos(1 + 3 * dt * dt / (h * h) * (Math.cos(Math.PI * h) - 1)));
        final double exact = Math.cos(Math.sqrt(3) * Math.PI * steps * dt);
        final int[] n = wave.points();
        final long[] start = wave.start();
        final double[] errors = new double[2];
        for (int i = 1; i <= n[0]; i++) {
            for (int j = 1; j <= n[1]; j++) {
                final double[] row = wave.values()[i][j];
                final double two = 2 * Math.cos(Math.PI * h * (start[0] + i - 1)) * Math.cos(Math.PI * h * (start[1] + j - 1));
                for (int k = 1; k <= n[2]; k++) {
                    final double shape = two * Math.cos(Math.PI * h * (start[2] + k - 1));
                    errors[0] = Math.max(errors[0], Math.abs(row[k] - shape * scheme));
                    errors[1] = Math.max(errors[1], Math.abs(row[k] - shape * exact));
                }
            }
        }
        return errors;
    }
}
