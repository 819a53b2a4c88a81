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
    }
}
