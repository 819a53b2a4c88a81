using System;
using System.Buffers;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>
    /// Room for a message whose size the receiver does not know. It is as large as a message can be, and takes memory
    /// only where one was written, so that MPI has the receive from the beginning: it keeps the order of messages, and
    /// makes progress.
    /// </summary>
    internal sealed unsafe class Reservation : IPinnable
    {
        /// <summary>Address space for all, and which part of what is left of it one takes.</summary>
        private const long All = 1L << 46, Share = 1 << 13;

        private const int MostIdle = 64;

        private const int BlockBytes = 4096;

        /// <summary>What a receive of any type counts in: MPI_PACKED matches every datatype.</summary>
        internal static readonly IntPtr Block = MakeBlock();

        private static readonly Dictionary<long, Stack<Reservation>> Idle = new Dictionary<long, Stack<Reservation>>();
        private static long left = All;
        private static int idle;

        private readonly long wanted;
        private readonly long bytes;

        private Reservation(long wanted)
        {
            this.wanted = wanted;
            long granted = Math.Min(wanted, Math.Max(left / Share, 1 << 16)) / BlockBytes * BlockBytes;
            Address = (byte*)Native.Reserve(&granted);
            if (Address == null)
            {
                throw new OutOfMemoryException(
                    "There is no address space left for a receive of unknown size. Wait for some of those that were begun.");
            }
            bytes = granted;
            left -= bytes;
        }

        internal byte* Address { get; }

        /// <summary>How much of it was written at most.</summary>
        internal long Used { get; set; }

        /// <summary>Room for as many units as MPI counts, or as there is memory for.</summary>
        internal static Reservation Borrow(int unit)
        {
            long wanted = (long)int.MaxValue * unit + BlockBytes;
            lock (Idle)
            {
                if (Idle.TryGetValue(wanted, out Stack<Reservation> stack) && stack.Count > 0)
                {
                    idle--;
                    return stack.Pop();
                }
                return new Reservation(wanted);
            }
        }

        /// <summary>The memory, counted in blocks.</summary>
        internal Pinned Lend()
        {
            Used = bytes;
            return new Pinned(
                new MemoryHandle(Address, default(GCHandle), this), (int)Math.Min(int.MaxValue, bytes / BlockBytes));
        }

        private static IntPtr MakeBlock()
        {
            Errors.Check(Native.TypeVector(1, BlockBytes, BlockBytes, Constants.Packed, out IntPtr made));
            Errors.Check(Native.TypeCommit(ref made));
            return made;
        }

        public MemoryHandle Pin(int elementIndex) => new MemoryHandle(Address + elementIndex);

        /// <summary>The message was read: gives the room back.</summary>
        public void Unpin()
        {
            lock (Idle)
            {
                if (idle == MostIdle)
                {
                    Native.Unreserve(Address, bytes);
                    left += bytes;
                    return;
                }
                Native.Trim(Address, Used, bytes);
                if (!Idle.TryGetValue(wanted, out Stack<Reservation> stack))
                {
                    Idle.Add(wanted, stack = new Stack<Reservation>());
                }
                stack.Push(this);
                idle++;
            }
        }
    }
}
