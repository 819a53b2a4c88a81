using System;
using System.Collections.Generic;

namespace MPI
{
    /// <summary>Ranks that lie on a grid.</summary>
    public sealed class CartesianCommunicator : TopologicalCommunicator
    {
        private CartesianCommunicator(IntPtr handle, int[] dimensions, bool[] periodic) : base(handle)
        {
            Dimensions = dimensions;
            Periodic = periodic;
        }

        /// <summary>Lays ranks on a grid.</summary>
        /// <param name="ranks">The ranks, as many as the grid has places, or more.</param>
        /// <param name="dimensions">The number of places in each direction.</param>
        /// <param name="periodic">Whether the last place of a direction is next to the first.</param>
        /// <param name="reorder">Whether MPI may give the processes other ranks.</param>
        /// <returns>The communicator; null on a rank that has no place.</returns>
        public static CartesianCommunicator Create(
            Intracommunicator ranks, int[] dimensions, bool[] periodic, bool reorder = false)
        {
            IntPtr made = Make(ranks, dimensions, periodic, reorder);
            return made == Constants.CommNull
                ? null
                : new CartesianCommunicator(made, (int[])dimensions.Clone(), (bool[])periodic.Clone());
        }

        /// <summary>Lays ranks on a grid, which has a place for each of them.</summary>
        /// <param name="ranks">The ranks.</param>
        /// <param name="directions">The number of directions.</param>
        /// <param name="dimensions">The number of places in each direction.</param>
        /// <param name="periodic">Whether the last place of a direction is next to the first.</param>
        /// <param name="reorder">Whether MPI may give the processes other ranks.</param>
        public CartesianCommunicator(
            Intracommunicator ranks, int directions, int[] dimensions, bool[] periodic, bool reorder)
            : this(ForAll(ranks, First(dimensions, directions), First(periodic, directions), reorder),
                First(dimensions, directions), First(periodic, directions))
        {
        }

        private static IntPtr ForAll(Intracommunicator ranks, int[] dimensions, bool[] periodic, bool reorder)
        {
            IntPtr made = Make(ranks, dimensions, periodic, reorder);
            return made != Constants.CommNull
                ? made
                : throw new ArgumentException(
                    "The grid has no place for rank " + ranks.Rank + ". Make it by CartesianCommunicator.Create, which gives null there.",
                    nameof(dimensions));
        }

        private static V[] First<V>(V[] values, int count)
        {
            Counts.CheckLength(values.Length, count, nameof(values));
            var first = new V[count];
            Array.Copy(values, first, count);
            return first;
        }

        private static IntPtr Make(Intracommunicator ranks, int[] dimensions, bool[] periodic, bool reorder)
        {
            if (dimensions.Length != periodic.Length)
            {
                throw new ArgumentException("Each direction is periodic or not.", nameof(periodic));
            }
            Errors.Check(Native.CartCreate(
                ranks.Handle, dimensions.Length, dimensions, Flags(periodic), reorder ? 1 : 0, out IntPtr made));
            return made;
        }

        /// <summary>The rank that MPI would give this process on a grid; <see cref="Group.NoProcess"/> if none.</summary>
        /// <param name="ranks">The ranks.</param>
        /// <param name="directions">The number of directions.</param>
        /// <param name="dimensions">The number of places in each direction.</param>
        /// <param name="periodic">Whether the last place of a direction is next to the first.</param>
        public static int Map(Intracommunicator ranks, int directions, int[] dimensions, bool[] periodic)
        {
            Errors.Check(Native.CartMap(ranks.Handle, directions, dimensions, Flags(periodic), out int rank));
            return rank;
        }

        /// <summary>Shares ranks among the directions of a grid as evenly as possible.</summary>
        /// <param name="ranks">How many ranks there are.</param>
        /// <param name="directions">The number of directions.</param>
        /// <param name="dimensions">The number of places in each direction; 0 where it is asked for.</param>
        public static void ComputeDimensions(int ranks, int directions, ref int[] dimensions)
        {
            int[] first = First(dimensions, directions);
            ComputeDimensions(ranks, ref first);
            Array.Copy(first, dimensions, directions);
        }

