using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using MPI;

namespace Tests
{
    internal static class Requests
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            Values, UnknownSizes, OrderOfUnknownSizes, Lists, AnyOfAList, FailuresInLists, PersistentRequests,
            Awaits, AwaitsOfFailures, AwaitsOutsideOfALoop, Cancels,
        };

        private static int Next(Intracommunicator comm) => (comm.Rank + 1) % comm.Size;

        private static int Before(Intracommunicator comm) => (comm.Rank + comm.Size - 1) % comm.Size;

        private static void Values(Intracommunicator comm)
        {
            ReceiveRequest<long> receiving = comm.ImmediateReceive<long>(Before(comm), 1);
            Request sending = comm.ImmediateSend(10L + comm.Rank, Next(comm), 1);
            Expect.Equal(10L + Before(comm), receiving.GetValue(), "the value");
            Expect.Equal(Before(comm), receiving.Wait().Source, "the source");
            sending.Wait();
            Expect.Equal(10L + Before(comm), (long)((ReceiveRequest)receiving).GetValue(), "the value as an object");
            var values = new int[4];
            ReceiveRequest<int[]> into = comm.ImmediateReceive(Before(comm), 2, values);
            comm.ImmediateSend(new[] { 1, 2, 3, comm.Rank }, Next(comm), 2).Wait();
            Expect.Same(new[] { 1, 2, 3, Before(comm) }, into.GetValue(), "the array");
        }

        private static void UnknownSizes(Intracommunicator comm)
        {
            ReceiveRequest<string> text = comm.ImmediateReceive<string>(Before(comm), 1);
            ReceiveRequest<double[]> array = comm.ImmediateReceive<double[]>(Before(comm), 2);
            Expect.True(array.Test() == null, "nothing has come");
            comm.Barrier();
            Request first = comm.ImmediateSend(new double[] { 1, 2, 3 }, Next(comm), 2);
            Request second = comm.ImmediateSend("text", Next(comm), 1);
            while (array.Test() == null)
            {
            }
            Expect.Same(new double[] { 1, 2, 3 }, array.GetValue(), "the array");
            Expect.Equal("text", text.GetValue(), "the string");
            first.Wait();
            second.Wait();
        }

        private static void OrderOfUnknownSizes(Intracommunicator comm)
        {
            ReceiveRequest<string> first = comm.ImmediateReceive<string>(Before(comm), 1);
            ReceiveRequest<string> cancelled = comm.ImmediateReceive<string>(Before(comm), 1);
            ReceiveRequest<string> second = comm.ImmediateReceive<string>(Before(comm), 1);
            ReceiveRequest<double[]> third = comm.ImmediateReceive<double[]>(Before(comm), 1);
            cancelled.Cancel();
            Request[] sends =
            {
                comm.ImmediateSend("first", Next(comm), 1), comm.ImmediateSend("second", Next(comm), 1),
                comm.ImmediateSend("odd", Next(comm), 1), comm.ImmediateSend("blocking", Next(comm), 1),
            };
            Expect.Equal("second", second.GetValue(), "the second string");
            Expect.Equal("blocking", comm.Receive<string>(Before(comm), 1), "the string of a blocking receive");
            Expect.Equal("first", first.GetValue(), "the first string");
            Expect.Throws<MessageTruncatedException>(() => third.GetValue());
            Expect.Throws<MessageTruncatedException>(() => third.Test());
            Array.ForEach(sends, send => send.Wait());
        }

        private static void Lists(Intracommunicator comm)
        {
            var list = new RequestList();
            var values = new List<ReceiveRequest<int>>();
            for (int i = 0; i < 200; i++)
            {
                values.Add(comm.ImmediateReceive<int>(Before(comm), i));
                list.Add(values[i]);
            }
            for (int i = 199; i >= 0; i--)
            {
                list.Add(comm.ImmediateSend(1000 * comm.Rank + i, Next(comm), i));
            }
            List<CompletedStatus> statuses = list.WaitAll();
            Expect.Equal(0, list.Count, "the length of the list");
            Expect.Equal(400, statuses.Count, "the number of statuses");
            Expect.Equal(13, statuses[13].Tag, "the tag of a receive");
            Expect.Same(
                Enumerable.Range(1000 * Before(comm), 200).ToArray(), values.Select(v => v.GetValue()).ToArray(), "the values");
            ReceiveRequest<string> text = comm.ImmediateReceive<string>(Before(comm), 1);
            list.Add(text);
            list.Add(comm.ImmediateSend("x", Next(comm), 1));
            Expect.Equal(2, list.WaitAll().Count, "a list with a receive of unknown size");
            Expect.Equal("x", text.GetValue(), "its string");
        }

        private static void AnyOfAList(Intracommunicator comm)
        {
            var list = new RequestList();
            ReceiveRequest<int> late = comm.ImmediateReceive<int>(Before(comm), 1);
            ReceiveRequest<int> early = comm.ImmediateReceive<int>(Before(comm), 2);
            list.Add(late);
            list.Add(early);
            Expect.True(list.TestAny() == null && list.TestSome().Count == 0 && list.TestAll() == null, "none is complete");
            comm.Barrier();
            comm.ImmediateSend(2, Next(comm), 2).Wait();
            Expect.True(ReferenceEquals(early, list.WaitAny()), "the early one is complete");
            Expect.Equal(1, list.Count, "the length of the list");
            comm.Barrier();
            comm.ImmediateSend(1, Next(comm), 1).Wait();
            Expect.True(ReferenceEquals(late, list.WaitSome().Single()), "the late one is complete");
            Expect.Throws<InvalidOperationException>(() => list.WaitAny());
        }

        /// <summary>One byte, which no serializer makes a person of.</summary>
        private static readonly byte[] NoPerson = { 1 };

        private static void FailuresInLists(Intracommunicator comm)
        {
            ReceiveRequest<Person> failing = comm.ImmediateReceive<Person>(Before(comm), 1);
            ReceiveRequest<string> text = comm.ImmediateReceive<string>(Before(comm), 2);
            var list = new RequestList
            {
                failing, text, comm.ImmediateSend(NoPerson, Next(comm), 1), comm.ImmediateSend("x", Next(comm), 2),
            };
            Expect.Throws<Exception>(() => list.WaitAll());
            Expect.Equal(0, list.Count, "the length of the list");
            Expect.Equal("x", text.GetValue(), "the string after a failure");
            Expect.Throws<Exception>(() => failing.GetValue());
            Request sending = comm.ImmediateSend(NoPerson, Next(comm), 1);
            failing = comm.ImmediateReceive<Person>(Before(comm), 1);
            list.Add(failing);
            Expect.True(ReferenceEquals(failing, list.WaitAny()), "what failed leaves the list");
            Expect.Equal(0, list.Count, "the length of the list");
            Expect.Throws<Exception>(() => failing.GetValue());
            sending.Wait();
        }

        private static void PersistentRequests(Intracommunicator comm)
        {
            int[] outgoing = new int[3], incoming = new int[3];
            using (PersistentRequest sending = comm.SendInit<int>(outgoing, Next(comm), 6))
            using (PersistentRequest receiving = comm.ReceiveInit<int>(Before(comm), 6, incoming))
            {
                for (int i = 0; i < 5; i++)
                {
                    outgoing[1] = 10 * comm.Rank + i;
                    receiving.Start();
                    sending.Start();
                    Expect.Equal(12L, receiving.Wait().Bytes, "the size");
                    sending.Complete();
                    Expect.Same(new[] { 0, 10 * Before(comm) + i, 0 }, incoming, "what came");
                }
                receiving.Start();
                sending.Start();
                Expect.Equal(12L, new RequestList { receiving, sending }.WaitAll()[0].Bytes, "the size in a list");
            }
        }

        private static void Awaits(Intracommunicator comm)
        {
            var order = new List<int>();
            EventLoop.Run(async () =>
            {
                // The first task awaits what the second one sends: they have to take turns.
                Task<string> first = WaitFor(comm, order);
                order.Add(1);
                comm.Barrier(); // a message that is there already would be received without awaiting it
                await comm.ImmediateSend("hello " + comm.Rank, Next(comm), 9);
                Expect.Equal("hello " + Before(comm), await first, "what the task received");
            });
            Expect.Same(new[] { 0, 1, 2 }, order.ToArray(), "the order");
            MpiException truncated = Expect.Throws<MessageTruncatedException>(() => EventLoop.Run(async () =>
            {
                // Open MPI loses the error of a rank's message to itself whose receive was posted before.
                Request sending = comm.ImmediateSend(new[] { 1, 2 }, Next(comm), 9);
                await comm.ImmediateReceive<int>(Before(comm), 9);
                await sending;
            }));
            Expect.Equal(ErrorClass.Truncate, truncated.ErrorClass, "the class of the error");
        }

        private static void AwaitsOfFailures(Intracommunicator comm)
        {
            EventLoop.Run(async () =>
            {
                Task<bool> failure = Fails(comm.ImmediateReceive<Person>(Before(comm), 9));
                await comm.ImmediateSend(NoPerson, Next(comm), 9);
                Expect.True(await failure, "who awaits gets the exception");
            });
        }

        private static async Task<bool> Fails(ReceiveRequest<Person> receiving)
        {
            try
            {
                await receiving;
                return false;
            }
            catch (Exception)
            {
                return true;
            }
        }

        private static async Task<string> WaitFor(Intracommunicator comm, List<int> order)
        {
            order.Add(0);
            string text = await comm.ImmediateReceive<string>(Before(comm), 9);
            order.Add(2);
            return text;
        }

        private static void AwaitsOutsideOfALoop(Intracommunicator comm)
        {
            Request sending = comm.ImmediateSend(4, Next(comm), 9);
            Expect.Equal(4, Outside(comm).GetAwaiter().GetResult(), "the value");
            sending.Wait();
        }

        private static async Task<int> Outside(Intracommunicator comm) => await comm.ImmediateReceive<int>(Before(comm), 9);

        private static void Cancels(Intracommunicator comm)
        {
            ReceiveRequest<int> receiving = comm.ImmediateReceive<int>(Before(comm), 123);
            receiving.Cancel();
            Expect.True(receiving.Wait().Cancelled, "a posted receive is cancelled");
            ReceiveRequest<string> probing = comm.ImmediateReceive<string>(Before(comm), 123);
            probing.Cancel();
            Expect.True(probing.Wait().Cancelled, "a receive of unknown size is cancelled");
        }
    }
}
