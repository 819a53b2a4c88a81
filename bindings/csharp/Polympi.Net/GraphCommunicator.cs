using System;

namespace MPI
{
    /// <summary>Ranks that are the nodes of a graph.</summary>
    public sealed class GraphCommunicator : TopologicalCommunicator
    {
        private readonly int[][] edges;

        /// <summary>Makes ranks the nodes of a graph.</summary>
        /// <param name="ranks">The ranks, as many as the graph has nodes.</param>
        /// <param name="edges">The neighbours of each node, the same on all ranks.</param>
        /// <param name="reorder">Whether MPI may give the processes other ranks.</param>
        public GraphCommunicator(Intracommunicator ranks, int[][] edges, bool reorder)
            : base(Make(ranks, edges, reorder))
        {
            this.edges = Copy(edges);
        }

        /// <summary>The neighbours of each node.</summary>
        public int[][] Edges => Copy(edges);

        /// <inheritdoc/>
        public override int NumEdges
        {
            get
            {
                int count = 0;
                Array.ForEach(edges, one => count += one.Length);
                return count;
            }
        }

        /// <inheritdoc/>
        public override int[] NeighborsOf(int rank) => (int[])edges[rank].Clone();

        private static int[][] Copy(int[][] edges) => Array.ConvertAll(edges, one => (int[])one.Clone());

        private static IntPtr Make(Intracommunicator ranks, int[][] edges, bool reorder)
        {
            Counts.CheckRanks(edges, ranks.Size, nameof(edges));
            int[] ends = Array.ConvertAll(edges, one => one.Length);
            for (int i = 1; i < ends.Length; i++)
            {
                ends[i] += ends[i - 1];
            }
            var all = new int[ends[ends.Length - 1] + 1]; // not empty, so that it has an address
            for (int i = 0; i < edges.Length; i++)
            {
                edges[i].CopyTo(all, ends[i] - edges[i].Length);
            }
            Errors.Check(Native.GraphCreate(ranks.Handle, edges.Length, ends, all, reorder ? 1 : 0, out IntPtr made));
            return made;
        }
    }
}
