using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>The message of an object in the making.</summary>
    internal sealed class ObjectWriter
    {
        private const int Few = 16;

        private readonly List<object> known = new List<object>();
        private readonly List<Type> types = new List<Type>();
        private Dictionary<object, int> numbers; // of many objects; a few are found by looking at each
        private byte[] bytes = new byte[256];
        private int end;

        internal Depth Depth { get; } = new Depth();

        internal byte[] ToArray()
        {
            var message = new byte[end];
            System.Buffer.BlockCopy(bytes, 0, message, 0, end);
            return message;
        }

        internal void Byte(byte value)
        {
            Reserve(1);
            bytes[end++] = value;
        }

        /// <summary>A number that is usually small: seven bits in each byte.</summary>
        internal void Int(int value)
        {
            uint rest = (uint)value;
            for (; rest >= 0x80; rest >>= 7)
            {
                Byte((byte)(rest | 0x80));
            }
            Byte((byte)rest);
        }

        internal void Raw(ReadOnlySpan<byte> values) => values.CopyTo(Room(values.Length));

        /// <summary>Bytes for the caller to fill.</summary>
        internal Span<byte> Room(int count)
        {
            Reserve(count);
            end += count;
            return new Span<byte>(bytes, end - count, count);
        }

        internal void String(string value)
        {
            byte[] encoded = Text.Encode(value);
            Int(encoded.Length);
            Raw(encoded);
        }

        /// <summary>Writes a type: its name when it comes for the first time.</summary>
        internal void Type(Type type)
        {
            int number = types.IndexOf(type);
            if (number >= 0)
            {
                Int(number);
                return;
            }
            Int(types.Count);
            types.Add(type);
            Raw(TypeNames.Of(type));
        }

        /// <summary>Whether an object was written before; then its number, else it gets one.</summary>
        internal bool Knows(object value, out int number)
        {
            number = numbers == null ? Look(value) : numbers.TryGetValue(value, out int found) ? found : -1;
            if (number >= 0)
            {
                return true;
            }
            known.Add(value);
            if (numbers != null)
            {
                numbers.Add(value, known.Count - 1);
            }
            else if (known.Count == Few)
            {
                numbers = new Dictionary<object, int>(new ByReference());
                known.ForEach(one => numbers.Add(one, numbers.Count));
            }
            return false;
        }

        private int Look(object value)
        {
            int i = known.Count - 1;
            while (i >= 0 && !ReferenceEquals(known[i], value))
            {
                i--;
            }
            return i;
        }

        private void Reserve(int more)
        {
            if (bytes.Length - end < more)
            {
                Array.Resize(ref bytes, (int)Math.Min(0x7FFFFFC7L, Math.Max(2L * bytes.Length, checked(end + more))));
            }
        }

        private sealed class ByReference : IEqualityComparer<object>
        {
            bool IEqualityComparer<object>.Equals(object x, object y) => ReferenceEquals(x, y);

            int IEqualityComparer<object>.GetHashCode(object value) => RuntimeHelpers.GetHashCode(value);
        }
    }
}
