using MPI;

namespace Benchmark
{
    // Ping is rank 0 and pong rank 1; in a ring, pong is every other rank.

    internal struct Ping<M> : IIteration where M : struct, IMessage
    {
        public M Message;

        public void Once()
        {
            Message.Send();
            Message.Receive();
        }
    }

    internal struct Pong<M> : IIteration where M : struct, IMessage
    {
        public M Message;

        public void Once()
        {
            Message.Receive();
            Message.Send();
        }
    }

    internal struct Exchange<P> : IIteration where P : struct, IPayload
    {
        public P Payload;

        public void Once() => Payload.Exchange();
    }

    /// <summary>Sends and receives that return at once, each of which is waited for.</summary>
    internal struct Nonblocking<P> : IMessage where P : struct, IPayload
    {
        public P Payload;

        public void Send() => Payload.StartSend().Wait();

        public void Receive() => Payload.Post().Wait();
    }

    // In the mode ready every receive is posted before the message that makes the other side send.

    /// <summary>A message whose receive is posted beforehand.</summary>
    internal interface IReadyMessage
    {
        void Post();

        void Send();

        void Complete();
    }

    internal struct PingReady<R> : IIteration where R : struct, IReadyMessage
    {
        public R Message;

        public void Once()
        {
            Message.Post();
            Message.Send();
            Message.Complete();
        }
    }

    internal struct PongReady<R> : IIteration where R : struct, IReadyMessage
    {
        public R Message;

        public void Once()
        {
            Message.Complete();
            Message.Post();
            Message.Send();
        }
    }

    /// <summary>The receive that is posted, from one iteration to the next.</summary>
    internal sealed class Posted
    {
        public Request Request;
    }

    internal struct Ready<P, M> : IReadyMessage where P : struct, IPayload where M : struct, IMessage
    {
        public P Payload;
        public M Sending;
        public Posted Posted;

        public void Post() => Posted.Request = Payload.Post();

        public void Send() => Sending.Send();

        public void Complete() => Posted.Request.Wait();
    }
}
