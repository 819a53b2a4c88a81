using System;

namespace MPI
{
    /// <content>Collective calls on many elements of each rank, side by side in one array or in memory of the caller.</content>
    public abstract unsafe partial class Communicator
    {
        /// <summary>Gives memory of the root to all ranks.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">On the root what it gives, elsewhere where it goes; of the same length on all ranks.</param>
        /// <param name="root">The rank that gives it.</param>
        public void Broadcast<T>(Span<T> values, int root) where T : struct
        {
            CheckRoot(root);
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Bcast(bytes, values.Length, Plain<T>.Datatype, root, Handle));
            }
        }

        /// <summary>Combines memory of all ranks, element by element, on the root.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What this rank gives; of the same length on all ranks.</param>
        /// <param name="result">On the root where the result goes; elsewhere it does not matter.</param>
        /// <param name="operation">One of <see cref="Operation{T}"/>, or any associative function of two elements.</param>
        /// <param name="root">The rank that gets the result.</param>
        public void Reduce<T>(ReadOnlySpan<T> values, Span<T> result, ReductionOperation<T> operation, int root)
            where T : struct
        {
            CheckRoot(root);
            if (IsRoot(root))
            {
                Counts.CheckLength(result.Length, values.Length, nameof(result));
            }
            PlainCodec<T>.Combine(this, Combination.Reduce, ref Plain<T>.Bytes(values), ref Plain<T>.Bytes(result),
                values.Length, operation, root);
        }

        /// <summary>Combines memory of all ranks, element by element, on all ranks.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What this rank gives; of the same length on all ranks.</param>
        /// <param name="result">Where the result goes.</param>
        /// <param name="operation">One of <see cref="Operation{T}"/>, or any associative function of two elements.</param>
        public void Allreduce<T>(ReadOnlySpan<T> values, Span<T> result, ReductionOperation<T> operation)
            where T : struct
        {
            Counts.CheckLength(result.Length, values.Length, nameof(result));
            PlainCodec<T>.Combine(this, Combination.Allreduce, ref Plain<T>.Bytes(values), ref Plain<T>.Bytes(result),
                values.Length, operation, 0);
        }

        /// <summary>Combines arrays of all ranks, element by element, and gives each rank a part of the result.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What this rank gives; all have the same length.</param>
        /// <param name="operation">One of <see cref="Operation{T}"/>, or any associative function of two elements.</param>
        /// <param name="counts">How many elements each rank gets, the same on all ranks.</param>
        public T[] ReduceScatter<T>(T[] values, ReductionOperation<T> operation, int[] counts) =>
            Codec<T>.Default.ReduceScatter(this, values, operation, counts);

        /// <summary>Collects as many elements of each rank on the root.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What this rank gives; of the same length on all ranks.</param>
        /// <param name="gathered">On the root where all go, in the order of the ranks; elsewhere it does not matter.</param>
        /// <param name="root">The rank that gets all.</param>
        public void Gather<T>(ReadOnlySpan<T> values, Span<T> gathered, int root) where T : struct
        {
            CheckRoot(root);
            if (IsRoot(root))
            {
                Counts.CheckLength(gathered.Length, (long)values.Length * Peers, nameof(gathered));
            }
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(gathered))
            {
                Errors.Check(
                    Native.Gather(outgoing, incoming, values.Length, Plain<T>.Datatype, root, Handle));
            }
        }

        /// <summary>Collects as many elements of each rank on the root.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What this rank gives.</param>
        /// <param name="count">How many elements each rank gives.</param>
        /// <param name="root">The rank that gets all.</param>
        /// <returns>The elements in the order of the ranks on the root, else null.</returns>
        public T[] GatherFlattened<T>(T[] values, int count, int root)
        {
            CheckRoot(root);
            return Codec<T>.Default.GatherFlattened(this, values, count, root);
        }

        /// <summary>Collects elements of each rank on the root.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">What this rank gives.</param>
        /// <param name="counts">How many elements each rank gives; only the root needs them.</param>
        /// <param name="root">The rank that gets all.</param>
        /// <returns>The elements in the order of the ranks on the root, else null.</returns>
        public T[] GatherFlattened<T>(T[] values, int[] counts, int root)
        {
            CheckRoot(root);
            return Codec<T>.Default.GatherFlattened(this, values, counts, root);
        }

        /// <summary>Collects as many elements of each rank on all ranks.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What this rank gives; of the same length on all ranks.</param>
        /// <param name="gathered">Where all go, in the order of the ranks.</param>
        public void Allgather<T>(ReadOnlySpan<T> values, Span<T> gathered) where T : struct
        {
            Counts.CheckLength(gathered.Length, (long)values.Length * Peers, nameof(gathered));
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(gathered))
            {
                Errors.Check(Native.Allgather(outgoing, incoming, values.Length, Plain<T>.Datatype, Handle));
            }
        }

        /// <summary>Collects as many elements of each rank on all ranks.</summary>
        /// <inheritdoc cref="GatherFlattened{T}(T[], int, int)" path="/param|/typeparam"/>
        public T[] AllgatherFlattened<T>(T[] values, int count) =>
            Codec<T>.Default.AllgatherFlattened(this, values, count);

        /// <summary>Collects elements of each rank on all ranks.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What this rank gives.</param>
        /// <param name="counts">How many elements each rank gives, the same on all ranks.</param>
        public T[] AllgatherFlattened<T>(T[] values, int[] counts) =>
            Codec<T>.Default.AllgatherFlattened(this, values, counts);

        /// <summary>Gives each rank as many elements of the root.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">On the root all elements, in the order of the ranks; elsewhere it does not matter.</param>
        /// <param name="mine">Where those of this rank go; of the same length on all ranks.</param>
        /// <param name="root">The rank that gives them.</param>
        public void Scatter<T>(ReadOnlySpan<T> values, Span<T> mine, int root) where T : struct
        {
            CheckRoot(root);
            if (IsRoot(root))
            {
                Counts.CheckLength(values.Length, (long)mine.Length * Peers, nameof(values));
            }
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(mine))
            {
                Errors.Check(Native.Scatter(outgoing, incoming, mine.Length, Plain<T>.Datatype, root, Handle));
            }
        }

        /// <summary>Gives each rank as many elements of the root.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">On the root all elements, in the order of the ranks; elsewhere null.</param>
        /// <param name="count">How many elements each rank gets.</param>
        /// <param name="root">The rank that gives them.</param>
        public T[] ScatterFromFlattened<T>(T[] values, int count, int root)
        {
            CheckRoot(root);
            return Codec<T>.Default.ScatterFromFlattened(this, values, count, root);
        }

        /// <summary>Gives each rank elements of the root.</summary>
        /// <inheritdoc cref="ScatterFromFlattened{T}(T[], int, int)" path="/param|/typeparam"/>
        /// <param name="counts">How many elements each rank gets, the same on all ranks.</param>
        public T[] ScatterFromFlattened<T>(T[] values, int[] counts, int root)
        {
            CheckRoot(root);
            return Codec<T>.Default.ScatterFromFlattened(this, values, counts, root);
        }

        /// <summary>Gives as many elements to each rank, and gets as many of each.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What goes to the ranks, in their order.</param>
        /// <param name="received">What comes from the ranks, in their order; of the same length.</param>
        public void Alltoall<T>(ReadOnlySpan<T> values, Span<T> received) where T : struct
        {
            if (values.Length % Peers != 0)
            {
                throw new ArgumentException(
                    values.Length + " elements cannot be shared among " + Peers + " ranks.", nameof(values));
            }
            Counts.CheckLength(received.Length, values.Length, nameof(received));
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(received))
            {
                Errors.Check(Native.Alltoall(outgoing, incoming, values.Length / Peers, Plain<T>.Datatype, Handle));
            }
        }

        /// <summary>Gives as many elements to each rank, and gets as many of each.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What goes to the ranks, in their order.</param>
        /// <param name="count">How many elements each rank gets.</param>
        public T[] AlltoallFlattened<T>(T[] values, int count) =>
            Codec<T>.Default.AlltoallFlattened(this, values, count);

        /// <summary>Gives elements to each rank, and gets some of each.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What goes to the ranks, in their order.</param>
        /// <param name="sendCounts">How many elements each rank gets.</param>
        /// <param name="receiveCounts">How many elements come from each rank.</param>
        public T[] AlltoallFlattened<T>(T[] values, int[] sendCounts, int[] receiveCounts) =>
            Codec<T>.Default.AlltoallFlattened(this, values, sendCounts, receiveCounts);
    }
}
