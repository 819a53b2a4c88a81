using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>The message of an object in the making.</summary>
    internal sealed class ObjectWriter
    {
        private readonly Dictionary<object, int> known = new Dictionary<object, int>(new ByReference());
        private readonly Dictionary<Type, int> types = new Dictionary<Type, int>();
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

        internal void Raw(ReadOnlySpan<byte> values)
        {
            Reserve(values.Length);
            values.CopyTo(new Span<byte>(bytes, end, values.Length));
            end += values.Length;
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
            if (types.TryGetValue(type, out int number))
            {
                Int(number);
                return;
            }
            Int(types.Count);
            types.Add(type, types.Count);
            TypeNames.Write(this, type);
        }

        /// <summary>Whether an object was written before; then its number, else it gets one.</summary>
        internal bool Knows(object value, out int number)
        {
            if (known.TryGetValue(value, out number))
            {
                return true;
            }
            known.Add(value, known.Count);
            return false;
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
