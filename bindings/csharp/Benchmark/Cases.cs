using System;
using MPI;

namespace Benchmark
{
    /// <summary>Makes ready for a case: chooses its loops, and what they need before and after.</summary>
    internal sealed unsafe class Cases
    {
        private readonly Intracommunicator world;
        private readonly Buffers* buffers;
        private readonly int peer;
        private readonly string benchmark;
        private readonly string mode;
        private readonly string completion;
        private readonly string payload;

        public Cases(Intracommunicator world, Case* c, Buffers* buffers)
        {
            this.world = world;
            this.buffers = buffers;
            peer = 1 - buffers->Rank;
            benchmark = Harness.BenchmarkName(c);
            payload = Harness.PayloadName(c);
            string[] names = Harness.ModeName(c).Split('-');
            mode = names[0];
            completion = names.Length > 1 ? names[1] : "";
        }

        /// <summary>Why this program cannot run a case, or null.</summary>
        public static string Refuse(Case* c)
        {
            string mode = Harness.ModeName(c), payload = Harness.PayloadName(c);
            bool isMemory = payload == "bytes" || payload == "float64" || payload == "none";
            if (mode.EndsWith("-persistent", StringComparison.Ordinal) && !isMemory)
            {
                return "a persistent request is one of memory, not of a value";
            }
            return null;
        }

        public Prepared Prepare()
        {
            if (benchmark == "faces")
            {
                return Faces();
            }
            if (benchmark == "datatype")
            {
                return Datatype();
            }
            switch (payload)
            {
                case "none":
                    return new Prepared { Loops = OfAll(new Barrier { Comm = world }) };
                case "bytes":
                    return Memory<byte>();
                case "float64":
                    return Memory<double>();
                case "int32":
                    return Memory<int>();
                case "int":
                    return Objects(Kinds.Integer);
                case "float":
                    return Objects(Kinds.Real);
                case "dict":
                case "instance":
                    return Objects(Kinds.Dict);
                case "string":
                    return Objects(Kinds.Text);
                case "list":
                    return Objects(Kinds.List);
                case "map":
                    return Objects(Kinds.Map);
                case "nested":
                    return Objects(Kinds.Nested);
                case "problem":
                    return ApplicationCases.Prepare(world, benchmark, mode, buffers);
                default:
                    return Objects(Kinds.Array);
            }
        }

        // Memory of the harness.

        private Prepared Memory<T>() where T : struct
        {
            switch (benchmark)
            {
                case "latency":
                case "pingpong-int":
                    return MemoryLatency<T>();
                case "ring":
                    return PingPong(new Ring<T>(world, buffers));
                case "bandwidth":
                case "bibandwidth":
                case "stream":
                    return WindowLoops(new Window<T>(world, peer, buffers));
                default:
                    return new Prepared { Loops = Collective(new Shared<T>(world, buffers)) };
            }
        }

        private Prepared MemoryLatency<T>() where T : struct
        {
            switch (mode)
            {
                case "synchronous":
                    return MemoryLatency(new Elements<T, SynchronousSending>(world, peer, buffers));
                case "buffered":
                    return MemoryLatency(new Elements<T, BufferedSending>(world, peer, buffers));
                case "ready":
                    return MemoryLatency(new Elements<T, ReadySending>(world, peer, buffers));
                default:
                    return MemoryLatency(new Elements<T, StandardSending>(world, peer, buffers));
            }
        }

        private Prepared MemoryLatency<T, S>(Elements<T, S> payload) where T : struct where S : struct, ISending
        {
            if (completion != "persistent")
            {
                return Latency(payload);
            }
            var requests = new Persistent
            {
                Sending = default(S).Prepare<T>(world, payload.Outgoing, peer),
                Receiving = world.ReceiveInit(peer, Harness.PayloadTag, payload.Incoming),
            };
            Prepared prepared =
                mode == "ready" ? ReadyPingPong(requests, payload) : AttachedIfBuffered(PingPong(requests));
            prepared.Release = requests.Free;
            return prepared;
        }

