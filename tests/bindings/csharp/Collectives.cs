using System;
using System.Linq;
using MPI;

namespace Tests
{
    internal static class Collectives
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            Broadcasts, Gathers, JaggedArrays, Scatters, Exchanges, Flattened, FlattenedOfDifferentLengths, WrongLengths,
        };

        private static int[] Ranks(Intracommunicator comm) => Enumerable.Range(0, comm.Size).ToArray();

        private static void Broadcasts(Intracommunicator comm)
        {
            int root = comm.Size - 1;
            bool isRoot = comm.Rank == root;
            double number = isRoot ? 2.5 : 0;
            comm.Broadcast(ref number, root);
            Expect.Equal(2.5, number, "a double");
            string text = isRoot ? "text" : null;
            comm.Broadcast(ref text, root);
            Expect.Equal("text", text, "a string");
            int[] array = isRoot ? new[] { 1, 2, 3 } : null;
            comm.Broadcast(ref array, root);
            Expect.Same(new[] { 1, 2, 3 }, array, "an array of unknown length");
            Person person = isRoot ? new Person { Name = "Ada" } : null;
            comm.Broadcast(ref person, root);
            Expect.Equal("Ada", person.Name, "an object");
            var values = isRoot ? new[] { 'a', 'b' } : new char[2];
            comm.Broadcast(new Span<char>(values), root);
            Expect.Same(new[] { 'a', 'b' }, values, "a span");
        }

        private static void Gathers(Intracommunicator comm)
        {
            int root = comm.Size / 2;
            int[] gathered = comm.Gather(comm.Rank * 2, root);
            Expect.Equal(comm.Rank == root, gathered != null, "only the root has a result");
            if (comm.Rank == root)
            {
                Expect.Same(Ranks(comm).Select(r => r * 2).ToArray(), gathered, "the ints");
            }
            Expect.Same(
                Ranks(comm).Select(r => "rank " + r).ToArray(), comm.Allgather("rank " + comm.Rank), "strings");
            Person[] people = comm.Allgather(new Person { Age = comm.Rank });
            Expect.Same(Ranks(comm), people.Select(p => p.Age).ToArray(), "objects");
        }

        private static double[] Jagged(int rank) => Enumerable.Range(0, rank).Select(i => rank + i / 8.0).ToArray();

        private static void JaggedArrays(Intracommunicator comm)
        {
            double[][] gathered = comm.Gather(Jagged(comm.Rank), 0);
            double[][] everywhere = comm.Allgather(Jagged(comm.Rank));
            foreach (int rank in Ranks(comm))
            {
                Expect.Same(Jagged(rank), everywhere[rank], "an array of Allgather");
                if (comm.Rank == 0)
                {
                    Expect.Same(Jagged(rank), gathered[rank], "an array of Gather");
                }
            }
            double[][] pieces = comm.Rank == 0 ? Ranks(comm).Select(Jagged).ToArray() : null;
            Expect.Same(Jagged(comm.Rank), comm.Scatter(pieces, 0), "an array of Scatter");
            double[][] exchanged = comm.Alltoall(Ranks(comm).Select(r => Jagged(r + comm.Rank)).ToArray());
            foreach (int rank in Ranks(comm))
            {
                Expect.Same(Jagged(rank + comm.Rank), exchanged[rank], "an array of Alltoall");
            }
        }

        private static void Scatters(Intracommunicator comm)
        {
            int[] numbers = comm.Rank == 0 ? Ranks(comm).Select(r => r * r).ToArray() : null;
            int mine = comm.Rank == 0 ? comm.Scatter(numbers) : comm.Scatter<int>(0);
            Expect.Equal(comm.Rank * comm.Rank, mine, "an int");
            string[] texts = comm.Rank == 0 ? Ranks(comm).Select(r => new string('x', r)).ToArray() : null;
            Expect.Equal(new string('x', comm.Rank), comm.Scatter(texts, 0), "a string");
        }

        private static void Exchanges(Intracommunicator comm)
        {
            int[] numbers = comm.Alltoall(Ranks(comm).Select(r => 100 * comm.Rank + r).ToArray());
            Expect.Same(Ranks(comm).Select(r => 100 * r + comm.Rank).ToArray(), numbers, "ints");
            string[] texts = comm.Alltoall(Ranks(comm).Select(r => comm.Rank + " to " + r).ToArray());
            Expect.Same(Ranks(comm).Select(r => r + " to " + comm.Rank).ToArray(), texts, "strings");
        }

        private static void Flattened(Intracommunicator comm)
        {
            int[] mine = { comm.Rank, -comm.Rank };
            int[] all = Ranks(comm).SelectMany(r => new[] { r, -r }).ToArray();
            int[] gathered = comm.GatherFlattened(mine, 2, 0);
            if (comm.Rank == 0)
            {
                Expect.Same(all, gathered, "GatherFlattened");
            }
            Expect.Same(all, comm.AllgatherFlattened(mine, 2), "AllgatherFlattened");
            Expect.Same(mine, comm.ScatterFromFlattened(comm.Rank == 0 ? all : null, 2, 0), "ScatterFromFlattened");
            int[] sent = Ranks(comm).SelectMany(r => new[] { comm.Rank, r }).ToArray();
            Expect.Same(
                Ranks(comm).SelectMany(r => new[] { r, comm.Rank }).ToArray(), comm.AlltoallFlattened(sent, 2), "AlltoallFlattened");
        }

        private static void FlattenedOfDifferentLengths(Intracommunicator comm)
        {
            int[] counts = Ranks(comm).Select(r => r + 1).ToArray();
            double[] mine = Enumerable.Repeat((double)comm.Rank, comm.Rank + 1).ToArray();
            double[] all = Ranks(comm).SelectMany(r => Enumerable.Repeat((double)r, r + 1)).ToArray();
            double[] gathered = comm.GatherFlattened(mine, counts, 0);
            if (comm.Rank == 0)
            {
                Expect.Same(all, gathered, "GatherFlattened");
            }
            Expect.Same(all, comm.AllgatherFlattened(mine, counts), "AllgatherFlattened");
            Expect.Same(
                mine, comm.ScatterFromFlattened(comm.Rank == 0 ? all : null, counts, 0), "ScatterFromFlattened");
            int[] same = Ranks(comm).Select(r => comm.Rank + 1).ToArray();
            double[] received = comm.AlltoallFlattened(
                Ranks(comm).SelectMany(r => Enumerable.Repeat((double)comm.Rank, r + 1)).ToArray(), counts, same);
            Expect.Same(
                Ranks(comm).SelectMany(r => Enumerable.Repeat((double)r, comm.Rank + 1)).ToArray(), received, "AlltoallFlattened");
        }

        private static void WrongLengths(Intracommunicator comm)
        {
            Expect.Throws<ArgumentException>(() => comm.Alltoall(new int[comm.Size + 1]));
            Expect.Throws<ArgumentException>(() => comm.AllgatherFlattened(new int[1], 2));
            Expect.Throws<ArgumentException>(() => comm.AllgatherFlattened(new int[1], new int[comm.Size + 1]));
            Expect.Throws<ArgumentException>(() => comm.Allreduce<int>(new int[2], new int[1], Operation<int>.Add));
        }
    }
}
