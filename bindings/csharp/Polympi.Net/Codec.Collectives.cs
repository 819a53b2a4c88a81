namespace MPI
{
    /// <content>What a collective call does with one value of each rank.</content>
    internal abstract partial class Codec<T>
    {
        internal abstract void Broadcast(Communicator comm, ref T value, int root);

        /// <summary>All values by rank on the root, else null.</summary>
        internal abstract T[] Gather(Communicator comm, T value, int root);

        internal abstract T[] Allgather(Communicator comm, T value);

        internal abstract T Scatter(Communicator comm, T[] values, int root);

        internal abstract T[] Alltoall(Communicator comm, T[] values);

        internal abstract T Reduce(Communicator comm, T value, ReductionOperation<T> operation, int root);

        internal abstract T Allreduce(Communicator comm, T value, ReductionOperation<T> operation);

        internal abstract T Scan(Communicator comm, T value, ReductionOperation<T> operation);

        internal abstract T ExclusiveScan(Communicator comm, T value, ReductionOperation<T> operation);

        // Element by element.

        internal abstract T[] ReduceEach(Communicator comm, T[] values, ReductionOperation<T> operation, int root);

        internal abstract T[] AllreduceEach(Communicator comm, T[] values, ReductionOperation<T> operation);

        // What a collective call does with arrays that go side by side.

        internal abstract T[] ScanEach(Communicator comm, T[] values, ReductionOperation<T> operation);

        /// <summary>Null on rank 0.</summary>
        internal abstract T[] ExclusiveScanEach(Communicator comm, T[] values, ReductionOperation<T> operation);

        internal abstract T[] ReduceScatter(
            Communicator comm, T[] values, ReductionOperation<T> operation, int[] counts);

        internal abstract T[] GatherFlattened(
            Communicator comm, T[] values, int count, int root);

        internal abstract T[] GatherFlattened(
            Communicator comm, T[] values, int[] counts, int root);

        internal abstract T[] AllgatherFlattened(
            Communicator comm, T[] values, int count);

        internal abstract T[] AllgatherFlattened(
            Communicator comm, T[] values, int[] counts);

        internal abstract T[] ScatterFromFlattened(
            Communicator comm, T[] values, int count, int root);

        internal abstract T[] ScatterFromFlattened(
            Communicator comm, T[] values, int[] counts, int root);

        internal abstract T[] AlltoallFlattened(
            Communicator comm, T[] values, int count);

        internal abstract T[] AlltoallFlattened(
            Communicator comm, T[] values, int[] sendCounts, int[] receiveCounts);
    }
}
