using System;
using System.Collections.Generic;
using System.Linq;
using MPI;

namespace Tests
{
    /// <summary>Runs all tests on all ranks. Rank 0 writes the name of each that passed; a failure ends the job.</summary>
    internal static class Program
    {
        /// <summary>What the first argument asks for instead.</summary>
        private static readonly Dictionary<string, Action<string[]>> Others = new Dictionary<string, Action<string[]>>
        {
            { "fail", Failures.Run }, { "abort", Failures.Abort }, { "threads", Threads.Run }, { "again", Again },
            { "spawn", Spawning.Parents }, { "spawned", Spawning.Children },
        };

        private static void Main(string[] args)
        {
            if (args.Length > 0)
            {
                Others[args[0]](args);
                return;
            }
            MPI.Environment.Run(args, comm =>
            {
                Action<Intracommunicator>[] tests = PointToPoint.All.Concat(Objects.All).Concat(Zoo.All).Concat(Requests.All)
                    .Concat(Collectives.All).Concat(Reductions.All).Concat(Communicators.All).Concat(Intercommunicators.All)
                    .Concat(AsInMpiNet.All)
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

        /// <summary>The order of messages, large exchanges and objects, many times in one launch: what fails now and then shows.</summary>
        private static void Again(string[] args) => MPI.Environment.Run(args, comm =>
        {
            int times = int.Parse(args[1]);
            for (int i = 0; i < times; i++)
            {
                foreach (Action<Intracommunicator> test in Requests.Ordered.Concat(Objects.All))
                {
                    test(comm);
                }
            }
            comm.Barrier();
            if (comm.Rank == 0)
            {
                Console.WriteLine("done again");
            }
        });
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