        private Prepared WindowLoops<W>(W window) where W : struct, IWindow
        {
            bool sends = buffers->Rank == 0;
            switch (benchmark)
            {
                case "bandwidth":
                    return new Prepared
                    {
                        Loops = sends
                            ? OfPair(new BandwidthA<W> { Window = window })
                            : OfPair(new BandwidthB<W> { Window = window }),
                    };
                case "stream":
                    return AttachedIfBuffered(
                        new Prepared { Loops = sends ? SendingStream(window) : ReceivingStream(window) });
                default:
                    return new Prepared { Loops = OfPair(new Bibandwidth<W> { Window = window }) };
            }
        }

        private Loops SendingStream<W>(W window) where W : struct, IWindow
        {
            switch (mode)
            {
                case "synchronous":
                    return OfPair(new StreamA<W, SynchronousSending> { Window = window });
                case "buffered":
                    return OfPair(new StreamA<W, BufferedSending> { Window = window });
                case "ready":
                    return OfPair(new ReadyStreamA<W> { Window = window });
                default:
                    return OfPair(new StreamA<W, StandardSending> { Window = window });
            }
        }

        private Loops ReceivingStream<W>(W window) where W : struct, IWindow => mode == "ready"
            ? OfPair(new ReadyStreamB<W> { Window = window })
            : OfPair(new StreamB<W> { Window = window });

        private Loops Collective<R>(R ranks) where R : struct, ICollectives
        {
            switch (benchmark)
            {
                case "bcast":
                    return OfAll(new Broadcast<R> { Ranks = ranks });
                case "reduce":
                    return OfAll(new Reduce<R> { Ranks = ranks });
                case "allreduce":
                    return OfAll(new Allreduce<R> { Ranks = ranks });
                case "gather":
                    return OfAll(new Gather<R> { Ranks = ranks });
                case "scatter":
                    return OfAll(new Scatter<R> { Ranks = ranks });
                case "allgather":
                    return OfAll(new Allgather<R> { Ranks = ranks });
                default:
                    return OfAll(new Alltoall<R> { Ranks = ranks });
            }
        }

        private static Loops OfPair<I>(I iteration) where I : struct, IIteration => new PairLoops<I>(iteration);

        private static Loops OfAll<I>(I iteration) where I : struct, IIteration => new CollectiveLoops<I>(iteration);

        // Values of C#.

        private Prepared Objects<T>(Kind<T> kind)
        {
            Heap.Use();
            var values = new Values<T>
            {
                Outgoing = new T[buffers->OutgoingMessages],
                Incoming = new T[Math.Max(buffers->IncomingMessages, 1)], // the root of bcast keeps what it gives
            };
            for (int i = 0; i < values.Outgoing.Length; i++)
            {
                values.Outgoing[i] = kind.Read(Slot(buffers->Outgoing, i), (int)buffers->Count);
            }
            Prepared prepared = ObjectLoops(values);
            IntPtr incoming = buffers->Incoming;
            long stride = buffers->Stride;
            int messages = buffers->IncomingMessages;
            prepared.Show = () =>
            {
                if (values.Posted != null)
                {
                    values.Incoming[0] = values.Posted.GetValue();
                }
                for (int i = 0; i < messages; i++)
                {
                    kind.Write(new IntPtr(incoming.ToInt64() + i * stride), values.Incoming[i]);
                }
            };
            return prepared;
        }

        private IntPtr Slot(IntPtr first, int i) => new IntPtr(first.ToInt64() + i * buffers->Stride);

        private Prepared ObjectLoops<T>(Values<T> values)
        {
            switch (benchmark)
            {
                case "latency":
                case "object":
                    return ObjectLatency(values);
                case "ring":
                    return PingPong(new ValueRing<T>(world, values));
                case "bandwidth":
                case "bibandwidth":
                case "stream":
                    return WindowLoops(new ValueWindow<T>(world, peer, buffers, values));
                default:
                    return new Prepared { Loops = ObjectCollective(values) };
            }
        }

        private Prepared ObjectLatency<T>(Values<T> values)
        {
            switch (mode)
            {
                case "synchronous":
                    return Latency(new Value<T, SynchronousSending>(world, peer, values));
                case "buffered":
                    return Latency(new Value<T, BufferedSending>(world, peer, values));
                case "ready":
                    return Latency(new Value<T, ReadySending>(world, peer, values));
                default:
                    return Latency(new Value<T, StandardSending>(world, peer, values));
            }
        }

