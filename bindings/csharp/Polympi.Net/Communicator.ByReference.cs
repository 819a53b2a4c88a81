using System;
using System.ComponentModel;

namespace MPI
{
    /// <content>
    /// Collective calls as programs of MPI.NET make them: the result goes into an array of the caller's if it is long
    /// enough, else it is a new one. A rank that gets no result keeps what it has.
    /// </content>
    public abstract partial class Communicator
    {
        /// <summary>Collects as many elements of each rank on the root.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">What this rank gives.</param>
        /// <param name="root">The rank that gets all.</param>
        /// <returns>The elements in the order of the ranks on the root, else null.</returns>
        public T[] GatherFlattened<T>(T[] values, int root) => GatherFlattened(values, values.Length, root);

        /// <summary>Allgather with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void Allgather<T>(T value, ref T[] result) => Into(ref result, Allgather(value));

        /// <summary>AllgatherFlattened with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void AllgatherFlattened<T>(T[] values, int count, ref T[] result) =>
            Into(ref result, AllgatherFlattened(values, count));

        /// <summary>AllgatherFlattened with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void AllgatherFlattened<T>(T[] values, int[] counts, ref T[] result) =>
            Into(ref result, AllgatherFlattened(values, counts));

        /// <summary>Allreduce with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void Allreduce<T>(T[] values, ReductionOperation<T> operation, ref T[] result) =>
            Into(ref result, Allreduce(values, operation));

        /// <summary>Alltoall with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void Alltoall<T>(T[] values, ref T[] result) => Into(ref result, Alltoall(values));

        /// <summary>AlltoallFlattened with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void AlltoallFlattened<T>(T[] values, int count, ref T[] result) =>
            Into(ref result, AlltoallFlattened(values, count));

        /// <summary>AlltoallFlattened with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void AlltoallFlattened<T>(T[] values, int[] sendCounts, int[] receiveCounts, ref T[] result) =>
            Into(ref result, AlltoallFlattened(values, sendCounts, receiveCounts));

        /// <summary>Gather with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void Gather<T>(T value, int root, ref T[] result) => Into(ref result, Gather(value, root));

        /// <summary>GatherFlattened with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void GatherFlattened<T>(T[] values, int root, ref T[] result) =>
            Into(ref result, GatherFlattened(values, root));

        /// <summary>GatherFlattened with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void GatherFlattened<T>(T[] values, int[] counts, int root, ref T[] result) =>
            Into(ref result, GatherFlattened(values, counts, root));

        /// <summary>Reduce with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void Reduce<T>(T[] values, ReductionOperation<T> operation, int root, ref T[] result)
        {
            // The root of an intercommunicator gives nothing: what it has says how many elements come.
            bool gives = !(this is Intercommunicator && IsRoot(root));
            Into(ref result, Reduce(gives ? values : values ?? result, operation, root));
        }

        /// <summary>ReduceScatter with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void ReduceScatter<T>(T[] values, ReductionOperation<T> operation, int[] counts, ref T[] result) =>
            Into(ref result, ReduceScatter(values, operation, counts));

        /// <summary>ScatterFromFlattened with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void ScatterFromFlattened<T>(T[] values, int count, int root, ref T[] result) =>
            Into(ref result, ScatterFromFlattened(values, count, root));

        /// <summary>ScatterFromFlattened with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void ScatterFromFlattened<T>(T[] values, int[] counts, int root, ref T[] result) =>
            Into(ref result, ScatterFromFlattened(values, counts, root));

        internal static void Into<T>(ref T[] target, T[] result)
        {
            if (result == null)
            {
                return;
            }
            if (target == null || target.Length < result.Length)
            {
                target = result;
                return;
            }
            Array.Copy(result, target, result.Length);
        }
    }
}
