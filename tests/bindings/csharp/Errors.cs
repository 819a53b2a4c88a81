using System;
using MPI;

namespace Tests
{
    internal static class Errors
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            WrongRanks, WrongTags, WrongRoots, Truncation, OtherTypes, FullBuffers, NullReferences, FreedCommunicators,
        };

        private static void WrongRanks(Intracommunicator comm)
        {
            ArgumentException error = Expect.Throws<ArgumentOutOfRangeException>(() => comm.Send(1, comm.Size, 0));
            Expect.Equal("dest", error.ParamName, "the parameter");
            Expect.True(error.Message.Contains("There is no rank " + comm.Size), "the sentence");
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.Send(1, -77, 0));
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.Send(1, Communicator.AnySource, 0));
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.Receive<int>(comm.Size, 0));
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.ImmediateSend(new[] { 1 }, comm.Size, 0));
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.ImmediateReceive<int>(comm.Size, 0));
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.Probe(comm.Size, 0));
        }

        private static void WrongTags(Intracommunicator comm)
        {
            ArgumentException error = Expect.Throws<ArgumentOutOfRangeException>(() => comm.Send(1, 0, -3));
            Expect.Equal("tag", error.ParamName, "the parameter");
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.Send(1, 0, Communicator.AnyTag));
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.Receive<int>(0, -3));
            if (MPI.Environment.MaxTag < int.MaxValue)
            {
                Expect.Throws<ArgumentOutOfRangeException>(() => comm.Send(1, 0, MPI.Environment.MaxTag + 1));
            }
        }

        private static void WrongRoots(Intracommunicator comm)
        {
            int value = 1;
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.Broadcast(ref value, comm.Size));
            Expect.Throws<ArgumentOutOfRangeException>(() => comm.Gather(1, -1));
            Expect.Throws<ArgumentNullException>(() => comm.Allreduce(1, null));
            int[] kept = { 1 };
            Expect.Throws<ArgumentNullException>(() => Communicator.Self.Reduce(null, Operation<int>.Add, 0, ref kept));
        }

        private static void Truncation(Intracommunicator comm)
        {
            Request sending = comm.ImmediateSend(new[] { 1, 2, 3 }, comm.Rank, 1);
            MpiException error = Expect.Throws<MessageTruncatedException>(
                () => comm.Receive(comm.Rank, 1, new Span<int>(new int[2])));
            Expect.Equal(ErrorClass.Truncate, error.ErrorClass, "the class");
            Expect.True(error.Message.Length > 0 && error.ErrorCode != 0, "what MPI says");
            sending.Wait();
        }

        private static void OtherTypes(Intracommunicator comm)
        {
            Request sending = comm.ImmediateSend(1L, comm.Rank, 1); // 8 bytes where 16 are asked for
            Expect.Throws<MessageTruncatedException>(() => comm.Receive<ValueTuple<long, long>>(comm.Rank, 1));
            sending.Wait();
            sending = comm.ImmediateSend(1L, comm.Rank, 1);
            ReceiveRequest<ValueTuple<long, long>> pair =
                comm.ImmediateReceive<ValueTuple<long, long>>(comm.Rank, 1);
            Expect.Throws<MessageTruncatedException>(() => pair.GetValue());
            Expect.Throws<MessageTruncatedException>(() => pair.GetValue()); // a failure is not forgotten
            sending.Wait();
            sending = comm.ImmediateSend(1, comm.Rank, 1);
            Expect.Throws<MessageTruncatedException>(() => comm.Receive<long[]>(comm.Rank, 1));
            sending.Wait();
            var list = new RequestList
            {
                comm.ImmediateSend(new byte[2], comm.Rank, 1),
                comm.ImmediateReceive<byte>(comm.Rank, 1),
            };
            Expect.Throws<MessageTruncatedException>(() => list.WaitAll());
            Expect.Equal(0, list.Count, "the length of the list");
        }

        private static void FullBuffers(Intracommunicator comm)
        {
            MPI.Buffer.Attach(MPI.Buffer.Overhead + 8);
            MpiException error = Expect.Throws<MpiException>(() => comm.BufferedSend(new double[1000], comm.Rank, 1));
            Expect.True(error is MpiBufferException || error.ErrorClass == ErrorClass.Other, "the class " + error.ErrorClass);
            MPI.Buffer.Detach();
        }

        /// <summary>The signal of a null reference is still the runtime's after MPI has started.</summary>
        private static void NullReferences(Intracommunicator comm)
        {
            string nothing = comm.Rank < 0 ? "" : null;
            Expect.Throws<NullReferenceException>(() => Console.WriteLine(nothing.Length));
        }

        private static void FreedCommunicators(Intracommunicator comm)
        {
            Intracommunicator clone = comm.Clone();
            clone.Dispose();
            clone.Dispose();
            Expect.Throws<InvalidHandleException>(() => clone.Barrier());
        }
    }

    internal static class Failures
    {
        /// <summary>One rank fails, and the others wait for it: the job has to end.</summary>
        public static void Run(string[] args)
        {
            MPI.Environment.Run(ref args, comm =>
            {
                if (comm.Rank == comm.Size - 1)
                {
                    throw new InvalidOperationException("this rank fails on purpose");
                }
                comm.Receive<int>(comm.Size - 1, 0);
            });
        }

        /// <summary>One rank ends the job, and goes no further itself.</summary>
        public static void Abort(string[] args)
        {
            MPI.Environment.Run(ref args, comm =>
            {
                if (comm.Rank == comm.Size - 1)
                {
                    comm.Abort(3);
                    Console.WriteLine("still there");
                }
                comm.Receive<int>(comm.Size - 1, 0);
            });
        }
    }
}
