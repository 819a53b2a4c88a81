using System;
using MPI;

namespace Benchmark
{
    internal interface ISums
    {
        void Reduce();

        void Allreduce();
    }

    /// <summary>The calls of all ranks. Structs, so that the loops are compiled with the call inside.</summary>
    internal interface ICollectives : ISums
    {
        void Broadcast();

        void Gather();

        void Scatter();

        void Allgather();

        void Alltoall();
    }

    /// <summary>Bytes or doubles of the harness's memory, of all ranks.</summary>
    internal unsafe struct Shared<T> : ICollectives where T : struct
    {
        private readonly Intracommunicator comm;
        private readonly void* outgoing;
        private readonly void* incoming;
        private readonly int count;
        private readonly int outgoingCount;
        private readonly int incomingCount;

        public Shared(Intracommunicator comm, Buffers* buffers)
        {
            this.comm = comm;
            outgoing = (void*)buffers->Outgoing;
            incoming = (void*)buffers->Incoming;
            count = (int)buffers->Count;
            outgoingCount = count * buffers->OutgoingMessages;
            incomingCount = count * buffers->IncomingMessages;
        }

        public void Broadcast() => comm.Broadcast(new Span<T>(incoming, count), 0);

        public void Reduce() => comm.Reduce(
            new ReadOnlySpan<T>(outgoing, count), new Span<T>(incoming, incomingCount), Operation<T>.Add, 0);

        public void Allreduce() => comm.Allreduce(
            new ReadOnlySpan<T>(outgoing, count), new Span<T>(incoming, count), Operation<T>.Add);

        public void Gather() =>
            comm.Gather(new ReadOnlySpan<T>(outgoing, count), new Span<T>(incoming, incomingCount), 0);

        public void Scatter() =>
            comm.Scatter(new ReadOnlySpan<T>(outgoing, outgoingCount), new Span<T>(incoming, count), 0);

        public void Allgather() =>
            comm.Allgather(new ReadOnlySpan<T>(outgoing, count), new Span<T>(incoming, incomingCount));

        public void Alltoall() =>
            comm.Alltoall(new ReadOnlySpan<T>(outgoing, outgoingCount), new Span<T>(incoming, incomingCount));
    }

    /// <summary>Values of C# of all ranks.</summary>
    internal struct SharedValues<T> : ICollectives
    {
        private readonly Intracommunicator comm;
        private readonly Values<T> values;
        private readonly bool isRoot;

        public SharedValues(Intracommunicator comm, Values<T> values)
        {
            this.comm = comm;
            this.values = values;
            isRoot = comm.Rank == 0;
        }

        public void Broadcast()
        {
            T value = isRoot ? values.Outgoing[0] : default(T);
            comm.Broadcast(ref value, 0);
            values.Incoming[0] = value;
        }

        public void Reduce()
        {
            T sum = comm.Reduce(values.Outgoing[0], Operation<T>.Add, 0);
            if (isRoot)
            {
                values.Incoming[0] = sum;
            }
        }

        public void Allreduce() => values.Incoming[0] = comm.Allreduce(values.Outgoing[0], Operation<T>.Add);

        public void Gather() => values.Incoming = comm.Gather(values.Outgoing[0], 0);

        public void Scatter() => values.Incoming[0] = comm.Scatter(values.Outgoing, 0);

        public void Allgather() => values.Incoming = comm.Allgather(values.Outgoing[0]);

        public void Alltoall() => values.Incoming = comm.Alltoall(values.Outgoing);
    }

    /// <summary>Sums of arrays, element by element.</summary>
    internal struct SharedArrays : ISums
    {
        private readonly Intracommunicator comm;
        private readonly Values<double[]> values;

        public SharedArrays(Intracommunicator comm, Values<double[]> values)
        {
            this.comm = comm;
            this.values = values;
        }

        public void Reduce()
        {
            double[] sum = comm.Reduce(values.Outgoing[0], Operation<double>.Add, 0);
            if (sum != null)
            {
                values.Incoming[0] = sum;
            }
        }

        public void Allreduce() => values.Incoming[0] = comm.Allreduce(values.Outgoing[0], Operation<double>.Add);
    }

    internal struct Barrier : IIteration
    {
        public Intracommunicator Comm;

        public void Once() => Comm.Barrier();
    }

    internal struct Broadcast<R> : IIteration where R : struct, ICollectives
    {
        public R Ranks;

        public void Once() => Ranks.Broadcast();
    }

    internal struct Reduce<R> : IIteration where R : struct, ISums
    {
        public R Ranks;

        public void Once() => Ranks.Reduce();
    }

    internal struct Allreduce<R> : IIteration where R : struct, ISums
    {
        public R Ranks;

        public void Once() => Ranks.Allreduce();
    }

    internal struct Gather<R> : IIteration where R : struct, ICollectives
    {
        public R Ranks;

        public void Once() => Ranks.Gather();
    }

    internal struct Scatter<R> : IIteration where R : struct, ICollectives
    {
        public R Ranks;

        public void Once() => Ranks.Scatter();
    }

    internal struct Allgather<R> : IIteration where R : struct, ICollectives
    {
        public R Ranks;

        public void Once() => Ranks.Allgather();
    }

    internal struct Alltoall<R> : IIteration where R : struct, ICollectives
    {
        public R Ranks;

        public void Once() => Ranks.Alltoall();
    }
}
