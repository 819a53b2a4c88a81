using System;

namespace MPI
{
    /// <content>
    /// Collective calls on arrays, strings and objects, whose sizes differ: the sizes go first, then the values.
    /// </content>
    internal abstract unsafe partial class VariableCodec<T>
    {
        internal override void Broadcast(Communicator comm, ref T value, int root)
        {
            if (comm.IsRoot(root))
            {
                using (Pinned pinned = Pin(value))
                {
                    int count = pinned.Count;
                    Errors.Check(Native.Bcast(&count, 1, Constants.Int32, root, comm.Handle));
                    Errors.Check(Native.Bcast(pinned.Address, count, Datatype, root, comm.Handle));
                }
                return;
            }
            int coming = 0;
            Errors.Check(Native.Bcast(&coming, 1, Constants.Int32, root, comm.Handle));
            using (var scratch = new Scratch((long)coming * UnitSize))
            {
                Errors.Check(Native.Bcast(scratch.Address, coming, Datatype, root, comm.Handle));
                if (Constants.IsRank(root))
                {
                    value = Read(scratch.Address, coming);
                }
            }
        }

        internal override T[] Gather(Communicator comm, T value, int root)
        {
            using (Pinned pinned = Constants.IsRank(root) ? Pin(value) : default(Pinned))
            {
                int[] counts = Codec<int>.Default.Gather(comm, pinned.Count, root);
                if (counts == null)
                {
                    Errors.Check(Native.Gatherv(
                        pinned.Address, pinned.Count, null, null, null, Datatype, root, comm.Handle));
                    return null;
                }
                int[] places = Places(counts, out int total);
                using (var scratch = new Scratch((long)total * UnitSize))
                {
                    fixed (int* c = counts)
                    fixed (int* p = places)
                    {
                        Errors.Check(Native.Gatherv(
                            pinned.Address, pinned.Count, scratch.Address, c, p, Datatype, root, comm.Handle));
                    }
                    return ReadAll(scratch.Address, counts, places);
                }
            }
        }

        internal override T[] Allgather(Communicator comm, T value)
        {
            using (Pinned pinned = Pin(value))
            {
                int[] counts = Codec<int>.Default.Allgather(comm, pinned.Count);
                int[] places = Places(counts, out int total);
                using (var scratch = new Scratch((long)total * UnitSize))
                {
                    fixed (int* c = counts)
                    fixed (int* p = places)
                    {
                        Errors.Check(Native.Allgatherv(
                            pinned.Address, pinned.Count, scratch.Address, c, p, Datatype, comm.Handle));
                    }
                    return ReadAll(scratch.Address, counts, places);
                }
            }
        }

        internal override T Scatter(Communicator comm, T[] values, int root)
        {
            if (!comm.IsRoot(root))
            {
                return Take(comm, null, null, null, Codec<int>.Default.Scatter(comm, null, root), root);
            }
            using (var packed = new Packed(this, values))
            {
                int mine = Codec<int>.Default.Scatter(comm, packed.Counts, root);
                fixed (int* c = packed.Counts)
                fixed (int* p = packed.Places)
                {
                    return Take(comm, packed.Address, c, p, mine, root);
                }
            }
        }

        private T Take(Communicator comm, byte* outgoing, int* counts, int* places, int mine, int root)
        {
            using (var scratch = new Scratch((long)mine * UnitSize))
            {
                Errors.Check(Native.Scatterv(
                    outgoing, counts, places, scratch.Address, mine, Datatype, root, comm.Handle));
                return Constants.IsRank(root) ? Read(scratch.Address, mine) : default(T);
            }
        }

