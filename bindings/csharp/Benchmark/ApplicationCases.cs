using System;
using Applications;
using MPI;

namespace Benchmark
{
    /// <summary>The programs of examples/applications as cases.</summary>
    internal static unsafe class ApplicationCases
    {
        /// <summary>A bit for each benchmark that there is a solver for, and for streams in all modes.</summary>
        public static long OptedIn =>
            1L << Harness.BenchmarkNumber("stream") | 1L << Harness.BenchmarkNumber("wave") |
            1L << Harness.BenchmarkNumber("inner-product");

        public static Prepared Prepare(Intracommunicator world, string benchmark, string mode, Buffers* buffers)
        {
            ISolver solver = Make(world, benchmark, mode, buffers->Edge);
            var iteration = new Iteration { Solver = solver };
            Part* part = buffers->Part;
            return new Prepared
            {
                Loops = benchmark == "inner-product"
                    ? (Loops)new CollectiveLoops<Iteration>(iteration)
                    : new PairLoops<Iteration>(iteration),
                Begin = solver.Restart,
                Show = () => *part = solver.Part,
                Release = solver.Dispose,
                Communication = () => solver.CommunicationNs,
            };
        }

        private static ISolver Make(Intracommunicator world, string benchmark, string mode, long edge)
        {
            try
            {
                return benchmark == "inner-product"
                    ? (ISolver)new InnerProduct(world, edge)
                    : new Wave(world, edge, mode == "overlapped");
            }
            catch (Exception exception)
                when (exception is ArgumentException || exception is InsufficientMemoryException)
            {
                if (world.Rank == 0)
                {
                    Console.Error.WriteLine(exception.Message);
                    Console.Error.Flush();
                }
                world.Barrier(); // all ranks come here, and end when the sentence is written
                MPI.Environment.Abort(Harness.NoMemory);
                throw;
            }
        }

        private struct Iteration : IIteration
        {
            public ISolver Solver;

            public void Once() => Solver.Advance(1);
        }
    }
}