        private Loops ObjectCollective<T>(Values<T> values)
        {
            if (values is Values<double[]> arrays && benchmark == "reduce")
            {
                return OfAll(new Reduce<SharedArrays> { Ranks = new SharedArrays(world, arrays) });
            }
            if (values is Values<double[]> more && benchmark == "allreduce")
            {
                return OfAll(new Allreduce<SharedArrays> { Ranks = new SharedArrays(world, more) });
            }
            return Collective(new SharedValues<T>(world, values));
        }

        // Ping-pong of any payload.

        private Prepared Latency<P>(P payload) where P : struct, IPayload
        {
            if (mode == "sendrecv")
            {
                return new Prepared { Loops = OfPair(new Exchange<P> { Payload = payload }) };
            }
            if (completion == "nonblocking")
            {
                return Latency(payload, new Nonblocking<P> { Payload = payload });
            }
            return Latency(payload, payload);
        }

        private Prepared Latency<P, M>(P payload, M message) where P : struct, IPayload where M : struct, IMessage
        {
            if (mode != "ready")
            {
                return AttachedIfBuffered(PingPong(message));
            }
            return ReadyPingPong(
                new Ready<P, M> { Payload = payload, Sending = message, Posted = new Posted() }, payload);
        }

        private Prepared AttachedIfBuffered(Prepared prepared)
        {
            if (mode == "buffered")
            {
                prepared.AttachWhileRunning(buffers);
            }
            return prepared;
        }

        private Prepared PingPong<M>(M message) where M : struct, IMessage => new Prepared
        {
            Loops = buffers->Rank == 0
                ? OfPair(new Ping<M> { Message = message })
                : OfPair(new Pong<M> { Message = message }),
        };

        /// <summary>Rank 1 posts its first receive and tells rank 0; at the end a message completes the last one.</summary>
        private Prepared ReadyPingPong<R, P>(R message, P payload)
            where R : struct, IReadyMessage where P : struct, IPayload
        {
            if (buffers->Rank == 0)
            {
                return new Prepared
                {
                    Loops = OfPair(new PingReady<R> { Message = message }),
                    Begin = () => world.Receive(peer, Harness.AcknowledgementTag, Span<byte>.Empty),
                    End = () => payload.Send(),
                };
            }
            return new Prepared
            {
                Loops = OfPair(new PongReady<R> { Message = message }),
                Begin = () =>
                {
                    message.Post();
                    world.Send(ReadOnlySpan<byte>.Empty, peer, Harness.AcknowledgementTag);
                },
                End = () => message.Complete(),
            };
        }

        private Prepared Faces()
        {
            if (mode == "contiguous")
            {
                return Latency(new Elements<double, StandardSending>(world, peer, buffers));
            }
            int edge = (int)buffers->Edge;
            int[] face = { edge, mode == "rows" ? 1 : edge, mode == "rows" ? edge : 1 };
            Layout<double> layout =
                Layout<double>.Subarray(new[] { edge, edge, edge }, face, new[] { 0, 0, 0 });
            return Scattered(layout);
        }

        private Prepared Scattered(Layout<double> layout)
        {
            Prepared prepared = Latency(new Scattered(world, peer, buffers, layout));
            prepared.Release = layout.Dispose;
            return prepared;
        }

        /// <summary>Messages in groups of four doubles with gaps.</summary>
        private Prepared Datatype()
        {
            int count = (int)buffers->Count, groups = count / 4;
            switch (mode)
            {
                case "vector":
                    return Scattered(Layout<double>.Vector(count, 1, 2));
                case "indexed":
                    int[] lengths = new int[2 * groups], places = new int[2 * groups];
                    for (int i = 0; i < groups; i++)
                    {
                        lengths[2 * i] = 1;
                        lengths[2 * i + 1] = 3;
                        places[2 * i] = 6 * i;
                        places[2 * i + 1] = 6 * i + 2;
                    }
                    return Scattered(Layout<double>.Indexed(lengths, places));
                case "struct":
                    return Latency(new Elements<Particle, StandardSending>(world, peer, buffers, groups));
                default:
                    return Latency(new Elements<double, StandardSending>(world, peer, buffers));
            }
        }
    }
}
