using System;

namespace MPI
{
    /// <summary>Strings travel as UTF-8.</summary>
    internal sealed unsafe class StringCodec : VariableCodec<string>
    {
        internal override IntPtr Datatype => Constants.Byte;

        internal override int UnitSize => 1;

        internal override Pinned Pin(string value)
        {
            byte[] bytes = Text.Encode(value ?? throw new ArgumentNullException(nameof(value)));
            return Plain<byte>.Pin(bytes);
        }

        internal override string Read(byte* units, int count) => Text.Decode(units, count);
    }
}
