using MPI;

namespace Benchmark
{
    // Ping is rank 0 and pong rank 1.

    internal struct Ping<P> : IIteration where P : struct, IPayload
    {
        public P Payload;

        public void Once()
        {
            Payload.Send();
            Payload.Receive();
        }
    }

    internal struct Pong<P> : IIteration where P : struct, IPayload
    {
        public P Payload;

        public void Once()
        {
            Payload.Receive();
            Payload.Send();
        }
    }

    internal struct PingNonblocking<P> : IIteration where P : struct, IPayload
    {
        public P Payload;

        public void Once()
        {
            Payload.StartSend().Wait();
            Payload.Post().Wait();
        }
    }

    internal struct PongNonblocking<P> : IIteration where P : struct, IPayload
    {
        public P Payload;

        public void Once()
        {
            Payload.Post().Wait();
            Payload.StartSend().Wait();
        }
    }

    internal struct Exchange<P> : IIteration where P : struct, IPayload
    {
        public P Payload;

        public void Once() => Payload.Exchange();
    }

    internal struct PingPersistent : IIteration
    {
        public PersistentRequest Sending, Receiving;

        public void Once()
        {
            Sending.Start();
            Sending.Complete();
            Receiving.Start();
            Receiving.Complete();
        }
    }

    internal struct PongPersistent : IIteration
    {
        public PersistentRequest Sending, Receiving;

        public void Once()
        {
            Receiving.Start();
            Receiving.Complete();
            Sending.Start();
            Sending.Complete();
        }
    }

    // In the mode ready every receive is posted before the message that makes the other side send.

    /// <summary>The receive that rank 1 has posted ahead, from one iteration to the next.</summary>
    internal sealed class Ahead
    {
        public Request Posted;
    }

    internal struct PingReady<P> : IIteration where P : struct, IPayload
    {
        public P Payload;

        public void Once()
        {
            Request receiving = Payload.Post();
            Payload.Send();
            receiving.Wait();
        }
    }

    internal struct PongReady<P> : IIteration where P : struct, IPayload
    {
        public P Payload;
        public Ahead Ahead;

        public void Once()
        {
            Ahead.Posted.Wait();
            Ahead.Posted = Payload.Post();
            Payload.Send();
        }
    }

    internal struct PingReadyNonblocking<P> : IIteration where P : struct, IPayload
    {
        public P Payload;

        public void Once()
        {
            Request receiving = Payload.Post();
            Payload.StartSend().Wait();
            receiving.Wait();
        }
    }

    internal struct PongReadyNonblocking<P> : IIteration where P : struct, IPayload
    {
        public P Payload;
        public Ahead Ahead;

        public void Once()
        {
            Ahead.Posted.Wait();
            Ahead.Posted = Payload.Post();
            Payload.StartSend().Wait();
        }
    }

    internal struct PingReadyPersistent : IIteration
    {
        public PersistentRequest Sending, Receiving;

        public void Once()
        {
            Receiving.Start();
            Sending.Start();
            Sending.Complete();
            Receiving.Complete();
        }
    }

    internal struct PongReadyPersistent : IIteration
    {
        public PersistentRequest Sending, Receiving;

        public void Once()
        {
            Receiving.Complete();
            Receiving.Start();
            Sending.Start();
            Sending.Complete();
        }
    }
}
