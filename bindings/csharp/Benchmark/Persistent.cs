using MPI;

namespace Benchmark
{
    /// <summary>A send and a receive that are made before the first iteration.</summary>
    internal struct Persistent : IMessage, IReadyMessage
    {
        public PersistentRequest Sending, Receiving;

        public void Send()
        {
            Sending.Start();
            Sending.Complete();
        }

        public void Receive()
        {
            Receiving.Start();
            Receiving.Complete();
        }

        public void Post() => Receiving.Start();

        public void Complete() => Receiving.Complete();

        public void Free()
        {
            Sending.Dispose();
            Receiving.Dispose();
        }
    }
}
