using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>The message of an object that is read.</summary>
    internal sealed unsafe class ObjectReader
    {
        private readonly byte[] bytes;
        private readonly List<object> known = new List<object>();
        private readonly List<Type> types = new List<Type>();
        private readonly List<Action> atTheEnd = new List<Action>();
        private int place;

        internal ObjectReader(byte[] bytes)
        {
            this.bytes = bytes;
        }

        internal Depth Depth { get; } = new Depth();

        internal byte Byte() => Raw(1)[0];

        internal int Int()
        {
            uint value = 0;
            for (int shift = 0; shift < 35; shift += 7)
            {
                byte next = Byte();
                value |= (uint)(next & 0x7F) << shift;
                if (next < 0x80)
                {
                    return (int)value;
                }
            }
            throw new InvalidDataException("This message holds no object: a number in it has no end.");
        }

        /// <summary>The length of something of which each element has at least this many bytes.</summary>
        internal int Length(int least = 0)
        {
            int length = Int();
            if (length < 0 || (long)length * least > bytes.Length - place)
            {
                throw new InvalidDataException("This message holds no object: a length in it is " + length + ".");
            }
            return length;
        }

        internal ReadOnlySpan<byte> Raw(int count)
        {
            if (count > bytes.Length - place)
            {
                throw new EndOfStreamException("This message holds no object: it ends too early.");
            }
            place += count;
            return new ReadOnlySpan<byte>(bytes, place - count, count);
        }

        internal string String()
        {
            ReadOnlySpan<byte> text = Raw(Length(1));
            fixed (byte* first = &MemoryMarshal.GetReference(text))
            {
                return Text.Decode(first, text.Length);
            }
        }

        internal Type Type()
        {
            int number = Int();
            if (number == types.Count)
            {
                types.Add(null); // the arguments of a generic type have their own names
                types[number] = TypeNames.Read(this);
            }
            return Item(types, number);
        }

        internal object Known(int number) => Item(known, number);

        /// <summary>Objects get their numbers before what is in them is read, which may refer to them.</summary>
        internal int Reserve()
        {
            known.Add(null);
            return known.Count - 1;
        }

        internal void Keep(int number, object value) => known[number] = value;

        /// <summary>Does something when all objects are complete: keys can be hashed and compared only then.</summary>
        internal void AtTheEnd(Action action) => atTheEnd.Add(action);

        internal void Finish()
        {
            for (int i = 0; i < atTheEnd.Count; i++)
            {
                atTheEnd[i]();
            }
        }

        private static V Item<V>(List<V> items, int number)
        {
            if ((uint)number >= (uint)items.Count)
            {
                throw new InvalidDataException("This message holds no object: it refers to what it does not have.");
            }
            return items[number];
        }
    }
}
