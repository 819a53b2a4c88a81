using System.ComponentModel;

namespace MPI
{
    /// <content>Collective calls as programs of MPI.NET make them on each side.</content>
    public sealed partial class Intercommunicator
    {
        /// <summary>Takes part in a scatter whose root is on this side.</summary>
        /// <typeparam name="T">The type of the values.</typeparam>
        public void Scatter<T>() => Scatter<T>(null, Null);

        /// <summary>Collects elements of the ranks of the other side; called on the root.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="counts">How many elements each rank gives.</param>
        public T[] GatherFlattened<T>(int[] counts) => GatherFlattened<T>(null, counts, Root);

        /// <inheritdoc cref="GatherFlattened{T}(int[])"/>
        public T[] GatherFlattened<T>(int count) => GatherFlattened<T>(null, count, Root);

        /// <summary>Takes part in a gather whose root is on this side.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        public void GatherFlattened<T>() => GatherFlattened<T>(null, null, Null);

        /// <inheritdoc cref="GatherFlattened{T}(int[])"/>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void GatherFlattened<T>(int[] counts, ref T[] result) => Into(ref result, GatherFlattened<T>(counts));

        /// <inheritdoc cref="GatherFlattened{T}(int[])"/>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void GatherFlattened<T>(int count, ref T[] result) => Into(ref result, GatherFlattened<T>(count));

        /// <summary>Gives each rank of the other side its elements; called on the root.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">All elements, in the order of the ranks.</param>
        /// <param name="counts">How many elements each rank gets.</param>
        public void ScatterFromFlattened<T>(T[] values, int[] counts) => ScatterFromFlattened(values, counts, Root);

        /// <inheritdoc cref="ScatterFromFlattened{T}(T[], int[])"/>
        public void ScatterFromFlattened<T>(T[] values, int count) => ScatterFromFlattened(values, count, Root);

        /// <summary>Takes part in a scatter whose root is on this side.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        public void ScatterFromFlattened<T>() => ScatterFromFlattened<T>(null, null, Null);

        /// <summary>Gets elements of a root on the other side.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void ScatterFromFlattened<T>(int[] counts, int root, ref T[] result) =>
            ScatterFromFlattened(null, counts, root, ref result);

        /// <inheritdoc cref="ScatterFromFlattened{T}(int[], int, ref T[])"/>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void ScatterFromFlattened<T>(int count, int root, ref T[] result) =>
            ScatterFromFlattened(null, count, root, ref result);
    }
}
