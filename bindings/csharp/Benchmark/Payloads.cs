using System;
using MPI;

namespace Benchmark
{
    /// <summary>How one message is sent and received. Structs, so that the loops are compiled with the calls inside.</summary>
    internal interface IMessage
    {
        void Send();

        void Receive();
    }

    /// <summary>The other ways to exchange messages with the other rank.</summary>
    internal interface IPayload : IMessage
    {
        void Exchange();

        Request StartSend();

        Request Post();
    }

    /// <summary>Bytes or doubles of the harness's memory.</summary>
    internal unsafe struct Elements<T, S> : IPayload where T : struct where S : struct, ISending
    {
        private readonly Communicator comm;
        private readonly int peer;
        private readonly void* outgoing;
        private readonly void* incoming;
        private readonly int count;

        public Elements(Communicator comm, int peer, Buffers* buffers) : this(comm, peer, buffers, (int)buffers->Count)
        {
        }

        public Elements(Communicator comm, int peer, Buffers* buffers, int count)
        {
            this.comm = comm;
            this.peer = peer;
            outgoing = (void*)buffers->Outgoing;
            incoming = (void*)buffers->Incoming;
            this.count = count;
            Outgoing = new UnmanagedMemory<T>(buffers->Outgoing, count).Memory;
            Incoming = new UnmanagedMemory<T>(buffers->Incoming, count).Memory;
        }

        public Memory<T> Outgoing { get; }

        public Memory<T> Incoming { get; }

        public void Send() => default(S).Elements(comm, new ReadOnlySpan<T>(outgoing, count), peer);

        public void Receive() => comm.Receive(peer, Harness.PayloadTag, new Span<T>(incoming, count));

        public void Exchange() => comm.SendReceive(
            new ReadOnlySpan<T>(outgoing, count), peer, Harness.PayloadTag, peer, Harness.PayloadTag,
            new Span<T>(incoming, count));

        public Request StartSend() => default(S).StartElements<T>(comm, Outgoing, peer);

        public Request Post() => comm.ImmediateReceive(peer, Harness.PayloadTag, Incoming);
    }

    /// <summary>What a case with values of C# sends and has received.</summary>
    internal sealed class Values<T>
    {
        public T[] Outgoing;
        public T[] Incoming;
        public ReceiveRequest<T> Posted;
    }

    /// <summary>A number, a record or an array.</summary>
    internal struct Value<T, S> : IPayload where S : struct, ISending
    {
        private readonly Communicator comm;
        private readonly int peer;
        private readonly Values<T> values;

        public Value(Communicator comm, int peer, Values<T> values)
        {
            this.comm = comm;
            this.peer = peer;
            this.values = values;
        }

        public void Send() => default(S).Value(comm, values.Outgoing[0], peer);

        public void Receive() => values.Incoming[0] = comm.Receive<T>(peer, Harness.PayloadTag);

        public void Exchange()
        {
            T received;
            comm.SendReceive(values.Outgoing[0], peer, Harness.PayloadTag, out received);
            values.Incoming[0] = received;
        }

        public Request StartSend() => default(S).StartValue(comm, values.Outgoing[0], peer);

        public Request Post() => values.Posted = comm.ImmediateReceive<T>(peer, Harness.PayloadTag);
    }

    /// <summary>Elements that do not lie side by side, sent as they lie.</summary>
    internal unsafe struct Scattered : IPayload
    {
        private readonly Communicator comm;
        private readonly int peer;
        private readonly Layout<double> layout;
        private readonly void* outgoing;
        private readonly void* incoming;
        private readonly int reach;

        public Scattered(Communicator comm, int peer, Buffers* buffers, Layout<double> layout)
        {
            this.comm = comm;
            this.peer = peer;
            this.layout = layout;
            outgoing = (void*)buffers->Outgoing;
            incoming = (void*)buffers->Incoming;
            reach = (int)layout.Span;
        }

        public void Send() =>
            comm.Send(new ReadOnlySpan<double>(outgoing, reach), layout, peer, Harness.PayloadTag);

        public void Receive() =>
            comm.Receive(peer, Harness.PayloadTag, new Span<double>(incoming, reach), layout);

        public void Exchange() => throw new NotSupportedException();

        public Request StartSend() => throw new NotSupportedException();

        public Request Post() => throw new NotSupportedException();
    }
}
