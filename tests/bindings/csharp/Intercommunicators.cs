using System;
using System.Linq;
using MPI;

namespace Tests
{
    /// <summary>The ranks with even numbers on one side, the others on the other.</summary>
    internal static class Intercommunicators
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            Messages, Broadcasts, Gathers, Scatters, Reductions, GathersOfArrays, ScattersOfArrays, Exchanges, ReductionsOnAll,
            ExchangesOfArrays, WrongRoots,
        };

        private static void Between(Intracommunicator comm, Action<Intercommunicator, bool> test)
        {
            if (comm.Size < 2)
            {
                return;
            }
            bool isOdd = comm.Rank % 2 == 1;
            using (Intracommunicator side = comm.Split(isOdd ? 1 : 0, comm.Rank))
            using (var between = new Intercommunicator(side, 0, comm, isOdd ? 0 : 1, 5))
            {
                test(between, isOdd);
            }
        }

        /// <summary>The last rank of one side is the root, then that of the other.</summary>
        private static void WithRoots(Intracommunicator comm, Action<Intercommunicator, int> test)
        {
            foreach (bool rootIsOdd in new[] { false, true })
            {
                Between(comm, (between, isOdd) => test(
                    between,
                    isOdd != rootIsOdd ? between.RemoteSize - 1
                        : between.Rank == between.Size - 1 ? Intercommunicator.Root : Intercommunicator.Null));
            }
        }

        private static int[] To(int count) => Enumerable.Range(0, count).ToArray();

        /// <summary>Each number as often as it says.</summary>
        private static int[] EachOften(int count) => To(count).SelectMany(i => Enumerable.Repeat(i, i)).ToArray();

        private static string[] Words(int[] numbers) => numbers.Select(number => "of " + number).ToArray();

        private static void Messages(Intracommunicator comm) => Between(comm, (between, isOdd) =>
        {
            Expect.Equal(isOdd ? (comm.Size + 1) / 2 : comm.Size / 2, between.RemoteSize, "the size of the other side");
            if (!isOdd && between.Rank == 0)
            {
                between.Send("to the other side", between.RemoteSize - 1, 1);
                Expect.Throws<ArgumentOutOfRangeException>(() => between.Send(1, between.RemoteSize, 1));
            }
            else if (isOdd && between.Rank == between.Size - 1)
            {
                Expect.Equal("to the other side", between.Receive<string>(0, 1), "a message");
            }
            using (Group other = between.RemoteGroup)
            {
                Expect.Equal(between.RemoteSize, other.Size, "the group of the other side");
            }
            using (Intracommunicator merged = between.Merge(isOdd))
            {
                Expect.Equal(isOdd ? between.RemoteSize + between.Rank : between.Rank, merged.Rank, "the rank among all");
            }
            between.Barrier();
        });

        private static void Broadcasts(Intracommunicator comm) => WithRoots(comm, (between, root) =>
        {
            bool isRoot = root == Intercommunicator.Root, isBeside = root == Intercommunicator.Null;
            int number = isRoot ? 5 : 1;
            between.Broadcast(ref number, root);
            Expect.Equal(isBeside ? 1 : 5, number, "a number");
            string word = isRoot ? "x" : "before";
            between.Broadcast(ref word, root);
            Expect.Equal(isBeside ? "before" : "x", word, "a string");
            int[] numbers = isRoot ? new[] { 1, 2, 3 } : null;
            between.Broadcast(ref numbers, root);
            Expect.True(isBeside ? numbers == null : numbers.SequenceEqual(new[] { 1, 2, 3 }), "an array");
            Person person = isRoot ? new Person { Age = 3 } : null;
            between.Broadcast(ref person, root);
            Expect.Equal(isBeside ? null : (int?)3, person?.Age, "an object");
        });

        /// <summary>The root has what was expected, and the others have nothing.</summary>
        private static void OnRoot<T>(int root, T[] expected, T[] found, string what)
        {
            if (root == Intercommunicator.Root)
            {
                Expect.Same(expected, found, what);
            }
            else
            {
                Expect.True(found == null, "only the root has " + what);
            }
        }

        private static void Gathers(Intracommunicator comm) => WithRoots(comm, (between, root) =>
        {
            OnRoot(root, To(between.RemoteSize), between.Gather(between.Rank, root), "the numbers");
            OnRoot(root, Words(To(between.RemoteSize)), between.Gather("of " + between.Rank, root), "the strings");
            double[][] arrays = between.Gather(root < 0 ? null : new double[between.Rank], root);
            OnRoot(root, To(between.RemoteSize), arrays?.Select(array => array.Length).ToArray(), "the arrays");
        });

        private static void Scatters(Intracommunicator comm) => WithRoots(comm, (between, root) =>
        {
            int[] numbers = To(between.RemoteSize);
            int number = 0;
            string word = null;
            if (root == Intercommunicator.Root)
            {
                between.Scatter(numbers);
                between.Scatter(Words(numbers));
            }
            else if (root == Intercommunicator.Null)
            {
                between.Scatter<int>();
                between.Scatter<string>();
            }
            else
            {
                number = between.Scatter<int>(root);
                word = between.Scatter<string>(root);
            }
            Expect.Equal(root < 0 ? 0 : between.Rank, number, "a number");
            Expect.Equal(root < 0 ? null : "of " + between.Rank, word, "a string");
        });

        private static void Reductions(Intracommunicator comm) => WithRoots(comm, (between, root) =>
        {
            bool isRoot = root == Intercommunicator.Root;
            int[] others = To(between.RemoteSize);
            Expect.Equal(isRoot ? others.Sum() : 0, between.Reduce(between.Rank, Operation<int>.Add, root), "the sum");
            Expect.Equal(isRoot ? others.Max() : 0, between.Reduce(between.Rank, (x, y) => Math.Max(x, y), root), "a function");
            Expect.Equal(isRoot ? string.Concat(others) : null, between.Reduce(between.Rank + "", Operation<string>.Add, root),
                "the joined strings");
            int[] numbers = root < 0 ? null : new[] { between.Rank, 1 }, sums = isRoot ? new int[2] : null;
            between.Reduce(numbers, Operation<int>.Add, root, ref sums);
            OnRoot(root, new[] { others.Sum(), others.Length }, sums, "the sums");
            string[] words = root < 0 ? null : new[] { between.Rank + "" };
            OnRoot(root, new[] { string.Concat(others) }, between.Reduce(words, Operation<string>.Add, root), "the strings");
        });

        private static void GathersOfArrays(Intracommunicator comm) => WithRoots(comm, (between, root) =>
        {
            int[] others = To(between.RemoteSize), found = null, twice = null;
            string[] words = null;
            if (root == Intercommunicator.Root)
            {
                between.GatherFlattened(others, ref found);
                between.GatherFlattened(others, ref words);
                between.GatherFlattened(2, ref twice);
            }
            else if (root == Intercommunicator.Null)
            {
                between.GatherFlattened<int>();
                between.GatherFlattened<string>();
                between.GatherFlattened<int>();
            }
            else
            {
                int[] mine = Enumerable.Repeat(between.Rank, between.Rank).ToArray();
                between.GatherFlattened(mine, root);
                between.GatherFlattened(Words(mine), root);
                between.GatherFlattened(new[] { between.Rank, 7, 8 }, 2, root);
            }
            OnRoot(root, EachOften(others.Length), found, "the numbers");
            OnRoot(root, Words(EachOften(others.Length)), words, "the strings");
            OnRoot(root, others.SelectMany(rank => new[] { rank, 7 }).ToArray(), twice, "two of each rank");
        });

        private static void ScattersOfArrays(Intracommunicator comm) => WithRoots(comm, (between, root) =>
        {
            int[] all = EachOften(between.RemoteSize), found = null, twice = null;
            string[] words = null;
            if (root == Intercommunicator.Root)
            {
                between.ScatterFromFlattened(all, To(between.RemoteSize));
                between.ScatterFromFlattened(Words(all), To(between.RemoteSize));
                between.ScatterFromFlattened(To(2 * between.RemoteSize), 2);
            }
            else if (root == Intercommunicator.Null)
            {
                between.ScatterFromFlattened<int>();
                between.ScatterFromFlattened<string>();
                between.ScatterFromFlattened<int>();
            }
            else
            {
                between.ScatterFromFlattened(To(between.Size), root, ref found);
                between.ScatterFromFlattened(To(between.Size), root, ref words);
                between.ScatterFromFlattened(2, root, ref twice);
                Expect.Same(Enumerable.Repeat(between.Rank, between.Rank).ToArray(), found, "the numbers");
                Expect.Same(Enumerable.Repeat("of " + between.Rank, between.Rank).ToArray(), words, "the strings");
                Expect.Same(new[] { 2 * between.Rank, 2 * between.Rank + 1 }, twice, "two of the numbers");
            }
        });

        private static void Exchanges(Intracommunicator comm) => Between(comm, (between, isOdd) =>
        {
            int[] others = To(between.RemoteSize);
            Expect.Same(others, between.Allgather(between.Rank), "the numbers of the other side");
            Expect.Same(Words(others), between.Allgather("of " + between.Rank), "the strings of the other side");
            Expect.Same(others.Select(rank => 10 * rank + between.Rank).ToArray(),
                between.Alltoall(others.Select(rank => 10 * between.Rank + rank).ToArray()), "a number of each rank");
            Expect.Same(others.Select(rank => rank + " to " + between.Rank).ToArray(),
                between.Alltoall(others.Select(rank => between.Rank + " to " + rank).ToArray()), "a string of each rank");
        });

        private static void ReductionsOnAll(Intracommunicator comm) => Between(comm, (between, isOdd) =>
        {
            int[] others = To(between.RemoteSize);
            string words = string.Concat(others);
            Expect.Equal(others.Sum(), between.Allreduce(between.Rank, Operation<int>.Add), "the sum of the other side");
            Expect.Equal(words, between.Allreduce(between.Rank + "", Operation<string>.Add), "the strings of the other side");
            Expect.Same(new[] { others.Sum(), others.Length },
                between.Allreduce(new[] { between.Rank, 1 }, Operation<int>.Add), "the sums");
            Expect.Same(new[] { words, new string('x', others.Length) },
                between.Allreduce(new[] { between.Rank + "", "x" }, Operation<string>.Add), "the joined strings");
            int length = between.Size * between.RemoteSize;
            int[] counts = Enumerable.Repeat(between.RemoteSize, between.Size).ToArray();
            Expect.Same(Enumerable.Repeat(others.Sum(), between.RemoteSize).ToArray(),
                between.ReduceScatter(Enumerable.Repeat(between.Rank, length).ToArray(), Operation<int>.Add, counts), "a part");
            Expect.Same(Enumerable.Repeat(words, between.RemoteSize).ToArray(),
                between.ReduceScatter(Enumerable.Repeat(between.Rank + "", length).ToArray(), Operation<string>.Add, counts),
                "a part of the strings");
        });

        private static void ExchangesOfArrays(Intracommunicator comm) => Between(comm, (between, isOdd) =>
        {
            int[] others = To(between.RemoteSize), mine = Enumerable.Repeat(between.Rank, between.Rank).ToArray();
            Expect.Same(EachOften(others.Length), between.AllgatherFlattened(mine, others), "the numbers of the other side");
            Expect.Same(Words(EachOften(others.Length)), between.AllgatherFlattened(Words(mine), others), "the strings");
            Expect.Same(others.SelectMany(rank => new[] { rank, 7 }).ToArray(),
                between.AllgatherFlattened(new[] { between.Rank, 7 }, 2), "two of each rank");
            int[] sent = Enumerable.Repeat(between.Rank, between.Rank * others.Length).ToArray();
            int[] counts = Enumerable.Repeat(between.Rank, others.Length).ToArray();
            Expect.Same(EachOften(others.Length), between.AlltoallFlattened(sent, counts, others), "as many as each rank says");
            Expect.Same(Words(EachOften(others.Length)), between.AlltoallFlattened(Words(sent), counts, others), "as many strings");
            Expect.Same(others, between.AlltoallFlattened(counts, 1), "one of each rank");
        });

        private static void WrongRoots(Intracommunicator comm) => Between(comm, (between, isOdd) =>
        {
            Expect.Throws<ArgumentOutOfRangeException>(() => between.Gather(1, between.RemoteSize));
            Expect.Throws<ArgumentOutOfRangeException>(() => between.Gather(1, Communicator.AnySource));
        });
    }
}
