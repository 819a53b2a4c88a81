using MPI;

namespace Benchmark
{
    /// <summary>Ping-pong with persistent requests, made before the first iteration.</summary>
    internal static unsafe class Persistent
    {
        public static Prepared Prepare<T, S>(
            Communicator comm, int peer, string mode, Elements<T, S> payload, Buffers* buffers)
            where T : struct where S : struct, ISending
        {
            PersistentRequest sending = default(S).Prepare<T>(comm, payload.Outgoing, peer);
            PersistentRequest receiving = comm.ReceiveInit(peer, Harness.PayloadTag, payload.Incoming);
            var prepared = new Prepared();
            prepared.Loops = Loops(mode == "ready", buffers->Rank == 0, sending, receiving);
            if (mode == "buffered")
            {
                prepared.AttachWhileRunning(buffers);
            }
            if (mode == "ready")
            {
                MeetReady(prepared, comm, peer, payload, receiving, buffers->Rank);
            }
            prepared.Release = () =>
            {
                sending.Dispose();
                receiving.Dispose();
            };
            return prepared;
        }

        private static Loops Loops(bool ready, bool pings, PersistentRequest sending, PersistentRequest receiving)
        {
            if (ready)
            {
                return pings
                    ? (Loops)new PairLoops<PingReadyPersistent>(
                        new PingReadyPersistent { Sending = sending, Receiving = receiving })
                    : new PairLoops<PongReadyPersistent>(
                        new PongReadyPersistent { Sending = sending, Receiving = receiving });
            }
            return pings
                ? (Loops)new PairLoops<PingPersistent>(new PingPersistent { Sending = sending, Receiving = receiving })
                : new PairLoops<PongPersistent>(new PongPersistent { Sending = sending, Receiving = receiving });
        }

        /// <summary>Rank 1 posts its first receive and tells rank 0; at the end a message completes the last one.</summary>
        private static void MeetReady<T, S>(
            Prepared prepared, Communicator comm, int peer, Elements<T, S> payload, PersistentRequest receiving,
            int rank)
            where T : struct where S : struct, ISending
        {
            if (rank == 0)
            {
                prepared.Begin = () => comm.Receive(peer, Harness.AcknowledgementTag, System.Span<byte>.Empty);
                prepared.End = () => payload.Send();
                return;
            }
            prepared.Begin = () =>
            {
                receiving.Start();
                comm.Send(System.ReadOnlySpan<byte>.Empty, peer, Harness.AcknowledgementTag);
            };
            prepared.End = receiving.Complete;
        }
    }
}