        internal override T[] Alltoall(Communicator comm, T[] values)
        {
            using (var packed = new Packed(this, values))
            {
                int[] counts = Codec<int>.Default.Alltoall(comm, packed.Counts);
                int[] places = Places(counts, out int total);
                using (var scratch = new Scratch((long)total * UnitSize))
                {
                    fixed (int* oc = packed.Counts)
                    fixed (int* op = packed.Places)
                    fixed (int* ic = counts)
                    fixed (int* ip = places)
                    {
                        Errors.Check(Native.Alltoallv(
                            packed.Address, oc, op, scratch.Address, ic, ip, Datatype, comm.Handle));
                    }
                    return ReadAll(scratch.Address, counts, places);
                }
            }
        }

        // MPI cannot combine such values: the root does, in the order of the ranks.

        internal override T Reduce(Communicator comm, T value, ReductionOperation<T> operation, int root)
        {
            T[] all = Gather(comm, value, root);
            return all == null ? default(T) : Fold(all, all.Length, operation);
        }

        internal override T Allreduce(Communicator comm, T value, ReductionOperation<T> operation)
        {
            if (comm is Intercommunicator)
            {
                return Fold(Allgather(comm, value), comm.Peers, operation);
            }
            T result = Reduce(comm, value, operation, 0);
            Broadcast(comm, ref result, 0);
            return result;
        }

        internal override T Scan(Communicator comm, T value, ReductionOperation<T> operation) =>
            Fold(Allgather(comm, value), comm.Rank + 1, operation);

        internal override T ExclusiveScan(Communicator comm, T value, ReductionOperation<T> operation) =>
            Fold(Allgather(comm, value), comm.Rank, operation);

        internal override T[] ReduceEach(
            Communicator comm, T[] values, ReductionOperation<T> operation, int root)
        {
            T[][] all = Codec<T[]>.Default.Gather(comm, values, root);
            if (all == null)
            {
                return null;
            }
            return FoldEach(all, all.Length, operation);
        }

        internal override T[] AllreduceEach(Communicator comm, T[] values, ReductionOperation<T> operation)
        {
            if (comm is Intercommunicator)
            {
                return FoldEach(Codec<T[]>.Default.Allgather(comm, values), comm.Peers, operation);
            }
            T[] result = ReduceEach(comm, values, operation, 0);
            Codec<T[]>.Default.Broadcast(comm, ref result, 0);
            return result;
        }

        private static T Fold(T[] values, int count, ReductionOperation<T> operation)
        {
            T result = count == 0 ? default(T) : values[0];
            for (int i = 1; i < count; i++)
            {
                result = operation(result, values[i]);
            }
            return result;
        }

        private T[] ReadAll(byte* units, int[] counts, int[] places)
        {
            var values = new T[counts.Length];
            for (int i = 0; i < counts.Length; i++)
            {
                values[i] = Read(units + (long)places[i] * UnitSize, counts[i]);
            }
            return values;
        }

        private static int[] Places(int[] counts, out int total) => MPI.Counts.Places(counts, out total);

        /// <summary>The values for all ranks, side by side.</summary>
        private struct Packed : IDisposable
        {
            private Scratch scratch;

            internal Packed(VariableCodec<T> codec, T[] values)
            {
                var pinned = new Pinned[values.Length];
                Counts = new int[values.Length];
                try
                {
                    for (int i = 0; i < values.Length; i++)
                    {
                        pinned[i] = codec.Pin(values[i]);
                        Counts[i] = pinned[i].Count;
                    }
                    Places = MPI.Counts.Places(Counts, out int total);
                    scratch = new Scratch((long)total * codec.UnitSize);
                    for (int i = 0; i < values.Length; i++)
                    {
                        long bytes = (long)Counts[i] * codec.UnitSize;
                        System.Buffer.MemoryCopy(
                            pinned[i].Address, scratch.Address + (long)Places[i] * codec.UnitSize, bytes, bytes);
                    }
                }
                finally
                {
                    foreach (Pinned one in pinned)
                    {
                        one.Dispose();
                    }
                }
            }

            internal int[] Counts { get; }

            internal int[] Places { get; }

            internal byte* Address => scratch.Address;

            public void Dispose() => scratch.Dispose();
        }
    }
}
