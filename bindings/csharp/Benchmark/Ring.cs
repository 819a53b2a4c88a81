using System;
using MPI;

namespace Benchmark
{
    /// <summary>Elements that go from each rank to the next.</summary>
    internal unsafe struct Ring<T> : IMessage where T : struct
    {
        private readonly Communicator comm;
        private readonly int next;
        private readonly int previous;
        private readonly void* outgoing;
        private readonly void* incoming;
        private readonly int count;

        public Ring(Communicator comm, Buffers* buffers)
        {
            this.comm = comm;
            next = (buffers->Rank + 1) % buffers->Ranks;
            previous = (buffers->Rank + buffers->Ranks - 1) % buffers->Ranks;
            incoming = (void*)buffers->Incoming;
            outgoing = buffers->Rank == 0 ? (void*)buffers->Outgoing : incoming;
            count = (int)buffers->Count;
        }

        public void Send() => comm.Send(new ReadOnlySpan<T>(outgoing, count), next, Harness.PayloadTag);

        public void Receive() => comm.Receive(previous, Harness.PayloadTag, new Span<T>(incoming, count));
    }

    /// <summary>A value that goes from each rank to the next.</summary>
    internal struct ValueRing<T> : IMessage
    {
        private readonly Communicator comm;
        private readonly int next;
        private readonly int previous;
        private readonly T[] outgoing;
        private readonly T[] incoming;

        public ValueRing(Communicator comm, Values<T> values)
        {
            this.comm = comm;
            next = (comm.Rank + 1) % comm.Size;
            previous = (comm.Rank + comm.Size - 1) % comm.Size;
            incoming = values.Incoming;
            outgoing = comm.Rank == 0 ? values.Outgoing : incoming;
        }

        public void Send() => comm.Send(outgoing[0], next, Harness.PayloadTag);

        public void Receive() => incoming[0] = comm.Receive<T>(previous, Harness.PayloadTag);
    }
}
