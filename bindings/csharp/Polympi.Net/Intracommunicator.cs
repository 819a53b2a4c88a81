using System;
using System.ComponentModel;

namespace MPI
{
    /// <summary>Ranks that send messages to each other, and make collective calls together.</summary>
    public partial class Intracommunicator : Communicator
    {
        internal Intracommunicator(IntPtr handle, bool predefined = false) : base(handle, predefined)
        {
        }

        /// <summary>Makes a communicator of the same ranks, whose messages do not meet those of this one.</summary>
        public Intracommunicator Clone()
        {
            Errors.Check(Native.CommDup(Handle, out IntPtr made));
            var clone = new Intracommunicator(made);
            Attributes.CopyTo(clone.Attributes);
            return clone;
        }

        /// <summary>Makes a communicator of the ranks that give the same color; null for a negative color.</summary>
        /// <param name="color">Which communicator this rank goes to; negative: none.</param>
        /// <param name="key">Ranks are in the order of their keys.</param>
        public Intracommunicator Split(int color, int key = 0)
        {
            Errors.Check(Native.CommSplit(Handle, color < 0 ? Constants.Undefined : color, key, out IntPtr made));
            return OrNull(made);
        }

        /// <summary>Makes a communicator of the ranks on this machine.</summary>
        public Intracommunicator SplitByMachine()
        {
            Errors.Check(Native.CommSplitShared(Handle, Rank, out IntPtr made));
            return OrNull(made);
        }

        /// <summary>Makes a communicator of the ranks of a group; null on other ranks.</summary>
        /// <param name="group">The same group on all ranks.</param>
        public Intracommunicator Create(Group group)
        {
            Errors.Check(Native.CommCreate(Handle, group.MpiHandle, out IntPtr made));
            return OrNull(made);
        }

        private static Intracommunicator OrNull(IntPtr made) =>
            made == Constants.CommNull ? null : new Intracommunicator(made);

        /// <summary>Combines the values of the ranks up to this one.</summary>
        /// <typeparam name="T">The type of the values.</typeparam>
        /// <param name="value">What this rank gives.</param>
        /// <param name="operation">One of <see cref="Operation{T}"/>, or any associative function.</param>
        public T Scan<T>(T value, ReductionOperation<T> operation) => Codec<T>.Default.Scan(this, value, operation);

        /// <summary>Combines the values of the ranks before this one.</summary>
        /// <inheritdoc cref="Scan{T}(T, ReductionOperation{T})" path="/param|/typeparam"/>
        /// <returns>The result; default on rank 0.</returns>
        public T ExclusiveScan<T>(T value, ReductionOperation<T> operation) =>
            Codec<T>.Default.ExclusiveScan(this, value, operation);

        /// <summary>Combines the elements of arrays of all ranks up to this one, each by itself.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">The array, of the same length on all ranks.</param>
        /// <param name="operation">How two elements are combined.</param>
        public T[] Scan<T>(T[] values, ReductionOperation<T> operation) =>
            Codec<T>.Default.ScanEach(this, values, operation);

        /// <summary>Combines the elements of arrays of all ranks before this one, each by itself.</summary>
        /// <inheritdoc cref="Scan{T}(T[], ReductionOperation{T})" path="/param|/typeparam"/>
        /// <returns>The result; null on rank 0.</returns>
        public T[] ExclusiveScan<T>(T[] values, ReductionOperation<T> operation) =>
            Codec<T>.Default.ExclusiveScanEach(this, values, operation);

        /// <summary>Scan with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void Scan<T>(T[] values, ReductionOperation<T> operation, ref T[] result) =>
            Into(ref result, Scan(values, operation));

        /// <summary>ExclusiveScan with its result by reference.</summary>
        [EditorBrowsable(EditorBrowsableState.Never)]
        public void ExclusiveScan<T>(T[] values, ReductionOperation<T> operation, ref T[] result) =>
            Into(ref result, ExclusiveScan(values, operation));
    }
}
