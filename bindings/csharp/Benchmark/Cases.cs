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
                    return new Prepared { Loops = new CollectiveLoops<Barrier>(new Barrier { Comm = world }) };
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
                    return new Prepared { Loops = MemoryRing<T>() };
                case "bandwidth":
                case "bibandwidth":
                case "stream":
                    return Windows(MemoryWindow(new Window<T>(world, peer, buffers)));
                default:
                    return new Prepared { Loops = MemoryCollective(new Shared<T>(world, buffers)) };
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
            return completion == "persistent"
                ? Persistent.Prepare(world, peer, mode, payload, buffers)
                : Latency(payload);
        }

        private Loops MemoryWindow<T>(Window<T> window) where T : struct
        {
            bool sends = buffers->Rank == 0;
            switch (benchmark)
            {
                case "bandwidth":
                    return sends
                        ? (Loops)new PairLoops<BandwidthA<T>>(new BandwidthA<T> { Window = window })
                        : new PairLoops<BandwidthB<T>>(new BandwidthB<T> { Window = window });
                case "stream":
                    return sends ? MemoryStreamA(window)
                        : mode == "ready" ? (Loops)new PairLoops<ReadyStreamB<T>>(new ReadyStreamB<T> { Window = window })
                        : new PairLoops<StreamB<T>>(new StreamB<T> { Window = window });
                default:
                    return new PairLoops<Bibandwidth<T>>(new Bibandwidth<T> { Window = window });
            }
        }

        private Loops MemoryStreamA<T>(Window<T> window) where T : struct
        {
            switch (mode)
            {
                case "synchronous":
                    return new PairLoops<StreamA<T, SynchronousSending>>(
                        new StreamA<T, SynchronousSending> { Window = window });
                case "buffered":
                    return new PairLoops<StreamA<T, BufferedSending>>(
                        new StreamA<T, BufferedSending> { Window = window });
                case "ready":
                    return new PairLoops<ReadyStreamA<T>>(new ReadyStreamA<T> { Window = window });
                default:
                    return new PairLoops<StreamA<T, StandardSending>>(
                        new StreamA<T, StandardSending> { Window = window });
            }
        }

        private Loops MemoryCollective<T>(Shared<T> ranks) where T : struct
        {
            switch (benchmark)
            {
                case "bcast":
                    return new CollectiveLoops<Broadcast<T>>(new Broadcast<T> { Ranks = ranks });
                case "reduce":
                    return new CollectiveLoops<Reduce<T>>(new Reduce<T> { Ranks = ranks });
                case "allreduce":
                    return new CollectiveLoops<Allreduce<T>>(new Allreduce<T> { Ranks = ranks });
                case "gather":
                    return new CollectiveLoops<Gather<T>>(new Gather<T> { Ranks = ranks });
                case "scatter":
                    return new CollectiveLoops<Scatter<T>>(new Scatter<T> { Ranks = ranks });
                case "allgather":
                    return new CollectiveLoops<Allgather<T>>(new Allgather<T> { Ranks = ranks });
                default:
                    return new CollectiveLoops<Alltoall<T>>(new Alltoall<T> { Ranks = ranks });
            }
        }

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
                    return new Prepared { Loops = ValueRing(values) };
                case "bandwidth":
                case "bibandwidth":
                case "stream":
                    return Windows(ObjectWindow(new ValueWindow<T>(world, peer, buffers, values)));
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

        private Loops ObjectWindow<T>(ValueWindow<T> window)
        {
            bool sends = buffers->Rank == 0;
            switch (benchmark)
            {
                case "bandwidth":
                    return sends
                        ? (Loops)new PairLoops<ValueBandwidthA<T>>(new ValueBandwidthA<T> { Window = window })
                        : new PairLoops<ValueBandwidthB<T>>(new ValueBandwidthB<T> { Window = window });
                case "stream":
                    return sends ? ObjectStreamA(window)
                        : mode == "ready"
                        ? (Loops)new PairLoops<ValueReadyStreamB<T>>(new ValueReadyStreamB<T> { Window = window })
                        : new PairLoops<ValueStreamB<T>>(new ValueStreamB<T> { Window = window });
                default:
                    return new PairLoops<ValueBibandwidth<T>>(new ValueBibandwidth<T> { Window = window });
            }
        }

        private Loops ObjectStreamA<T>(ValueWindow<T> window)
        {
            switch (mode)
            {
                case "synchronous":
                    return new PairLoops<ValueStreamA<T, SynchronousSending>>(
                        new ValueStreamA<T, SynchronousSending> { Window = window });
                case "buffered":
                    return new PairLoops<ValueStreamA<T, BufferedSending>>(
                        new ValueStreamA<T, BufferedSending> { Window = window });
                case "ready":
                    return new PairLoops<ValueReadyStreamA<T>>(new ValueReadyStreamA<T> { Window = window });
                default:
                    return new PairLoops<ValueStreamA<T, StandardSending>>(
                        new ValueStreamA<T, StandardSending> { Window = window });
            }
        }

        private Loops ObjectCollective<T>(Values<T> values)
        {
            if (values is Values<double[]> arrays && benchmark == "reduce")
            {
                return new CollectiveLoops<ArrayReduce>(new ArrayReduce { Ranks = new SharedArrays(world, arrays) });
            }
            if (values is Values<double[]> more && benchmark == "allreduce")
            {
                return new CollectiveLoops<ArrayAllreduce>(
                    new ArrayAllreduce { Ranks = new SharedArrays(world, more) });
            }
            var ranks = new SharedValues<T>(world, values);
            switch (benchmark)
            {
                case "bcast":
                    return new CollectiveLoops<ValueBroadcast<T>>(new ValueBroadcast<T> { Ranks = ranks });
                case "reduce":
                    return new CollectiveLoops<ValueReduce<T>>(new ValueReduce<T> { Ranks = ranks });
                case "allreduce":
                    return new CollectiveLoops<ValueAllreduce<T>>(new ValueAllreduce<T> { Ranks = ranks });
                case "gather":
                    return new CollectiveLoops<ValueGather<T>>(new ValueGather<T> { Ranks = ranks });
                case "scatter":
                    return new CollectiveLoops<ValueScatter<T>>(new ValueScatter<T> { Ranks = ranks });
                case "allgather":
                    return new CollectiveLoops<ValueAllgather<T>>(new ValueAllgather<T> { Ranks = ranks });
                default:
                    return new CollectiveLoops<ValueAlltoall<T>>(new ValueAlltoall<T> { Ranks = ranks });
            }
        }

        private Prepared Windows(Loops loops)
        {
            var prepared = new Prepared { Loops = loops };
            if (mode == "buffered")
            {
                prepared.AttachWhileRunning(buffers);
            }
            return prepared;
        }

        // Ping-pong of any payload.

        private Prepared Latency<P>(P payload) where P : struct, IPayload
        {
            bool pings = buffers->Rank == 0;
            if (mode == "sendrecv")
            {
                return new Prepared { Loops = new PairLoops<Exchange<P>>(new Exchange<P> { Payload = payload }) };
            }
            if (mode == "ready")
            {
                return ReadyLatency(payload);
            }
            Loops loops;
            if (completion == "nonblocking")
            {
                loops = pings
                    ? (Loops)new PairLoops<PingNonblocking<P>>(new PingNonblocking<P> { Payload = payload })
                    : new PairLoops<PongNonblocking<P>>(new PongNonblocking<P> { Payload = payload });
            }
            else
            {
                loops = pings
                    ? (Loops)new PairLoops<Ping<P>>(new Ping<P> { Payload = payload })
                    : new PairLoops<Pong<P>>(new Pong<P> { Payload = payload });
            }
            var prepared = new Prepared { Loops = loops };
            if (mode == "buffered")
            {
                prepared.AttachWhileRunning(buffers);
            }
            return prepared;
        }

        private Prepared ReadyLatency<P>(P payload) where P : struct, IPayload
        {
            var ahead = new Ahead();
            bool nonblocking = completion == "nonblocking";
            var prepared = new Prepared();
            if (buffers->Rank == 0)
            {
                prepared.Loops = nonblocking
                    ? (Loops)new PairLoops<PingReadyNonblocking<P>>(new PingReadyNonblocking<P> { Payload = payload })
                    : new PairLoops<PingReady<P>>(new PingReady<P> { Payload = payload });
                prepared.Begin = () => world.Receive(peer, Harness.AcknowledgementTag, Span<byte>.Empty);
                prepared.End = () => payload.Send();
                return prepared;
            }
            prepared.Loops = nonblocking
                ? (Loops)new PairLoops<PongReadyNonblocking<P>>(
                    new PongReadyNonblocking<P> { Payload = payload, Ahead = ahead })
                : new PairLoops<PongReady<P>>(new PongReady<P> { Payload = payload, Ahead = ahead });
            prepared.Begin = () =>
            {
                ahead.Posted = payload.Post();
                world.Send(ReadOnlySpan<byte>.Empty, peer, Harness.AcknowledgementTag);
            };
            prepared.End = () => ahead.Posted.Wait();
            return prepared;
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

        // A message round all ranks.

        private Loops MemoryRing<T>() where T : struct
        {
            var ring = new Ring<T>(world, buffers);
            return buffers->Rank == 0
                ? (Loops)new PairLoops<RingBegun<T>>(new RingBegun<T> { Ring = ring })
                : new PairLoops<RingGoneOn<T>>(new RingGoneOn<T> { Ring = ring });
        }

        private Loops ValueRing<T>(Values<T> values)
        {
            var ring = new ValueRing<T>(world, values);
            return buffers->Rank == 0
                ? (Loops)new PairLoops<ValueRingBegun<T>>(new ValueRingBegun<T> { Ring = ring })
                : new PairLoops<ValueRingGoneOn<T>>(new ValueRingGoneOn<T> { Ring = ring });
        }
    }
}
