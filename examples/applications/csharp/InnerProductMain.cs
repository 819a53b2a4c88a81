using System;
using MPI;
using static System.FormattableString;

namespace Applications
{
    /// <summary>The inner product in C#: inner_product [--length ELEMENTS] [--iterations NUMBER].</summary>
    internal static class InnerProductMain
    {
        private static int Main(string[] args)
        {
            var options = new Options { Numbers = { ["--length"] = 1 << 18, ["--iterations"] = 100 } };
            return Driver.Run(args, "inner_product [--length ELEMENTS] [--iterations NUMBER]", options, comm =>
            {
                using (var product = new InnerProduct(comm, options.Numbers["--length"]))
                {
                    return Run(comm, product, options.Numbers["--length"], options.Numbers["--iterations"]);
                }
            });
        }

        /// <summary>Computes, and says how long it took and how exact it is. Gives the exit code.</summary>
        private static int Run(Intracommunicator comm, InnerProduct product, long length, long iterations)
        {
            product.Advance(1); // finds the vectors in the cache, as later ones do
            long before = product.CommunicationNs;
            comm.Barrier();
            double begun = MPI.Environment.Time;
            product.Advance(iterations);
            double[] times = { MPI.Environment.Time - begun, (product.CommunicationNs - before) * 1e-9 };
            times = comm.Allreduce(times, Operation<double>.Max);

            long rest = length % 3, exact = 6 * (length / 3) + (rest == 2 ? 3 : rest);
            double error = Math.Abs(product.Value / exact - 1);
            comm.Broadcast(ref error, 0);
            if (comm.Rank == 0)
            {
                double speed = 1e-6 * length * iterations / times[0], share = 100 * times[1] / times[0];
                Console.WriteLine($"{length} elements, {iterations} times, {Driver.Ranks(comm)}");
                Console.WriteLine(Invariant(
                    $"{times[0]:F3} s, {speed:F1} million elements a second, ")
                    + Invariant($"at most {share:F1} % of it in reductions"));
                Console.WriteLine(Invariant($"inner product: {product.Value:G17}, relative error {error:0.0e+00}"));
            }
            return error <= 1e-12 ? 0 : 1; // what is added up in another order differs in its last digits
        }
    }
}
