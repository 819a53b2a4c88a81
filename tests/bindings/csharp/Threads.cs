using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using MPI;

namespace Tests
{
    /// <summary>Several threads of each rank send and receive at once, with the same tag.</summary>
    internal static class Threads
    {
        private const int Count = 4, Messages = 50;

        public static void Run(string[] args)
        {
            MPI.Environment.Run(args, comm =>
            {
                Expect.Equal(Threading.Multiple, MPI.Environment.Threading, "the level");
                Check(comm, 1, number => "message " + number, one => one,
                    () => comm.Receive<string>(Communicator.AnySource, 1));
                Check(comm, 2, number => new string('x', 40000) + number, one => one,
                    () => comm.ImmediateReceive<string>(Communicator.AnySource, 2).GetValue());
                Check(comm, 3, number => new[] { (double)number }, one => one.Single(),
                    () => comm.Receive<double[]>(Communicator.AnySource, 3));
                Check(comm, 4, number => new WithGap { A = 1, B = number }, one => one.B,
                    () => comm.ImmediateReceive<WithGap>(Communicator.AnySource, 4).GetValue());
                Check(comm, 5, number => new Dictionary<string, int> { { "number", number } }, one => one["number"],
                    () => comm.ImmediateReceive<Dictionary<string, int>>(Communicator.AnySource, 5).GetValue());
                Check(comm, 6, number => new WithFields { Number = number }, one => one.Number,
                    () => comm.Receive<WithFields>(Communicator.AnySource, 6));
                if (comm.Rank == 0)
                {
                    Console.WriteLine("done threads");
                }
            }, Threading.Multiple);
        }

        /// <summary>All ranks send to rank 0, whose threads together receive every message once.</summary>
        private static void Check<T, K>(
            Intracommunicator comm, int tag, Func<int, T> make, Func<T, K> describe, Func<T> receive)
        {
            var sent = new List<K>();
            for (int i = 0; i < Count * Messages * comm.Size; i++)
            {
                sent.Add(describe(make(i)));
            }
            var found = new List<K>();
            Thread[] threads = Enumerable.Range(0, Count).Select(thread => new Thread(() =>
            {
                for (int i = 0; i < Messages; i++)
                {
                    comm.ImmediateSend(make((comm.Rank * Count + thread) * Messages + i), 0, tag).Wait();
                }
            })).ToArray();
            if (comm.Rank == 0)
            {
                threads = threads.Concat(Enumerable.Range(0, Count).Select(thread => new Thread(() =>
                {
                    for (int i = 0; i < Messages * comm.Size; i++)
                    {
                        K one = describe(receive());
                        lock (found)
                        {
                            found.Add(one);
                        }
                    }
                }))).ToArray();
            }
            Array.ForEach(threads, thread => thread.Start());
            Array.ForEach(threads, thread => thread.Join());
            if (comm.Rank == 0)
            {
                sent.Sort();
                found.Sort();
                Expect.True(sent.SequenceEqual(found), "every message arrives once, of " + typeof(T).Name);
            }
            comm.Barrier();
        }
    }
}
