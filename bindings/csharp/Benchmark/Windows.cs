using System;
using MPI;

namespace Benchmark
{
    /// <summary>Messages that are in flight together. Structs, so that the loops are compiled with the calls inside.</summary>
    internal interface IWindow
    {
        Acknowledgement Acknowledgement { get; }

        void PostAll();

        void StartAll();

        void WaitAll();

        void SendAll<S>() where S : struct, ISending;

        void ReceiveAll();
    }

    /// <summary>A window of messages of elements: memory for each.</summary>
    internal unsafe struct Window<T> : IWindow where T : struct
    {
        public readonly Communicator Comm;
        public readonly int Peer;
        public readonly Memory<T>[] Outgoing;
        public readonly Memory<T>[] Incoming;
        public readonly RequestList Requests;

        public Window(Communicator comm, int peer, Buffers* buffers)
        {
            Comm = comm;
            Peer = peer;
            Outgoing = Slots(buffers->Outgoing, buffers);
            Incoming = Slots(buffers->Incoming, buffers);
            Acknowledgement = new Acknowledgement(comm, peer, buffers);
            Requests = new RequestList();
        }

        public Acknowledgement Acknowledgement { get; }

        private static Memory<T>[] Slots(IntPtr first, Buffers* buffers)
        {
            var slots = new Memory<T>[first == IntPtr.Zero ? 0 : buffers->Window];
            for (int i = 0; i < slots.Length; i++)
            {
                var slot = new IntPtr(first.ToInt64() + i * buffers->Stride);
                slots[i] = new UnmanagedMemory<T>(slot, (int)buffers->Count).Memory;
            }
            return slots;
        }

        public void PostAll()
        {
            foreach (Memory<T> slot in Incoming)
            {
                Requests.Add(Comm.ImmediateReceive(Peer, Harness.PayloadTag, slot));
            }
        }

        public void StartAll()
        {
            foreach (Memory<T> slot in Outgoing)
            {
                Requests.Add(Comm.ImmediateSend(slot, Peer, Harness.PayloadTag));
            }
        }

        public void WaitAll() => Requests.WaitAll();

        public void SendAll<S>() where S : struct, ISending
        {
            foreach (Memory<T> slot in Outgoing)
            {
                default(S).Elements<T>(Comm, slot.Span, Peer);
            }
        }

        public void ReceiveAll()
        {
            foreach (Memory<T> slot in Incoming)
            {
                Comm.Receive(Peer, Harness.PayloadTag, slot.Span);
            }
        }
    }

    /// <summary>The byte at the end of a window.</summary>
    internal sealed unsafe class Acknowledgement
    {
        private readonly Communicator comm;
        private readonly int peer;
        private readonly void* place;

        public Acknowledgement(Communicator comm, int peer, Buffers* buffers)
        {
            this.comm = comm;
            this.peer = peer;
            place = (void*)buffers->Acknowledgement;
        }

        public void Send() => comm.Send(new ReadOnlySpan<byte>(place, 1), peer, Harness.AcknowledgementTag);

        public void Receive() => comm.Receive(peer, Harness.AcknowledgementTag, new Span<byte>(place, 1));
    }

    /// <summary>A window of arrays whose receiver does not know their length.</summary>
    internal unsafe struct ValueWindow<T> : IWindow
    {
        public readonly Communicator Comm;
        public readonly int Peer;
        public readonly Values<T> Values;
        public readonly RequestList Requests;
        private readonly ReceiveRequest<T>[] posted;

        public ValueWindow(Communicator comm, int peer, Buffers* buffers, Values<T> values)
        {
            Comm = comm;
            Peer = peer;
            Values = values;
            Acknowledgement = new Acknowledgement(comm, peer, buffers);
            Requests = new RequestList();
            posted = new ReceiveRequest<T>[buffers->IncomingMessages];
        }

        public Acknowledgement Acknowledgement { get; }

        public void PostAll()
        {
            for (int i = 0; i < posted.Length; i++)
            {
                posted[i] = Comm.ImmediateReceive<T>(Peer, Harness.PayloadTag);
                Requests.Add(posted[i]);
            }
        }

        public void StartAll()
        {
            foreach (T value in Values.Outgoing)
            {
                Requests.Add(Comm.ImmediateSend(value, Peer, Harness.PayloadTag));
            }
        }

        public void WaitAll()
        {
            Requests.WaitAll();
            for (int i = 0; i < posted.Length; i++)
            {
                Values.Incoming[i] = posted[i].GetValue();
            }
        }

        public void SendAll<S>() where S : struct, ISending
        {
            foreach (T value in Values.Outgoing)
            {
                default(S).Value(Comm, value, Peer);
            }
        }

        public void ReceiveAll()
        {
            for (int i = 0; i < posted.Length; i++)
            {
                Values.Incoming[i] = Comm.Receive<T>(Peer, Harness.PayloadTag);
            }
        }
    }

    internal struct BandwidthA<W> : IIteration where W : struct, IWindow
    {
        public W Window;

        public void Once()
        {
            Window.StartAll();
            Window.WaitAll();
            Window.Acknowledgement.Receive();
        }
    }

    internal struct BandwidthB<W> : IIteration where W : struct, IWindow
    {
        public W Window;

        public void Once()
        {
            Window.PostAll();
            Window.WaitAll();
            Window.Acknowledgement.Send();
        }
    }

    internal struct Bibandwidth<W> : IIteration where W : struct, IWindow
    {
        public W Window;

        public void Once()
        {
            Window.PostAll();
            Window.StartAll();
            Window.WaitAll();
        }
    }

    internal struct StreamA<W, S> : IIteration where W : struct, IWindow where S : struct, ISending
    {
        public W Window;

        public void Once()
        {
            Window.SendAll<S>();
            Window.Acknowledgement.Receive();
        }
    }

    internal struct StreamB<W> : IIteration where W : struct, IWindow
    {
        public W Window;

        public void Once()
        {
            Window.ReceiveAll();
            Window.Acknowledgement.Send();
        }
    }

    // All receives are posted before the message that makes the other side send.

    internal struct ReadyStreamA<W> : IIteration where W : struct, IWindow
    {
        public W Window;

        public void Once()
        {
            Window.Acknowledgement.Receive();
            Window.SendAll<ReadySending>();
            Window.Acknowledgement.Receive();
        }
    }

    internal struct ReadyStreamB<W> : IIteration where W : struct, IWindow
    {
        public W Window;

        public void Once()
        {
            Window.PostAll();
            Window.Acknowledgement.Send();
            Window.WaitAll();
            Window.Acknowledgement.Send();
        }
    }
}
