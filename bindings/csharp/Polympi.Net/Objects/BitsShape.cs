using System.Collections;

namespace MPI
{
    /// <summary>Arrays of bits.</summary>
    internal sealed class BitsShape : Shape<BitArray>
    {
        internal override void Write(ObjectWriter writer, BitArray value)
        {
            writer.Int(value.Length);
            foreach (bool bit in value)
            {
                writer.Byte(bit ? (byte)1 : (byte)0);
            }
        }

        internal override object Create(ObjectReader reader) => new BitArray(reader.Length(1));

        internal override void Fill(ObjectReader reader, object value)
        {
            var bits = (BitArray)value;
            for (int i = 0; i < bits.Length; i++)
            {
                bits[i] = reader.Byte() != 0;
            }
        }
    }
}
