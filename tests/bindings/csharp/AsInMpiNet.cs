using System;
using System.Collections.Generic;
using System.Linq;
using MPI;

namespace Tests
{
    public struct Pair
    {
        public int A, B;

        public static bool operator <(Pair x, Pair y) => x.A < y.A;

        public static bool operator >(Pair x, Pair y) => x.A > y.A;
    }

    /// <summary>Calls that programs of MPI.NET make.</summary>
    internal static class AsInMpiNet
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            Environments, ResultsByReference, Scans, OperatorsOfTypes, Flattened, FlattenedStrings, ReduceScatterOfStrings,
            ExchangesByReference, ReceivesIntoArrays, ReceivesWithActions, CancelsOfWhatIsComplete, Grids, Graphs, Attributes,
        };

        /// <summary>An environment within another one leaves MPI as it is.</summary>
        private static void Environments(Intracommunicator comm)
        {
            string[] args = new string[0];
            using (new MPI.Environment(ref args))
            {
                MPI.Environment.Run(ref args, one => comm.Barrier(), false);
            }
            MPI.Environment.Run(args, one => comm.Barrier());
            Expect.True(MPI.Environment.Initialized && !MPI.Environment.Finalized, "MPI goes on");
        }

        private static void ResultsByReference(Intracommunicator comm)
        {
            int last = comm.Size * (comm.Size - 1) / 2;
            int[] sums = null, kept = new int[5];
            int[] before = kept;
            comm.Allreduce(new[] { comm.Rank, 1 }, Operation<int>.Add, ref sums);
            Expect.Same(new[] { last, comm.Size }, sums, "a new array");
            comm.Reduce(new[] { comm.Rank, 1 }, Operation<int>.Add, 0, ref kept);
            Expect.True(ReferenceEquals(before, kept), "an array that is long enough is filled");
            Expect.Same(comm.Rank == 0 ? new[] { last, comm.Size, 0, 0, 0 } : new int[5], kept, "the sums on the root");
            string[] words = null;
            comm.Gather("of " + comm.Rank, 0, ref words);
            Expect.True(comm.Rank == 0 ? words.Last() == "of " + (comm.Size - 1) : words == null, "the words on the root");
            string[] all = null;
            comm.Allgather("of " + comm.Rank, ref all);
            comm.Alltoall(all, ref words);
            Expect.True(words.All(word => word == "of " + comm.Rank), "the words of all ranks");
        }

        private static void Scans(Intracommunicator comm)
        {
            Expect.Same(new[] { comm.Rank + 1, 2 * (comm.Rank + 1) }, comm.Scan(new[] { 1, 2 }, Operation<int>.Add), "the sums");
            string[] words = comm.Scan(new[] { comm.Rank + "", "x" }, Operation<string>.Add);
            Expect.Equal(new string('x', comm.Rank + 1), words[1], "the words");
            int[] others = comm.ExclusiveScan(new[] { 1, 2 }, Operation<int>.Add);
            Expect.True(comm.Rank == 0 ? others == null : others[1] == 2 * comm.Rank, "the sums of those before");
            words = comm.ExclusiveScan(new[] { "y" }, Operation<string>.Add);
            Expect.True(comm.Rank == 0 ? words == null : words[0] == new string('y', comm.Rank), "the words of those before");
        }

        private static void OperatorsOfTypes(Intracommunicator comm)
        {
            var mine = new Pair { A = comm.Rank, B = 10 * comm.Rank };
            Expect.Equal(0, comm.Allreduce(mine, Operation<Pair>.Min).B, "the smallest pair");
            Expect.Equal(10 * comm.Size - 10, comm.Allreduce(mine, Operation<Pair>.Max).B, "the largest pair");
            Expect.Equal(string.Concat(Enumerable.Range(0, comm.Size)),
                comm.Allreduce(comm.Rank + "", Operation<string>.Add), "joined strings");
        }

        private static int[] Ranks(Intracommunicator comm) => Enumerable.Range(0, comm.Size).ToArray();

        private static int[] EachOften(Intracommunicator comm) =>
            Ranks(comm).SelectMany(rank => Enumerable.Repeat(rank, rank)).ToArray();

        private static void Flattened(Intracommunicator comm)
        {
            int[] mine = Enumerable.Repeat(comm.Rank, comm.Rank).ToArray(), found = null;
            comm.GatherFlattened(mine, comm.Rank == 0 ? Ranks(comm) : null, 0, ref found);
            Expect.True(comm.Rank == 0 ? found.SequenceEqual(EachOften(comm)) : found == null, "what is gathered");
            found = null;
            comm.AllgatherFlattened(mine, Ranks(comm), ref found);
            Expect.Same(EachOften(comm), found, "what all gather");
            found = null;
            comm.ScatterFromFlattened(EachOften(comm), Ranks(comm), 0, ref found);
            Expect.Same(mine, found, "what is scattered");
            Expect.Same(Ranks(comm).SelectMany(rank => new[] { rank, 7 }).ToArray(),
                comm.AllgatherFlattened(new[] { comm.Rank, 7, 9 }, 2), "the first two of each rank");
        }

        private static void FlattenedStrings(Intracommunicator comm)
        {
            string[] mine = Enumerable.Repeat(comm.Rank + "", comm.Rank).ToArray(), found = null;
            string[] each = EachOften(comm).Select(rank => rank + "").ToArray();
            comm.GatherFlattened(mine, comm.Rank == 0 ? Ranks(comm) : null, 0, ref found);
            Expect.True(comm.Rank == 0 ? found.SequenceEqual(each) : found == null, "what is gathered");
            Expect.Same(each, comm.AllgatherFlattened(mine, Ranks(comm)), "what all gather");
            Expect.Same(mine, comm.ScatterFromFlattened(comm.Rank == 0 ? each : null, Ranks(comm), 0), "what is scattered");
            string[] two = comm.GatherFlattened(new[] { "a", comm.Rank + "" }, comm.Size - 1);
            Expect.True(comm.Rank < comm.Size - 1 ? two == null : two.Length == 2 * comm.Size, "two of each rank");
            string[] sent = Ranks(comm).Select(rank => comm.Rank + " to " + rank).ToArray();
            Expect.Same(Ranks(comm).Select(rank => rank + " to " + comm.Rank).ToArray(), comm.AlltoallFlattened(sent, 1), "all to all");
        }

        private static void ReduceScatterOfStrings(Intracommunicator comm)
        {
            string[] mine = EachOften(comm).Select(rank => "" + rank).ToArray();
            string expected = string.Concat(Enumerable.Repeat(comm.Rank, comm.Size));
            Expect.Same(Enumerable.Repeat(expected, comm.Rank).ToArray(),
                comm.ReduceScatter(mine, Operation<string>.Add, Ranks(comm)), "the strings of this rank");
        }

        private static int Next(Intracommunicator comm) => (comm.Rank + 1) % comm.Size;

        private static int Before(Intracommunicator comm) => (comm.Rank + comm.Size - 1) % comm.Size;

        private static void ExchangesByReference(Intracommunicator comm)
        {
            int[] numbers = new int[3];
            comm.SendReceive(new[] { comm.Rank }, Next(comm), 1, Before(comm), 1, ref numbers);
            Expect.Same(new[] { Before(comm), 0, 0 }, numbers, "the beginning of an array");
            string[] words = null;
            comm.SendReceive(new[] { "of", comm.Rank + "" }, Next(comm), 1, Before(comm), 1, ref words, out CompletedStatus status);
            Expect.Same(new[] { "of", Before(comm) + "" }, words, "the words");
            Expect.Equal(Before(comm), status.Source, "the source");
        }

        private static void ReceivesIntoArrays(Intracommunicator comm)
        {
            var words = new string[3];
            ReceiveRequest<string[]> receiving = comm.ImmediateReceive(Before(comm), 1, words);
            comm.ImmediateSend(new[] { "a", "b" }, Next(comm), 1).Wait();
            Expect.True(ReferenceEquals(words, receiving.GetValue()), "the array is the value");
            Expect.Same(new[] { "a", "b", null }, words, "its content");
            receiving = comm.ImmediateReceive(Before(comm), 1, new string[1]);
            comm.ImmediateSend(new[] { "a", "b" }, Next(comm), 1).Wait();
            Expect.Throws<MessageTruncatedException>(() => receiving.Wait());
        }

        private static void ReceivesWithActions(Intracommunicator comm)
        {
            var found = new List<string>();
            Request receiving = comm.ImmediateReceive<string>(Before(comm), 1, found.Add);
            Request sending = comm.ImmediateSend("word", Next(comm), 1);
            new RequestList { receiving, sending }.WaitAll();
            receiving.Wait();
            Expect.Same(new[] { "word" }, found.ToArray(), "what the action was given");
        }

        private static void CancelsOfWhatIsComplete(Intracommunicator comm)
        {
            Request receiving = comm.ImmediateReceive<int>(Before(comm), 1);
            Request sending = comm.ImmediateSend(1, Next(comm), 1);
            receiving.Wait();
            sending.Wait();
            receiving.Cancel();
            sending.Cancel();
            Expect.True(!receiving.Wait().Cancelled && !sending.Test().Cancelled, "what is complete stays so");
        }

        private static void Grids(Intracommunicator comm)
        {
            int[] sizes = { 0, 0, 9 };
            CartesianCommunicator.ComputeDimensions(comm.Size, 2, ref sizes);
            Expect.Equal(9, sizes[2], "what is not asked for");
            using (var grid = new CartesianCommunicator(comm, 2, sizes, new[] { true, false }, false))
            using (CartesianCommunicator column = grid.Subgrid(new[] { 1, 0 }))
            {
                Expect.Equal(comm.Size + sizes[0] * (sizes[1] - 1), grid.NumEdges, "the edges");
                Expect.Same(new[] { sizes[0] }, column.Dimensions, "the part");
                Expect.True(grid.Neighbors.All(one => grid.NeighborsOf(one).Contains(grid.Rank)), "neighbours of neighbours");
                Expect.Equal(grid.Neighbors.Length, grid.Neighbors.Distinct().Count(), "each neighbour once");
                Expect.True(CartesianCommunicator.Map(comm, 2, sizes, new[] { true, false }) >= 0, "a place on the grid");
            }
            if (comm.Rank == comm.Size - 1 && comm.Size == 1)
            {
                Expect.Equal(0, new CartesianCommunicator(comm, 1, new[] { 1 }, new[] { false }, false).NumEdges, "no edge");
            }
        }

        private static void Graphs(Intracommunicator comm)
        {
            int[][] edges = Ranks(comm).Select(rank => new[] { (rank + 1) % comm.Size }).ToArray();
            using (var graph = new GraphCommunicator(comm, edges, false))
            {
                Expect.Equal(comm.Size, graph.NumEdges, "the edges");
                Expect.Same(new[] { (graph.Rank + 1) % comm.Size }, graph.Neighbors, "the neighbours");
                Expect.Same(graph.Edges[0], graph.NeighborsOf(0), "the neighbours of rank 0");
            }
        }

        private static void Attributes(Intracommunicator comm)
        {
            MPI.Attribute none = MPI.Attribute.Create<string>(AttributeDuplication.None);
            MPI.Attribute shared = MPI.Attribute.Create<List<int>>(AttributeDuplication.Shallow);
            MPI.Attribute copied = MPI.Attribute.Create<List<int>>(AttributeDuplication.Deep);
            MPI.Attribute number = MPI.Attribute.Create<int>(AttributeDuplication.Shallow);
            using (Intracommunicator parent = comm.Clone())
            {
                parent.Attributes[none] = "here";
                parent.Attributes[shared] = new List<int> { 1 };
                parent.Attributes[copied] = new List<int> { 2 };
                parent.Attributes[number] = 3;
                using (Intracommunicator child = parent.Clone())
                {
                    ((List<int>)parent.Attributes[shared]).Add(9);
                    ((List<int>)parent.Attributes[copied]).Add(9);
                    parent.Attributes[number] = 9;
                    Expect.True(child.Attributes[none] == null, "what is not duplicated");
                    Expect.Equal(2, ((List<int>)child.Attributes[shared]).Count, "what is shared");
                    Expect.Equal(1, ((List<int>)child.Attributes[copied]).Count, "what is copied");
                    Expect.Equal(3, (int)child.Attributes[number], "a number");
                    parent.Attributes.Remove(shared);
                    Expect.True(parent.Attributes[shared] == null && child.Attributes[shared] != null, "what is removed");
                }
                Expect.Throws<ArgumentException>(() => parent.Attributes[number] = "text");
            }
        }
    }
}
