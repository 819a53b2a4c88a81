using System;
using System.Linq;
using MPI;

namespace Tests
{
    /// <summary>Runs all tests on all ranks. Rank 0 writes the name of each that passed; a failure ends the job.</summary>
    internal static class Program
    {
        private static void Main(string[] args)
        {
            if (args.Length > 0 && args[0] == "fail")
            {
                Failures.Run(args);
                return;
            }
            if (args.Length > 0 && args[0] == "abort")
            {
                Failures.Abort(args);
                return;
            }
            if (args.Length > 0 && args[0] == "threads")
            {
                Threads.Run(args);
                return;
            }
            MPI.Environment.Run(args, comm =>
            {
                Action<Intracommunicator>[] tests = PointToPoint.All.Concat(Objects.All).Concat(Zoo.All).Concat(Requests.All)
                    .Concat(Collectives.All).Concat(Reductions.All).Concat(Communicators.All).Concat(AsInMpiNet.All)
                    .Concat(Errors.All).ToArray(); // last: Open MPI receives nothing from itself after a buffered send that failed
                foreach (Action<Intracommunicator> test in tests)
                {
                    test(comm);
                    comm.Barrier();
                    if (comm.Rank == 0)
                    {
                        Console.WriteLine("passed " + test.Method.DeclaringType.Name + "." + test.Method.Name);
                    }
                }
                if (comm.Rank == 0)
                {
                    Console.WriteLine("library " + MPI.Environment.LibraryVersion.Split('\n')[0]);
                    Console.WriteLine("done " + tests.Length + " on " + comm.Size);
                }
            });
            Expect.Throws<InvalidOperationException>(() => new MPI.Environment(ref args)); // MPI has ended
        }
    }

    internal static class Expect
    {
        public static void True(bool condition, string what)
        {
            if (!condition)
            {
                throw new InvalidOperationException("not so: " + what);
            }
        }

        public static void Equal<T>(T expected, T found, string what)
        {
            True(Equals(expected, found), what + " is " + found + " instead of " + expected);
        }

        public static void Same<T>(T[] expected, T[] found, string what)
        {
            True(found != null && expected.SequenceEqual(found),
                what + " is [" + (found == null ? "null" : string.Join(" ", found)) + "] instead of ["
                    + string.Join(" ", expected) + "]");
        }

        /// <summary>Calls a function that has to throw, and gives what it throws.</summary>
        public static E Throws<E>(Action action) where E : Exception
        {
            try
            {
                action();
            }
            catch (E expected)
            {
                return expected;
            }
            throw new InvalidOperationException("no " + typeof(E).Name + " was thrown");
        }
    }
}
