using System;
using MPI;

namespace Benchmark
{
    /// <summary>The send calls of a mode. Structs, so that the loops are compiled with the call inside.</summary>
    internal interface ISending
    {
        void Elements<T>(Communicator comm, ReadOnlySpan<T> values, int dest) where T : struct;

        void Value<T>(Communicator comm, T value, int dest);

        Request StartElements<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct;

        Request StartValue<T>(Communicator comm, T value, int dest);

        PersistentRequest Prepare<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct;
    }

    internal struct StandardSending : ISending
    {
        public void Elements<T>(Communicator comm, ReadOnlySpan<T> values, int dest) where T : struct =>
            comm.Send(values, dest, Harness.PayloadTag);

        public void Value<T>(Communicator comm, T value, int dest) => comm.Send(value, dest, Harness.PayloadTag);

        public Request StartElements<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct =>
            comm.ImmediateSend(values, dest, Harness.PayloadTag);

        public Request StartValue<T>(Communicator comm, T value, int dest) =>
            comm.ImmediateSend(value, dest, Harness.PayloadTag);

        public PersistentRequest Prepare<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct =>
            comm.SendInit(values, dest, Harness.PayloadTag);
    }

    internal struct SynchronousSending : ISending
    {
        public void Elements<T>(Communicator comm, ReadOnlySpan<T> values, int dest) where T : struct =>
            comm.SynchronousSend(values, dest, Harness.PayloadTag);

        public void Value<T>(Communicator comm, T value, int dest) => comm.SynchronousSend(value, dest, Harness.PayloadTag);

        public Request StartElements<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct =>
            comm.ImmediateSynchronousSend(values, dest, Harness.PayloadTag);

        public Request StartValue<T>(Communicator comm, T value, int dest) =>
            comm.ImmediateSynchronousSend(value, dest, Harness.PayloadTag);

        public PersistentRequest Prepare<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct =>
            comm.SynchronousSendInit(values, dest, Harness.PayloadTag);
    }

    internal struct BufferedSending : ISending
    {
        public void Elements<T>(Communicator comm, ReadOnlySpan<T> values, int dest) where T : struct =>
            comm.BufferedSend(values, dest, Harness.PayloadTag);

        public void Value<T>(Communicator comm, T value, int dest) => comm.BufferedSend(value, dest, Harness.PayloadTag);

        public Request StartElements<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct =>
            comm.ImmediateBufferedSend(values, dest, Harness.PayloadTag);

        public Request StartValue<T>(Communicator comm, T value, int dest) =>
            comm.ImmediateBufferedSend(value, dest, Harness.PayloadTag);

        public PersistentRequest Prepare<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct =>
            comm.BufferedSendInit(values, dest, Harness.PayloadTag);
    }

    internal struct ReadySending : ISending
    {
        public void Elements<T>(Communicator comm, ReadOnlySpan<T> values, int dest) where T : struct =>
            comm.ReadySend(values, dest, Harness.PayloadTag);

        public void Value<T>(Communicator comm, T value, int dest) => comm.ReadySend(value, dest, Harness.PayloadTag);

        public Request StartElements<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct =>
            comm.ImmediateReadySend(values, dest, Harness.PayloadTag);

        public Request StartValue<T>(Communicator comm, T value, int dest) =>
            comm.ImmediateReadySend(value, dest, Harness.PayloadTag);

        public PersistentRequest Prepare<T>(Communicator comm, ReadOnlyMemory<T> values, int dest) where T : struct =>
            comm.ReadySendInit(values, dest, Harness.PayloadTag);
    }
}
