using System;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>Everything else travels as the bytes that <see cref="Serialization.Serializer"/> makes of it.</summary>
    internal sealed unsafe class ObjectCodec<T> : VariableCodec<T>
    {
        internal override IntPtr Datatype => Constants.Byte;

        internal override int UnitSize => 1;

        internal override Pinned Pin(T value)
        {
            RefuseDerived(value);
            byte[] bytes = Serialization.Serializer.Serialize(value);
            return Plain<byte>.Pin(bytes);
        }

        internal override T Read(byte* units, int count)
        {
            if (count == 0)
            {
                return default(T); // what comes from nobody; no serializer makes nothing of a value
            }
            var bytes = new byte[count];
            Marshal.Copy((IntPtr)units, bytes, 0, count);
            return Serialization.Serializer.Deserialize<T>(bytes);
        }

        /// <summary>The receiver would get a T without what the derived class adds.</summary>
        private static void RefuseDerived(T value)
        {
            if (value != null && !typeof(T).IsInterface && !typeof(T).IsValueType && value.GetType() != typeof(T))
            {
                throw new ArgumentException(
                    "A " + value.GetType().Name + " would arrive as a " + typeof(T).Name
                        + " only. Send it as what it is: Send<" + value.GetType().Name + ">(...).",
                    nameof(value));
            }
        }
    }
}
