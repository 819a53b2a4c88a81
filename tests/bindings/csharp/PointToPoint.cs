using System;
using System.Linq;
using MPI;

namespace Tests
{
    internal enum Color : byte
    {
        Red = 3,
        Blue = 200,
    }

    internal struct Point
    {
        public int X;
        public double Y;
    }

    internal unsafe struct Particle
    {
        public byte Kind;
        public Point Place;
        public fixed short Marks[3];
        public Color Color;
        public bool Alive;
        public char Letter;
        public decimal Charge;
    }

    internal static unsafe class PointToPoint
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            Numbers, Structs, Arrays, EmptyArrays, ArraysIntoArrays, Spans, Modes, Exchanges, Probes, Layouts, NullRank,
        };

        // Every rank sends to the next and receives from the one before, itself where it is alone.

        private static T Round<T>(Intracommunicator comm, T value)
        {
            Request sending = comm.ImmediateSend(value, (comm.Rank + 1) % comm.Size, 7);
            T received = comm.Receive<T>((comm.Rank + comm.Size - 1) % comm.Size, 7);
            sending.Wait();
            return received;
        }

        private static int Before(Intracommunicator comm) => (comm.Rank + comm.Size - 1) % comm.Size;

        private static void Numbers(Intracommunicator comm)
        {
            int before = Before(comm);
            Expect.Equal(before, Round(comm, comm.Rank), "an int");
            Expect.Equal((byte)(200 + before), Round(comm, (byte)(200 + comm.Rank)), "a byte");
            Expect.Equal((sbyte)-before, Round(comm, (sbyte)-comm.Rank), "an sbyte");
            Expect.Equal((short)-before, Round(comm, (short)-comm.Rank), "a short");
            Expect.Equal((ushort)(60000 + before), Round(comm, (ushort)(60000 + comm.Rank)), "a ushort");
            Expect.Equal(uint.MaxValue - (uint)before, Round(comm, uint.MaxValue - (uint)comm.Rank), "a uint");
            Expect.Equal(long.MinValue + before, Round(comm, long.MinValue + comm.Rank), "a long");
            Expect.Equal(ulong.MaxValue - (ulong)before, Round(comm, ulong.MaxValue - (ulong)comm.Rank), "a ulong");
            Expect.Equal(before + 0.5f, Round(comm, comm.Rank + 0.5f), "a float");
            Expect.Equal(before + 0.25, Round(comm, comm.Rank + 0.25), "a double");
            Expect.Equal((char)('ä' + before), Round(comm, (char)('ä' + comm.Rank)), "a char");
            Expect.Equal(before % 2 == 0, Round(comm, comm.Rank % 2 == 0), "a bool");
            Expect.Equal(1.1m * before, Round(comm, 1.1m * comm.Rank), "a decimal");
            Expect.Equal(Color.Blue, Round(comm, Color.Blue), "an enumeration");
        }

        private static void Structs(Intracommunicator comm)
        {
            int before = Before(comm);
            Point point = Round(comm, new Point { X = comm.Rank, Y = -comm.Rank });
            Expect.True(point.X == before && point.Y == -before, "a struct");
            var tuple = Round(comm, (comm.Rank, 0.5));
            Expect.Equal((before, 0.5), tuple, "a tuple");
            var particle = new Particle
            {
                Kind = 5, Place = new Point { X = comm.Rank, Y = 2.5 }, Color = Color.Red, Alive = true, Letter = 'Ω',
                Charge = -1.5m,
            };
            particle.Marks[2] = (short)(100 + comm.Rank);
            Particle[] many = Round(comm, new[] { particle, particle, particle });
            Expect.Equal(3, many.Length, "the number of structs");
            foreach (Particle one in many)
            {
                Particle p = one;
                Expect.True(
                    p.Kind == 5 && p.Place.X == before && p.Place.Y == 2.5 && p.Color == Color.Red && p.Alive
                        && p.Letter == 'Ω' && p.Charge == -1.5m && p.Marks[0] == 0 && p.Marks[2] == 100 + before,
                    "all fields of a struct");
            }
        }

        private static void Arrays(Intracommunicator comm)
        {
            double[] sent = Enumerable.Range(0, 1000 * (comm.Rank + 1)).Select(i => i + 0.5 * comm.Rank).ToArray();
            double[] received = Round(comm, sent);
            int before = Before(comm);
            Expect.Same(
                Enumerable.Range(0, 1000 * (before + 1)).Select(i => i + 0.5 * before).ToArray(), received, "an array");
        }

        private static void EmptyArrays(Intracommunicator comm) =>
            Expect.Equal(0, Round(comm, new long[0]).Length, "the length of an empty array");

        private static void ArraysIntoArrays(Intracommunicator comm)
        {
            Request sending = comm.ImmediateSend(new[] { 1, 2, comm.Rank }, (comm.Rank + 1) % comm.Size, 3);
            var values = new[] { 9, 9, 9, 9, 9 };
            int[] place = values;
            comm.Receive(Before(comm), 3, ref values, out CompletedStatus status);
            sending.Wait();
            Expect.True(ReferenceEquals(place, values), "the array is the one that was given");
            Expect.Same(new[] { 1, 2, Before(comm), 9, 9 }, values, "the array");
            Expect.Equal(3, status.Count(typeof(int)).Value, "the number of elements");
            sending = comm.ImmediateSend(new[] { 4, 5 }, (comm.Rank + 1) % comm.Size, 3);
            values = null;
            comm.Receive(Before(comm), 3, ref values);
            sending.Wait();
            Expect.Same(new[] { 4, 5 }, values, "the new array");
        }

        private static void Spans(Intracommunicator comm)
        {
            Memory<float> sent = new float[] { 1, 2, 3, comm.Rank };
            Request sending = comm.ImmediateSend(sent.Slice(1), (comm.Rank + 1) % comm.Size, 4);
            Span<float> received = stackalloc float[3];
            comm.Receive(Before(comm), 4, received, out CompletedStatus status);
            sending.Wait();
            Expect.Same(new float[] { 2, 3, Before(comm) }, received.ToArray(), "a span");
            Expect.Equal(12L, status.Bytes, "the size");
            Expect.Equal(Before(comm), status.Source, "the source");
        }

        private static void Modes(Intracommunicator comm)
        {
            if (comm.Size < 2 || comm.Rank > 1)
            {
                return;
            }
            int peer = 1 - comm.Rank;
            MPI.Buffer.Attach(4 * (1000 + MPI.Buffer.Overhead));
            comm.BufferedSend(new[] { comm.Rank, 5 }, peer, 1); // both send first: only a buffer makes that safe
            Expect.Same(new[] { peer, 5 }, comm.Receive<int[]>(peer, 1), "a buffered array");
            comm.BufferedSend("text " + comm.Rank, peer, 1);
            Expect.Equal("text " + peer, comm.Receive<string>(peer, 1), "a buffered string");
            Expect.Equal(4 * (1000 + MPI.Buffer.Overhead), MPI.Buffer.Detach(), "the size of the buffer");
            if (comm.Rank == 0)
            {
                comm.SynchronousSend(1.5, peer, 1);
                comm.SynchronousSend(new Span<byte>(new byte[] { 1, 2 }), peer, 1);
                comm.Receive<bool>(peer, 2);
                comm.ReadySend(99, peer, 3);
            }
            else
            {
                Expect.Equal(1.5, comm.Receive<double>(peer, 1), "a synchronous double");
                Expect.Same(new byte[] { 1, 2 }, comm.Receive<byte[]>(peer, 1), "a synchronous span");
                ReceiveRequest<int> posted = comm.ImmediateReceive<int>(peer, 3);
                comm.Send(true, peer, 2);
                Expect.Equal(99, posted.GetValue(), "an int that was sent ready");
            }
        }

        private static void Exchanges(Intracommunicator comm)
        {
            int next = (comm.Rank + 1) % comm.Size, before = Before(comm);
            comm.SendReceive(comm.Rank, next, 1, before, 1, out int number);
            Expect.Equal(before, number, "an int");
            comm.SendReceive("of " + comm.Rank, next, 2, before, 2, out string text, out CompletedStatus status);
            Expect.Equal("of " + before, text, "a string");
            Expect.Equal(before, status.Source, "its source");
            var received = new double[2];
            comm.SendReceive<double>(new double[] { 1, comm.Rank }, next, 3, before, 3, received);
            Expect.Same(new double[] { 1, before }, received, "a span");
            var large = new double[100000]; // more than MPI sends before the receiver is there
            comm.SendReceive(large, next, 4, before, 4, out double[] other);
            Expect.Equal(large.Length, other.Length, "the length of a large array");
        }

        private static void Probes(Intracommunicator comm)
        {
            Expect.True(comm.ImmediateProbe(Communicator.AnySource, 77) == null, "there is no message");
            Request sending = comm.ImmediateSend(new[] { 1L, 2L }, (comm.Rank + 1) % comm.Size, 78);
            Status found = comm.Probe(Communicator.AnySource, Communicator.AnyTag);
            Expect.Equal(78, found.Tag, "the tag");
            Expect.Equal(2, found.Count(typeof(long)).Value, "the number of elements");
            Expect.True(comm.ImmediateProbe(found.Source, 78) != null, "the message is still there");
            comm.Receive<long[]>(found.Source, found.Tag);
            sending.Wait();
        }

        private static void Layouts(Intracommunicator comm)
        {
            int next = (comm.Rank + 1) % comm.Size, before = Before(comm);
            double[] matrix = Enumerable.Range(0, 16).Select(i => (double)i).ToArray();
            double[] columns = new double[16];
            using (Layout<double> column = Layout<double>.Vector(4, 1, 4))
            {
                if (comm.Size == 1)
                {
                    return; // a blocking send to itself
                }
                if (comm.Rank % 2 == 0)
                {
                    comm.Send<double>(new ReadOnlySpan<double>(matrix, 1, 13), column, next, 1);
                }
                comm.Receive(before, 1, new Span<double>(columns, 2, 13), column);
                if (comm.Rank % 2 == 1)
                {
                    comm.Send<double>(new ReadOnlySpan<double>(matrix, 1, 13), column, next, 1);
                }
                Expect.Same(
                    Enumerable.Range(0, 16).Select(i => i % 4 == 2 ? i - 1.0 : 0).ToArray(), columns, "a column");
                Expect.Throws<ArgumentException>(
                    () => comm.Send<double>(new ReadOnlySpan<double>(matrix, 1, 12), column, next, 1));
            }
        }

        private static void NullRank(Intracommunicator comm)
        {
            comm.Send(5, Communicator.NullRank, 0);
            Expect.Equal(0, comm.Receive<int>(Communicator.NullRank, 0), "what arrives from nobody");
        }
    }
}
