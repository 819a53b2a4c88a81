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
            byte[] bytes = Serialization.Serializer.Serialize(value);
            return Plain<byte>.Pin(bytes);
        }

        internal override T Read(byte* units, int count)
        {
            if (count == 0)
            {
                return default(T); // what arrives from nobody; no serializer makes nothing of a value
            }
            var bytes = new byte[count];
            Marshal.Copy((IntPtr)units, bytes, 0, count);
            return Serialization.Serializer.Deserialize<T>(bytes);
        }
    }
}
