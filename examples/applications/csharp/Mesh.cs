using System;
using MPI;

namespace Applications
{
    /// <summary>
    /// A mesh of ranks, and the block of a cube's points that this rank has. Collective to make and to dispose of.
    /// </summary>
    internal sealed unsafe class Mesh : IDisposable
    {
        public const int Sides = 6;

        /// <summary>Numbers in a cache line.</summary>
        public const int Line = 64 / sizeof(double);

        private readonly bool[] boundary;

        /// <param name="ranks">All ranks.</param>
        /// <param name="edge">The points of the cube along each axis.</param>
        public Mesh(Intracommunicator ranks, long edge)
        {
            var dimensions = new int[3];
            CartesianCommunicator.ComputeDimensions(ranks.Size, ref dimensions);
            Ranks = CartesianCommunicator.Create(ranks, dimensions, new bool[3]);
            int[] before = Ranks.Coordinates;
            for (int axis = 0; axis < 3; axis++)
            {
                // Of the points that are left over, each of the first ranks has one.
                long each = edge / dimensions[axis], more = edge % dimensions[axis];
                Points[axis] = each + (before[axis] < more ? 1 : 0);
                Start[axis] = each * before[axis] + Math.Min(before[axis], more);
                Ranks.Shift(axis, 1, out Neighbor[2 * axis], out Neighbor[2 * axis + 1]);
            }
            boundary = Array.ConvertAll(Neighbor, rank => rank == Communicator.NullRank);
            Row = (Points[2] + 2 + Line - 1) / Line * Line; // so that all rows lie alike in cache lines
            Plane = (Points[1] + 2) * Row;
            Size = (Points[0] + 2) * Plane;
        }

        public CartesianCommunicator Ranks { get; }

        /// <summary>Beside side 2 a, the lower one of axis a, and side 2 a + 1, the upper one.</summary>
        public int[] Neighbor { get; } = new int[Sides];

        /// <summary>This rank's points along each axis. In memory 0 and n + 1 are ghost layers.</summary>
        public long[] Points { get; } = new long[3];

        /// <summary>Where they begin in the cube.</summary>
        public long[] Start { get; } = new long[3];

        /// <summary>From one row to the next, in elements.</summary>
        public long Row { get; }

        /// <summary>From one plane to the next.</summary>
        public long Plane { get; }

        /// <summary>Elements of a block with its ghost layers.</summary>
        public long Size { get; }

        /// <summary>Whether a side is at the boundary of the cube.</summary>
        public bool IsBoundary(int side) => boundary[side];

        /// <summary>Where a point of a block is.</summary>
        public double* At(double* block, long i, long j, long k) => block + i * Plane + j * Row + k;

        /// <summary>Whether something is so on all ranks.</summary>
        public bool Everywhere(bool here) => Ranks.Allreduce(here, Operation<bool>.LogicalAnd);

        public void Dispose() => Ranks.Dispose();
    }
}