        /// <summary>Shares ranks among the directions of a grid as evenly as possible.</summary>
        /// <param name="ranks">How many ranks there are.</param>
        /// <param name="dimensions">The number of places in each direction; 0 where it is asked for.</param>
        public static void ComputeDimensions(int ranks, ref int[] dimensions) =>
            Errors.Check(Native.DimsCreate(ranks, dimensions.Length, dimensions));

        /// <summary>The number of places in each direction.</summary>
        public int[] Dimensions { get; }

        /// <summary>Whether the last place of a direction is next to the first.</summary>
        public bool[] Periodic { get; }

        /// <summary>The place of this rank.</summary>
        public int[] Coordinates => GetCartesianCoordinates(Rank);

        /// <summary>The place of a rank.</summary>
        /// <param name="rank">The rank.</param>
        public int[] GetCartesianCoordinates(int rank)
        {
            var coordinates = new int[Dimensions.Length];
            Errors.Check(Native.CartCoords(Handle, rank, coordinates.Length, coordinates));
            return coordinates;
        }

        /// <inheritdoc/>
        public override int NumEdges
        {
            get
            {
                int edges = 0;
                for (int i = 0; i < Dimensions.Length; i++)
                {
                    int lines = 1; // along this direction
                    for (int k = 0; k < Dimensions.Length; k++)
                    {
                        lines *= k == i ? 1 : Dimensions[k];
                    }
                    edges += lines * (Periodic[i] ? Dimensions[i] : Dimensions[i] - 1);
                }
                return edges;
            }
        }

        /// <inheritdoc/>
        public override int[] NeighborsOf(int rank)
        {
            var neighbors = new List<int>();
            int[] place = GetCartesianCoordinates(rank);
            for (int i = 0; i < place.Length; i++)
            {
                int here = place[i], last = Dimensions[i] - 1;
                bool around = Periodic[i] && last > 1; // two places in a circle are neighbours once
                foreach (int there in new[] { here > 0 ? here - 1 : around ? last : -1, here < last ? here + 1 : around ? 0 : -1 })
                {
                    if (there >= 0)
                    {
                        place[i] = there;
                        neighbors.Add(GetCartesianRank(place));
                    }
                }
                place[i] = here;
            }
            return neighbors.ToArray();
        }

        /// <summary>The rank at a place.</summary>
        /// <param name="coordinates">The place.</param>
        public int GetCartesianRank(int[] coordinates)
        {
            Errors.Check(Native.CartRank(Handle, coordinates, out int rank));
            return rank;
        }

        /// <summary>The neighbours of this rank for an exchange along a direction.</summary>
        /// <param name="direction">The direction, from 0 on.</param>
        /// <param name="displacement">How many places to go.</param>
        /// <param name="source">The rank to receive from, or <see cref="Communicator.NullRank"/> at an edge.</param>
        /// <param name="dest">The rank to send to, or <see cref="Communicator.NullRank"/> at an edge.</param>
        public void Shift(int direction, int displacement, out int source, out int dest) =>
            Errors.Check(Native.CartShift(Handle, direction, displacement, out source, out dest));

        /// <summary>Cuts the grid into grids of fewer directions.</summary>
        /// <param name="remain">For each direction whether it stays.</param>
        public CartesianCommunicator Subgrid(params bool[] remain)
        {
            if (remain.Length != Dimensions.Length)
            {
                throw new ArgumentException("Each direction stays or not.", nameof(remain));
            }
            Errors.Check(Native.CartSub(Handle, Flags(remain), out IntPtr made));
            return new CartesianCommunicator(made, Remaining(Dimensions, remain), Remaining(Periodic, remain));
        }

        /// <summary>Cuts the grid into grids of fewer directions.</summary>
        /// <param name="remain">For each direction 0 if it goes.</param>
        public CartesianCommunicator Subgrid(int[] remain) => Subgrid(Array.ConvertAll(remain, one => one != 0));

        private static int[] Flags(bool[] values) => Array.ConvertAll(values, value => value ? 1 : 0);

        private static V[] Remaining<V>(V[] values, bool[] remain)
        {
            int i = 0;
            return Array.FindAll(values, value => remain[i++]);
        }
    }
}
