using System;

namespace MPI
{
    /// <summary>Which ranks get what of a reduction.</summary>
    internal enum Combination
    {
        Reduce,
        Allreduce,
        Scan,
        ExclusiveScan,
    }

    /// <content>Collective calls on numbers and structs: one call of MPI each.</content>
    internal sealed unsafe partial class PlainCodec<T>
    {
        internal override void Broadcast(Communicator comm, ref T value, int root)
        {
            fixed (byte* bytes = &Plain<T>.Bytes(ref value))
            {
                Errors.Check(Native.Bcast(bytes, 1, Datatype, root, comm.Handle));
            }
        }

        internal override T[] Gather(Communicator comm, T value, int root)
        {
            T[] all = comm.IsRoot(root) ? new T[comm.Peers] : null;
            fixed (byte* outgoing = &Plain<T>.Bytes(ref value))
            fixed (byte* incoming = &Plain<T>.Bytes(all))
            {
                Errors.Check(Native.Gather(outgoing, incoming, 1, Datatype, root, comm.Handle));
            }
            return all;
        }

        internal override T[] Allgather(Communicator comm, T value)
        {
            var all = new T[comm.Peers];
            fixed (byte* outgoing = &Plain<T>.Bytes(ref value))
            fixed (byte* incoming = &Plain<T>.Bytes(all))
            {
                Errors.Check(Native.Allgather(outgoing, incoming, 1, Datatype, comm.Handle));
            }
            return all;
        }

        internal override T Scatter(Communicator comm, T[] values, int root)
        {
            T mine = default(T);
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(ref mine))
            {
                Errors.Check(Native.Scatter(outgoing, incoming, 1, Datatype, root, comm.Handle));
            }
            return mine;
        }

        internal override T[] Alltoall(Communicator comm, T[] values)
        {
            var all = new T[values.Length];
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(all))
            {
                Errors.Check(Native.Alltoall(outgoing, incoming, 1, Datatype, comm.Handle));
            }
            return all;
        }

        internal override T Reduce(Communicator comm, T value, ReductionOperation<T> operation, int root) =>
            Combine(comm, Combination.Reduce, value, operation, root);

        internal override T Allreduce(Communicator comm, T value, ReductionOperation<T> operation) =>
            Combine(comm, Combination.Allreduce, value, operation);

        internal override T Scan(Communicator comm, T value, ReductionOperation<T> operation) =>
            Combine(comm, Combination.Scan, value, operation);

        internal override T ExclusiveScan(Communicator comm, T value, ReductionOperation<T> operation)
        {
            T result = Combine(comm, Combination.ExclusiveScan, value, operation);
            return comm.Rank == 0 ? default(T) : result;
        }

        internal override T[] ReduceEach(Communicator comm, T[] values, ReductionOperation<T> operation, int root)
        {
            T[] result = comm.IsRoot(root)
                ? new T[(values ?? throw new ArgumentNullException(nameof(values))).Length]
                : null;
            comm.Reduce<T>(values, result, operation, root);
            return result;
        }

        internal override T[] AllreduceEach(Communicator comm, T[] values, ReductionOperation<T> operation) =>
            CombineEach(comm, Combination.Allreduce, values, operation);

        internal override T[] ScanEach(Communicator comm, T[] values, ReductionOperation<T> operation) =>
            CombineEach(comm, Combination.Scan, values, operation);

        internal override T[] ExclusiveScanEach(Communicator comm, T[] values, ReductionOperation<T> operation)
        {
            T[] result = CombineEach(comm, Combination.ExclusiveScan, values, operation);
            return comm.Rank == 0 ? null : result;
        }

        private static T Combine(
            Communicator comm, Combination how, T value, ReductionOperation<T> operation, int root = 0)
        {
            T result = default(T);
            Combine(comm, how, ref Plain<T>.Bytes(ref value), ref Plain<T>.Bytes(ref result), 1, operation, root);
            return result;
        }

        private static T[] CombineEach(
            Communicator comm, Combination how, T[] values, ReductionOperation<T> operation)
        {
            var result = new T[values.Length];
            Combine(comm, how, ref Plain<T>.Bytes(values), ref Plain<T>.Bytes(result), values.Length, operation, 0);
            return result;
        }

        internal static void Combine(
            Communicator comm, Combination how, ref byte values, ref byte result, int count,
            ReductionOperation<T> operation, int root)
        {
            using (var combining = new Combining<T>(operation))
            {
                fixed (byte* outgoing = &values)
                fixed (byte* incoming = &result)
                {
                    Errors.Check(Call(how, outgoing, incoming, count, combining.Op, root, comm.Handle));
                }
            }
        }

        private static int Call(
            Combination how, byte* outgoing, byte* incoming, int count, IntPtr op, int root, IntPtr comm)
        {
            switch (how)
            {
                case Combination.Allreduce:
                    return Native.Allreduce(outgoing, incoming, count, Plain<T>.Datatype, op, comm);
                case Combination.Reduce:
                    return Native.Reduce(outgoing, incoming, count, Plain<T>.Datatype, op, root, comm);
                case Combination.Scan:
                    return Native.Scan(outgoing, incoming, count, Plain<T>.Datatype, op, comm);
                default:
                    return Native.Exscan(outgoing, incoming, count, Plain<T>.Datatype, op, comm);
            }
        }
    }
}
