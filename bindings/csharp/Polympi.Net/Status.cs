using System;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>What the library in C tells of a message: struct net_status.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeStatus
    {
#pragma warning disable 649 // C writes them
        internal int Source;
        internal int Tag;
        internal int Cancelled;
        internal int Error;
        internal long Bytes;
#pragma warning restore 649
    }

    /// <summary>A message that was found by a probe: who sent it, with which tag, and how large it is.</summary>
    public class Status
    {
        internal Status(NativeStatus from)
        {
            Source = from.Source;
            Tag = from.Tag;
            Cancelled = from.Cancelled != 0;
            Bytes = from.Bytes;
        }

        /// <summary>The rank that sent the message.</summary>
        public int Source { get; }

        /// <summary>The tag of the message.</summary>
        public int Tag { get; }

        /// <summary>Whether the message was cancelled before it was sent or received.</summary>
        public bool Cancelled { get; }

        /// <summary>The size of the message in bytes.</summary>
        public long Bytes { get; }

        /// <summary>How many values of a type the message holds; null if it holds a part of one.</summary>
        /// <param name="type">A type whose values have a fixed size.</param>
        public int? Count(Type type)
        {
            int size = Codec.Of(type).MessageSize;
            if (size == 0)
            {
                throw new ArgumentException("Values of " + type.Name + " have no fixed size.", nameof(type));
            }
            return Bytes % size == 0 ? checked((int)(Bytes / size)) : (int?)null;
        }

        /// <inheritdoc/>
        public override string ToString() =>
            Bytes + " bytes from rank " + Source + " with tag " + Tag + (Cancelled ? ", cancelled" : "");
    }

    /// <summary>A message that was received or sent.</summary>
    public class CompletedStatus : Status
    {
        internal CompletedStatus(NativeStatus from) : base(from)
        {
        }
    }
}
