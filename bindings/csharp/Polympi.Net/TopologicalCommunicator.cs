using System;

namespace MPI
{
    /// <summary>Ranks that have neighbours.</summary>
    public abstract class TopologicalCommunicator : Intracommunicator
    {
        internal TopologicalCommunicator(IntPtr handle) : base(handle)
        {
        }

        /// <summary>How many edges lie between all ranks.</summary>
        public abstract int NumEdges { get; }

        /// <summary>The neighbours of this rank.</summary>
        public int[] Neighbors => NeighborsOf(Rank);

        /// <summary>The neighbours of a rank.</summary>
        /// <param name="rank">The rank.</param>
        public abstract int[] NeighborsOf(int rank);
    }
}
