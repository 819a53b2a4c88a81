using System;

namespace MPI
{
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

        internal override T Reduce(Communicator comm, T value, ReductionOperation<T> operation, int root)
        {
            T result = default(T);
            using (var combining = new Combining<T>(operation))
            {
                fixed (byte* outgoing = &Plain<T>.Bytes(ref value))
                fixed (byte* incoming = &Plain<T>.Bytes(ref result))
                {
                    Errors.Check(
                        Native.Reduce(outgoing, incoming, 1, Datatype, combining.Op, root, comm.Handle));
                }
            }
            return result;
        }

        internal override T Allreduce(Communicator comm, T value, ReductionOperation<T> operation)
        {
            T result = default(T);
            using (var combining = new Combining<T>(operation))
            {
                fixed (byte* outgoing = &Plain<T>.Bytes(ref value))
                fixed (byte* incoming = &Plain<T>.Bytes(ref result))
                {
                    Errors.Check(Native.Allreduce(outgoing, incoming, 1, Datatype, combining.Op, comm.Handle));
                }
            }
            return result;
        }

        internal override T Scan(Communicator comm, T value, ReductionOperation<T> operation)
        {
            T result = default(T);
            using (var combining = new Combining<T>(operation))
            {
                fixed (byte* outgoing = &Plain<T>.Bytes(ref value))
                fixed (byte* incoming = &Plain<T>.Bytes(ref result))
                {
                    Errors.Check(Native.Scan(outgoing, incoming, 1, Datatype, combining.Op, comm.Handle));
                }
            }
            return result;
        }

        internal override T ExclusiveScan(Communicator comm, T value, ReductionOperation<T> operation)
        {
            T result = default(T);
            using (var combining = new Combining<T>(operation))
            {
                fixed (byte* outgoing = &Plain<T>.Bytes(ref value))
                fixed (byte* incoming = &Plain<T>.Bytes(ref result))
                {
                    Errors.Check(Native.Exscan(outgoing, incoming, 1, Datatype, combining.Op, comm.Handle));
                }
            }
            return comm.Rank == 0 ? default(T) : result;
        }

        internal override T[] ReduceEach(
            Communicator comm, T[] values, ReductionOperation<T> operation, int root)
        {
            T[] result = comm.IsRoot(root)
                ? new T[(values ?? throw new ArgumentNullException(nameof(values))).Length]
                : null;
            comm.Reduce<T>(values, result, operation, root);
            return result;
        }

        internal override T[] AllreduceEach(Communicator comm, T[] values, ReductionOperation<T> operation)
        {
            var result = new T[values.Length];
            comm.Allreduce<T>(values, result, operation);
            return result;
        }

        internal override T[] ScanEach(Communicator comm, T[] values, ReductionOperation<T> operation)
        {
            var result = new T[values.Length];
            using (var combining = new Combining<T>(operation))
            {
                fixed (byte* outgoing = &Plain<T>.Bytes(values))
                fixed (byte* incoming = &Plain<T>.Bytes(result))
                {
                    Errors.Check(
                        Native.Scan(outgoing, incoming, values.Length, Datatype, combining.Op, comm.Handle));
                }
            }
            return result;
        }

        internal override T[] ExclusiveScanEach(Communicator comm, T[] values, ReductionOperation<T> operation)
        {
            var result = new T[values.Length];
            using (var combining = new Combining<T>(operation))
            {
                fixed (byte* outgoing = &Plain<T>.Bytes(values))
                fixed (byte* incoming = &Plain<T>.Bytes(result))
                {
                    Errors.Check(
                        Native.Exscan(outgoing, incoming, values.Length, Datatype, combining.Op, comm.Handle));
                }
            }
            return comm.Rank == 0 ? null : result;
        }
    }
}
