using System;
using System.Collections.Generic;

namespace MPI
{
    /// <content>Collective calls on arrays of strings and objects that go side by side: each rank's part is one object.</content>
    internal abstract unsafe partial class VariableCodec<T>
    {
        internal override T[] ScanEach(Communicator comm, T[] values, ReductionOperation<T> operation) =>
            FoldEach(Codec<T[]>.Default.Allgather(comm, values), comm.Rank + 1, operation);

        internal override T[] ExclusiveScanEach(
            Communicator comm, T[] values, ReductionOperation<T> operation)
        {
            T[][] all = Codec<T[]>.Default.Allgather(comm, values);
            return comm.Rank == 0 ? null : FoldEach(all, comm.Rank, operation);
        }

        internal override T[] ReduceScatter(
            Communicator comm, T[] values, ReductionOperation<T> operation, int[] counts)
        {
            Counts.CheckRanks(counts, comm.Size, nameof(counts));
            return comm is Intercommunicator
                ? Part(AllreduceEach(comm, values, operation), Counts.Places(counts, out int _)[comm.Rank], counts[comm.Rank])
                : ScatterFromFlattened(comm, ReduceEach(comm, values, operation, 0), counts, 0);
        }

        internal override T[] GatherFlattened(Communicator comm, T[] values, int count, int root) =>
            GatherFlattened(comm, Constants.IsRank(root) ? Part(values, 0, count) : values, null, root);

        internal override T[] GatherFlattened(Communicator comm, T[] values, int[] counts, int root) =>
            Joined(Codec<T[]>.Default.Gather(
                comm, Constants.IsRank(root) ? Part(values, 0, comm.CountHere(values, counts)) : null, root));

        internal override T[] AllgatherFlattened(Communicator comm, T[] values, int count) =>
            AllgatherFlattened(comm, values, Counts.Equal(comm.Peers, count));

        internal override T[] AllgatherFlattened(Communicator comm, T[] values, int[] counts)
        {
            Counts.CheckRanks(counts, comm.Peers, nameof(counts));
            return Joined(Codec<T[]>.Default.Allgather(comm, Part(values, 0, comm.CountHere(values, counts))));
        }

        internal override T[] ScatterFromFlattened(Communicator comm, T[] values, int count, int root) =>
            ScatterFromFlattened(comm, values, Counts.Equal(comm.Peers, count), root);

        internal override T[] ScatterFromFlattened(Communicator comm, T[] values, int[] counts, int root) =>
            Codec<T[]>.Default.Scatter(comm, comm.IsRoot(root) ? Parts(comm, values, counts) : null, root);

        internal override T[] AlltoallFlattened(Communicator comm, T[] values, int count) =>
            AlltoallFlattened(comm, values, Counts.Equal(comm.Peers, count), null);

        internal override T[] AlltoallFlattened(
            Communicator comm, T[] values, int[] sendCounts, int[] receiveCounts) =>
            Joined(Codec<T[]>.Default.Alltoall(comm, Parts(comm, values, sendCounts)));

        private static T[] FoldEach(T[][] all, int count, ReductionOperation<T> operation)
        {
            var result = new T[all[0].Length];
            for (int i = 0; i < result.Length; i++)
            {
                result[i] = Fold(Array.ConvertAll(all, one => one[i]), count, operation);
            }
            return result;
        }

        private static T[][] Parts(Communicator comm, T[] values, int[] counts)
        {
            Counts.CheckRanks(counts, comm.Peers, nameof(counts));
            int[] places = Counts.Places(counts, out int _);
            var parts = new T[counts.Length][];
            for (int i = 0; i < parts.Length; i++)
            {
                parts[i] = Part(values, places[i], counts[i]);
            }
            return parts;
        }

        private static T[] Joined(T[][] parts)
        {
            if (parts == null)
            {
                return null;
            }
            var all = new List<T>();
            Array.ForEach(parts, all.AddRange);
            return all.ToArray();
        }
    }
}
