using System;

namespace MPI
{
    /// <content>Collective calls on arrays of numbers and structs, which go side by side: one call of MPI each.</content>
    internal sealed unsafe partial class PlainCodec<T>
    {
        internal override T[] ReduceScatter(
            Communicator comm, T[] values, ReductionOperation<T> operation, int[] counts)
        {
            Counts.CheckRanks(counts, comm.Size, nameof(counts));
            Counts.Places(counts, out int total);
            Counts.CheckLength(values.Length, total, nameof(values));
            var result = new T[counts[comm.Rank]];
            using (var combining = new Combining<T>(operation))
            {
                fixed (byte* outgoing = &Plain<T>.Bytes(values))
                fixed (byte* incoming = &Plain<T>.Bytes(result))
                fixed (int* c = counts)
                {
                    Errors.Check(
                        Native.ReduceScatter(outgoing, incoming, c, Plain<T>.Datatype, combining.Op, comm.Handle));
                }
            }
            return result;
        }

        internal override T[] GatherFlattened(
            Communicator comm, T[] values, int count, int root)
        {
            if (comm is Intercommunicator)
            {
                T[] given = Constants.IsRank(root) ? Part(values, 0, count) : values;
                return GatherFlattened(comm, given, Counts.Equal(comm.Peers, count), root);
            }
            Counts.CheckLength(values.Length, count, nameof(values));
            T[] gathered = comm.IsRoot(root) ? new T[checked(count * comm.Peers)] : null;
            comm.Gather<T>(new ReadOnlySpan<T>(values, 0, count), gathered, root);
            return gathered;
        }

        internal override T[] GatherFlattened(
            Communicator comm, T[] values, int[] counts, int root)
        {
            int mine = comm.CountHere(values, counts), total = 0;
            int[] places = null;
            if (comm.IsRoot(root))
            {
                Counts.CheckRanks(counts, comm.Peers, nameof(counts));
                places = Counts.Places(counts, out total);
            }
            T[] gathered = comm.IsRoot(root) ? new T[total] : null;
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(gathered))
            fixed (int* c = counts)
            fixed (int* p = places)
            {
                Errors.Check(Native.Gatherv(
                    outgoing, mine, incoming, c, p, Plain<T>.Datatype, root, comm.Handle));
            }
            return gathered;
        }

        internal override T[] AllgatherFlattened(
            Communicator comm, T[] values, int count)
        {
            if (comm is Intercommunicator)
            {
                return AllgatherFlattened(comm, values, Counts.Equal(comm.Peers, count));
            }
            Counts.CheckLength(values.Length, count, nameof(values));
            var gathered = new T[checked(count * comm.Peers)];
            comm.Allgather<T>(new ReadOnlySpan<T>(values, 0, count), gathered);
            return gathered;
        }

        internal override T[] AllgatherFlattened(
            Communicator comm, T[] values, int[] counts)
        {
            Counts.CheckRanks(counts, comm.Peers, nameof(counts));
            int mine = comm.CountHere(values, counts);
            int[] places = Counts.Places(counts, out int total);
            var gathered = new T[total];
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(gathered))
            fixed (int* c = counts)
            fixed (int* p = places)
            {
                Errors.Check(Native.Allgatherv(
                    outgoing, mine, incoming, c, p, Plain<T>.Datatype, comm.Handle));
            }
            return gathered;
        }

        internal override T[] ScatterFromFlattened(
            Communicator comm, T[] values, int count, int root)
        {
            if (comm is Intercommunicator)
            {
                int ranks = comm.IsRoot(root) ? comm.Peers : comm.Size;
                return ScatterFromFlattened(comm, values, Counts.Equal(ranks, count), root);
            }
            var mine = new T[count];
            comm.Scatter<T>(values, mine, root);
            return mine;
        }

        internal override T[] ScatterFromFlattened(
            Communicator comm, T[] values, int[] counts, int root)
        {
            int[] places = null;
            T[] mine = null;
            if (comm.IsRoot(root))
            {
                Counts.CheckRanks(counts, comm.Peers, nameof(counts));
                places = Counts.Places(counts, out int total);
                Counts.CheckLength(values.Length, total, nameof(values));
            }
            if (Constants.IsRank(root))
            {
                Counts.CheckRanks(counts, comm.Size, nameof(counts));
                mine = new T[counts[comm.Rank]];
            }
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(mine))
            fixed (int* c = counts)
            fixed (int* p = places)
            {
                Errors.Check(Native.Scatterv(
                    outgoing, c, p, incoming, mine?.Length ?? 0, Plain<T>.Datatype, root, comm.Handle));
            }
            return mine;
        }

        internal override T[] AlltoallFlattened(
            Communicator comm, T[] values, int count)
        {
            int all = checked(count * comm.Peers);
            Counts.CheckLength(values.Length, all, nameof(values));
            var received = new T[all];
            comm.Alltoall<T>(new ReadOnlySpan<T>(values, 0, all), received);
            return received;
        }

        internal override T[] AlltoallFlattened(
            Communicator comm, T[] values, int[] sendCounts, int[] receiveCounts)
        {
            Counts.CheckRanks(sendCounts, comm.Peers, nameof(sendCounts));
            Counts.CheckRanks(receiveCounts, comm.Peers, nameof(receiveCounts));
            int[] sendPlaces = Counts.Places(sendCounts, out int sent);
            int[] receivePlaces = Counts.Places(receiveCounts, out int total);
            Counts.CheckLength(values.Length, sent, nameof(values));
            var received = new T[total];
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(received))
            fixed (int* oc = sendCounts)
            fixed (int* op = sendPlaces)
            fixed (int* ic = receiveCounts)
            fixed (int* ip = receivePlaces)
            {
                Errors.Check(
                    Native.Alltoallv(outgoing, oc, op, incoming, ic, ip, Plain<T>.Datatype, comm.Handle));
            }
            return received;
        }
    }
}
