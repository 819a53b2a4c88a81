using System;
using MPI;
using static System.FormattableString;

namespace Applications
{
    /// <summary>The wave equation in C#: wave [--mesh POINTS] [--steps NUMBER] [--overlapped].</summary>
    internal static class WaveMain
    {
        private static int Main(string[] args)
        {
            var options = new Options
            {
                Numbers = { ["--mesh"] = 129, ["--steps"] = 0 }, // 0: up to the time 2
                Flags = { ["--overlapped"] = false },
            };
            return Driver.Run(args, "wave [--mesh POINTS] [--steps NUMBER] [--overlapped]", options, comm =>
            {
                long edge = options.Numbers["--mesh"], steps = options.Numbers["--steps"];
                bool overlapped = options.Flags["--overlapped"];
                using (var wave = new Wave(comm, edge, overlapped))
                {
                    steps = steps > 0 ? steps : (long)Math.Ceiling(2 / Wave.TimeStep(edge));
                    return Run(comm, wave, edge, steps, overlapped);
                }
            });
        }

        /// <summary>Makes the steps, and says how long they took and how exact they are. Gives the exit code.</summary>
        private static int Run(Intracommunicator comm, Wave wave, long edge, long steps, bool overlapped)
        {
            comm.Barrier();
            double begun = MPI.Environment.Time;
            wave.Advance(steps);
            double seconds = MPI.Environment.Time - begun;
            Errors(wave.Part, edge, steps, out double fromScheme, out double fromWave);
            double[] most = { seconds, wave.CommunicationNs * 1e-9, fromScheme, fromWave };
            most = comm.Allreduce(most, Operation<double>.Max);
            if (comm.Rank == 0)
            {
                double speed = 1e-6 * edge * edge * edge * steps / most[0], share = 100 * most[1] / most[0];
                double inSpacings = most[3] * (edge - 1) * (edge - 1);
                string mode = overlapped ? "overlapped" : "blocking";
                Console.WriteLine($"{edge}^3 points, {steps} steps, {Driver.Ranks(comm)}, {mode}");
                Console.WriteLine(Invariant(
                    $"{most[0]:F3} s, {speed:F1} million points a second, at most {share:F1} % of it in the exchange"));
                Console.WriteLine(Invariant(
                    $"largest error: {most[2]:0.0e+00} against the closed form of the scheme, ")
                    + Invariant($"{most[3]:0.0e+00} ({inSpacings:0.0e+00} dx^2) against the wave"));
            }
            return most[2] < 1e-11 ? 0 : 1;
        }

        /// <summary>How far a part is from the closed form of the scheme and from the wave itself, at most.</summary>
        private static unsafe void Errors(Part part, long edge, long steps, out double fromScheme, out double fromWave)
        {
            double h = 1.0 / (edge - 1), dt = Wave.TimeStep(edge), a = dt * dt / (h * h);
            double scheme = Math.Cos(steps * Math.Acos(1 + 3 * a * (Math.Cos(Math.PI * h) - 1)));
            double exact = Math.Cos(Math.Sqrt(3) * Math.PI * steps * dt);
            fromScheme = fromWave = 0;
            for (long i = 0; i < part.Count[0]; i++)
            {
                for (long j = 0; j < part.Count[1]; j++)
                {
                    double* row = part.Values + i * part.Stride[0] + j * part.Stride[1];
                    double x = Math.PI * (part.Start[0] + i) * h, y = Math.PI * (part.Start[1] + j) * h;
                    for (long k = 0; k < part.Count[2]; k++)
                    {
                        double u = row[k * part.Stride[2]], z = Math.PI * (part.Start[2] + k) * h;
                        double shape = 2 * Math.Cos(x) * Math.Cos(y) * Math.Cos(z);
                        fromScheme = Math.Max(fromScheme, Math.Abs(u - shape * scheme));
                        fromWave = Math.Max(fromWave, Math.Abs(u - shape * exact));
                    }
                }
            }
        }
    }
}
