using System;
using MPI;

namespace Benchmark
{
    /// <summary>A window of messages of elements: memory for each.</summary>
    internal sealed unsafe class Window<T> where T : struct
    {
        public readonly Communicator Comm;
        public readonly int Peer;
        public readonly Memory<T>[] Outgoing;
        public readonly Memory<T>[] Incoming;
        public readonly Acknowledgement Acknowledgement;
        public readonly RequestList Requests = new RequestList();

        public Window(Communicator comm, int peer, Buffers* buffers)
        {
            Comm = comm;
            Peer = peer;
            Outgoing = Slots(buffers->Outgoing, buffers);
            Incoming = Slots(buffers->Incoming, buffers);
            Acknowledgement = new Acknowledgement(comm, peer, buffers);
        }

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

        public void SendAll<S>(S sending) where S : struct, ISending
        {
            foreach (Memory<T> slot in Outgoing)
            {
                sending.Elements<T>(Comm, slot.Span, Peer);
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
    internal sealed unsafe class ValueWindow<T>
    {
        public readonly Communicator Comm;
        public readonly int Peer;
        public readonly Values<T> Values;
        public readonly Acknowledgement Acknowledgement;
        public readonly RequestList Requests = new RequestList();
        private readonly ReceiveRequest<T>[] posted;

        public ValueWindow(Communicator comm, int peer, Buffers* buffers, Values<T> values)
        {
            Comm = comm;
            Peer = peer;
            Values = values;
            Acknowledgement = new Acknowledgement(comm, peer, buffers);
            posted = new ReceiveRequest<T>[buffers->IncomingMessages];
        }

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

        public void SendAll<S>(S sending) where S : struct, ISending
        {
            foreach (T value in Values.Outgoing)
            {
                sending.Value(Comm, value, Peer);
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

    internal struct BandwidthA<T> : IIteration where T : struct
    {
        public Window<T> Window;

        public void Once()
        {
            Window.StartAll();
            Window.WaitAll();
            Window.Acknowledgement.Receive();
        }
    }

    internal struct BandwidthB<T> : IIteration where T : struct
    {
        public Window<T> Window;

        public void Once()
        {
            Window.PostAll();
            Window.WaitAll();
            Window.Acknowledgement.Send();
        }
    }

    internal struct Bibandwidth<T> : IIteration where T : struct
    {
        public Window<T> Window;

        public void Once()
        {
            Window.PostAll();
            Window.StartAll();
            Window.WaitAll();
        }
    }

    internal struct StreamA<T, S> : IIteration where T : struct where S : struct, ISending
    {
        public Window<T> Window;

        public void Once()
        {
            Window.SendAll(default(S));
            Window.Acknowledgement.Receive();
        }
    }

    /// <summary>All receives are posted before the message that makes the other side send.</summary>
    internal struct ReadyStreamA<T> : IIteration where T : struct
    {
        public Window<T> Window;

        public void Once()
        {
            Window.Acknowledgement.Receive();
            Window.SendAll(default(ReadySending));
            Window.Acknowledgement.Receive();
        }
    }

    internal struct ReadyStreamB<T> : IIteration where T : struct
    {
        public Window<T> Window;

        public void Once()
        {
            Window.PostAll();
            Window.Acknowledgement.Send();
            Window.WaitAll();
            Window.Acknowledgement.Send();
        }
    }

    internal struct StreamB<T> : IIteration where T : struct
    {
        public Window<T> Window;

        public void Once()
        {
            Window.ReceiveAll();
            Window.Acknowledgement.Send();
        }
    }

    internal struct ValueBandwidthA<T> : IIteration
    {
        public ValueWindow<T> Window;

        public void Once()
        {
            Window.StartAll();
            Window.WaitAll();
            Window.Acknowledgement.Receive();
        }
    }

    internal struct ValueBandwidthB<T> : IIteration
    {
        public ValueWindow<T> Window;

        public void Once()
        {
            Window.PostAll();
            Window.WaitAll();
            Window.Acknowledgement.Send();
        }
    }

    internal struct ValueBibandwidth<T> : IIteration
    {
        public ValueWindow<T> Window;

        public void Once()
        {
            Window.PostAll();
            Window.StartAll();
            Window.WaitAll();
        }
    }

    internal struct ValueStreamA<T, S> : IIteration where S : struct, ISending
    {
        public ValueWindow<T> Window;

        public void Once()
        {
            Window.SendAll(default(S));
            Window.Acknowledgement.Receive();
        }
    }

    internal struct ValueReadyStreamA<T> : IIteration
    {
        public ValueWindow<T> Window;

        public void Once()
        {
            Window.Acknowledgement.Receive();
            Window.SendAll(default(ReadySending));
            Window.Acknowledgement.Receive();
        }
    }

    internal struct ValueReadyStreamB<T> : IIteration
    {
        public ValueWindow<T> Window;

        public void Once()
        {
            Window.PostAll();
            Window.Acknowledgement.Send();
            Window.WaitAll();
            Window.Acknowledgement.Send();
        }
    }

    internal struct ValueStreamB<T> : IIteration
    {
        public ValueWindow<T> Window;

        public void Once()
        {
            Window.ReceiveAll();
            Window.Acknowledgement.Send();
        }
    }
}
