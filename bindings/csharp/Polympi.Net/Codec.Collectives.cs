namespace MPI
{
    /// <content>What a collective call does with one value of each rank.</content>
    internal abstract partial class Codec<T>
    {
        internal abstract void Broadcast(Intracommunicator comm, ref T value, int root);

        /// <summary>All values by rank on the root, else null.</summary>
        internal abstract T[] Gather(Intracommunicator comm, T value, int root);

        internal abstract T[] Allgather(Intracommunicator comm, T value);

        internal abstract T Scatter(Intracommunicator comm, T[] values, int root);

        internal abstract T[] Alltoall(Intracommunicator comm, T[] values);

        internal abstract T Reduce(Intracommunicator comm, T value, ReductionOperation<T> operation, int root);

        internal abstract T Allreduce(Intracommunicator comm, T value, ReductionOperation<T> operation);

        internal abstract T Scan(Intracommunicator comm, T value, ReductionOperation<T> operation);

        internal abstract T ExclusiveScan(Intracommunicator comm, T value, ReductionOperation<T> operation);

        // Element by element.

        internal abstract T[] ReduceEach(Intracommunicator comm, T[] values, ReductionOperation<T> operation, int root);

        internal abstract T[] AllreduceEach(Intracommunicator comm, T[] values, ReductionOperation<T> operation);

        // What a collective call does with arrays that go side by side.

        internal abstract T[] ScanEach(Intracommunicator comm, T[] values, ReductionOperation<T> operation);

        /// <summary>Null on rank 0.</summary>
        internal abstract T[] ExclusiveScanEach(Intracommunicator comm, T[] values, ReductionOperation<T> operation);

        internal abstract T[] ReduceScatter(
            Intracommunicator comm, T[] values, ReductionOperation<T> operation, int[] counts);

        internal abstract T[] GatherFlattened(
            Intracommunicator comm, T[] values, int count, int root);

        internal abstract T[] GatherFlattened(
            Intracommunicator comm, T[] values, int[] counts, int root);

        internal abstract T[] AllgatherFlattened(
            Intracommunicator comm, T[] values, int count);

        internal abstract T[] AllgatherFlattened(
            Intracommunicator comm, T[] values, int[] counts);

        internal abstract T[] ScatterFromFlattened(
            Intracommunicator comm, T[] values, int count, int root);

        internal abstract T[] ScatterFromFlattened(
            Intracommunicator comm, T[] values, int[] counts, int root);

        internal abstract T[] AlltoallFlattened(
            Intracommunicator comm, T[] values, int count);

        internal abstract T[] AlltoallFlattened(
            Intracommunicator comm, T[] values, int[] sendCounts, int[] receiveCounts);
    }
}
