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
            int code = 2;
            MPI.Environment.Run(args, comm => code = Run(comm, args));
            return code;
        }

        /// <summary>Follows the command line. Gives the exit code.</summary>
        private static int Run(Intracommunicator comm, string[] args)
        {
            var options = new Options { Numbers = { ["--length"] = 1 << 18, ["--iterations"] = 100 } };
            string complaint = "usage: inner_product [--length ELEMENTS] [--iterations NUMBER]";
            if (options.Read(args))
            {
                try
                {
                    using (var product = new InnerProduct(comm, options.Numbers["--length"]))
                    {
                        return Run(comm, product, options.Numbers["--length"], options.Numbers["--iterations"]);
                    }
                }
                catch (InsufficientMemoryException exception)
                {
                    complaint = exception.Message;
                }
            }
            if (comm.Rank == 0)
            {
                Console.Error.WriteLine(complaint);
            }
            return 2;
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
            bool right = error <= 1e-12; // what is added up in another order differs in its last digits
            if (comm.Rank == 0)
            {
                double speed = 1e-6 * length * iterations / times[0], share = 100 * times[1] / times[0];
                string ranks = comm.Size + (comm.Size == 1 ? " rank" : " ranks");
                Console.WriteLine($"{length} elements, {iterations} times, {ranks}");
                Console.WriteLine(Invariant(
                    $"{times[0]:F3} s, {speed:F1} million elements a second, ")
                    + Invariant($"at most {share:F1} % of it in reductions"));
                Console.WriteLine(Invariant($"inner product: {product.Value:G17}, relative error {error:0.0e+00}"));
                if (!right)
                {
                    Console.Error.WriteLine("The result is wrong.");
                }
            }
            return right ? 0 : 1;
        }
    }
}
