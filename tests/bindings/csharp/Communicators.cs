using System;
using System.Linq;
using MPI;

namespace Tests
{
    internal static class Communicators
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            Facts, Splits, Clones, Groups, Grids,
        };

        private static void Facts(Intracommunicator comm)
        {
            Expect.Equal(1, Communicator.Self.Size, "the size of Self");
            Expect.Equal(Comparison.Identical, comm.Compare(Communicator.World), "World and itself");
            Expect.True(MPI.Environment.Initialized && !MPI.Environment.Finalized, "MPI runs");
            Expect.True(MPI.Environment.IsMainThread, "this is the main thread");
            Expect.True(MPI.Environment.Threading >= Threading.Serialized, "the thread level");
            Expect.True(MPI.Environment.MaxTag >= 32767, "the largest tag");
            Expect.True(MPI.Environment.ProcessorName.Length > 0, "the machine has a name");
            double before = MPI.Environment.Time;
            Expect.True(MPI.Environment.Time >= before && MPI.Environment.TimeResolution > 0, "time goes on");
        }

        private static void Splits(Intracommunicator comm)
        {
            using (Intracommunicator half = comm.Split(comm.Rank % 2, -comm.Rank))
            {
                int[] members = half.Allgather(comm.Rank);
                Expect.Same(
                    Enumerable.Range(0, comm.Size).Where(r => r % 2 == comm.Rank % 2).Reverse().ToArray(), members, "members");
            }
            Expect.Equal(comm.Rank != 0, comm.Split(comm.Rank == 0 ? -1 : 0) != null, "rank 0 is in none");
            using (Intracommunicator machine = comm.SplitByMachine())
            {
                Expect.Equal(comm.Size, machine.Size, "the ranks of this machine");
            }
        }

        private static void Clones(Intracommunicator comm)
        {
            using (Intracommunicator clone = comm.Clone())
            {
                Expect.Equal(Comparison.Congruent, comm.Compare(clone), "a clone");
                Request sending = clone.ImmediateSend(1, comm.Rank, 1);
                Expect.True(comm.ImmediateProbe(comm.Rank, 1) == null, "messages of a clone are apart");
                clone.Receive<int>(comm.Rank, 1);
                sending.Wait();
            }
        }

        private static void Groups(Intracommunicator comm)
        {
            using (Group all = comm.Group)
            using (Group first = all.IncludeOnly(0))
            using (Group others = all - first)
            using (Group again = first | others)
            using (Group both = all & first)
            {
                Expect.Equal(comm.Size, all.Size, "the size");
                Expect.Equal(comm.Rank, all.Rank, "the rank");
                Expect.Equal(comm.Size - 1, others.Size, "the size of the others");
                Expect.Equal(comm.Rank == 0 ? Group.NoProcess : comm.Rank - 1, others.Rank, "the rank among the others");
                Expect.Equal(Comparison.Identical, again.Compare(all), "the union");
                Expect.Equal(Comparison.Identical, both.Compare(first), "the intersection");
                Expect.Same(new[] { 0, Group.NoProcess }.Take(comm.Size).ToArray(),
                    all.TranslateRanks(Enumerable.Range(0, Math.Min(2, comm.Size)).ToArray(), first), "translated ranks");
                using (Intracommunicator made = comm.Create(first))
                {
                    Expect.Equal(comm.Rank == 0, made != null, "only rank 0 is in it");
                }
            }
        }

        private static void Grids(Intracommunicator comm)
        {
            var dimensions = new[] { 0, 0 };
            CartesianCommunicator.ComputeDimensions(comm.Size, ref dimensions);
            Expect.Equal(comm.Size, dimensions[0] * dimensions[1], "the places");
            using (CartesianCommunicator grid =
                CartesianCommunicator.Create(comm, dimensions, new[] { true, false }))
            {
                int[] place = grid.Coordinates;
                Expect.Equal(grid.Rank, grid.GetCartesianRank(place), "the rank at my place");
                grid.Shift(0, 1, out int source, out int dest);
                grid.SendReceive(grid.Rank, dest, 1, source, 1, out int neighbour);
                Expect.Equal(source, neighbour, "the neighbour in the periodic direction");
                grid.Shift(1, 1, out source, out dest);
                Expect.Equal(place[1] == 0, source == Communicator.NullRank, "the edge");
                grid.SendReceive(grid.Rank, dest, 1, source, 1, out neighbour);
                using (CartesianCommunicator row = grid.Subgrid(false, true))
                {
                    Expect.Equal(dimensions[1], row.Size, "the size of a row");
                    Expect.Same(new[] { dimensions[1] }, row.Dimensions, "the dimensions of a row");
                }
            }
        }
    }
}
